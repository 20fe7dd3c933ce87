//! The paths, from the table of operations.

use serde_json::{Map, Value, json};

use super::{answer, example, parameter, schema, set};
use crate::http::{Endpoint, Operation, TABLE, service::body::MAX_BYTES};

pub(super) fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    for line in &TABLE {
        let path = paths.entry(line.path).or_insert_with(|| json!({}));
        set(path, &line.method.as_str().to_ascii_lowercase(), operation(line));
    }
    paths
}

fn operation(line: &Endpoint) -> Value {
    let Words { tag, summary, description } = words(line.operation);
    let mut operation = json!({
        "operationId": line.operation.name(),
        "tags": [tag],
        "summary": summary,
        "description": format!("{description}\n\nNeeds the scope `{}`.", line.scope),
        "security": [{ "token": [line.scope] }],
        "parameters": parameter::of(line.operation),
        "responses": answer::of(line.operation),
    });
    if let Some(body) = body(line.operation) {
        set(&mut operation, "requestBody", body);
    }
    operation
}

/// What is said of an operation.
struct Words {
    tag: &'static str,
    summary: &'static str,
    description: &'static str,
}

fn words(operation: Operation) -> Words {
    let (tag, summary, description) = match operation {
        Operation::ListLeads => (
            "Leads",
            "List leads",
            "The leads of the business across its client accounts, the newest first. Both filters together must hold.",
        ),
        Operation::CreateLead => (
            "Leads",
            "Create a lead",
            "Every request makes a lead: the same person twice is two leads. With an `Idempotency-Key` it can be \
                sent again safely.",
        ),
        Operation::GetLead => ("Leads", "Fetch a lead", "One lead with all its fields."),
        Operation::UpdateLead => (
            "Leads",
            "Update a lead",
            "JSON Merge Patch (RFC 7396): what is absent stays, `null` clears, a value sets. A lead in a pipeline \
                always has a stage, so `null` for either of the two clears both, and `null` for one beside a value \
                for the other is 400.",
        ),
        Operation::DeleteLead => ("Leads", "Delete a lead", "The lead is gone for good; a second time it is 404."),
        Operation::ListPipelines => {
            ("Pipelines", "List pipelines", "The pipelines of the business with their stages, the oldest first.")
        }
        Operation::ListClients => {
            ("Client accounts", "List client accounts", "The client accounts of the business, by name.")
        }
    };
    Words { tag, summary, description }
}

fn body(operation: Operation) -> Option<Value> {
    let (schema, examples) = match operation {
        Operation::CreateLead => ("NewLead", example::creates()),
        Operation::UpdateLead => ("LeadPatch", example::patches()),
        _ => return None,
    };
    Some(json!({
        "required": true,
        "description": format!("At most {MAX_BYTES} bytes, in UTF-8. Any media type that ends in `+json` is taken too."),
        "content": { "application/json": { "schema": schema::reference(schema), "examples": example::named(examples) } },
    }))
}

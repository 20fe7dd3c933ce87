//! The `paths` of the document, generated from the table of operations.

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
        "description": format!("{description}\n\nRequires the scope `{}`.", line.scope),
        "security": [{ "token": [line.scope] }],
        "parameters": parameter::of(line.operation),
        "responses": answer::of(line.operation),
    });
    if let Some(body) = body(line.operation) {
        set(&mut operation, "requestBody", body);
    }
    operation
}

/// The tag, summary and description of an operation.
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
            "Lists the leads of the business across its client accounts, newest first. If both filters are given, a \
                lead must match both.",
        ),
        Operation::CreateLead => (
            "Leads",
            "Create a lead",
            "Creates a lead. Every request creates a new lead, even for the same person, but a retry with the same \
                `Idempotency-Key` does not create a second lead.",
        ),
        Operation::GetLead => ("Leads", "Fetch a lead", "Returns one lead with all its fields."),
        Operation::UpdateLead => (
            "Leads",
            "Update a lead",
            "Applies a JSON Merge Patch (RFC 7396): absent fields keep their values, `null` clears a field, and any \
                other value sets it. A lead in a pipeline always has a stage, so `null` for the pipeline or the \
                stage clears both. A request that sets one of them to `null` and the other to a value is rejected \
                with 400.",
        ),
        Operation::DeleteLead => {
            ("Leads", "Delete a lead", "Deletes the lead permanently. A second DELETE returns 404.")
        }
        Operation::ListPipelines => {
            ("Pipelines", "List pipelines", "Lists the pipelines of the business with their stages, oldest first.")
        }
        Operation::ListClients => {
            ("Client accounts", "List client accounts", "Lists the client accounts of the business, sorted by name.")
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
        "description": format!("At most {MAX_BYTES} bytes of UTF-8. `Content-Type` may also end in `+json`."),
        "content": { "application/json": { "schema": schema::reference(schema), "examples": example::named(examples) } },
    }))
}

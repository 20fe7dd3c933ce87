//! The answers of the operations (contract 7 and D2): each status that an operation can have, and no other.

use serde_json::{Map, Value, json};

use super::{example, header, schema, set};
use crate::http::{Operation, operation::ID};

/// The answers of an operation by status.
pub(super) fn of(operation: Operation) -> Value {
    let line = operation.endpoint();
    let mut answers = Map::new();
    answers.insert(line.success.as_str().to_owned(), success(operation));
    answers.insert(
        "400".into(),
        refused(
            "The request is not well-formed or not valid, or names a record that it may not name. Nothing was written.",
            &[],
            faults(operation),
        ),
    );
    for (status, name) in
        [("401", "Unauthorized"), ("403", forbidden(operation)), ("429", "RateLimited"), ("500", "InternalError")]
    {
        answers.insert(status.into(), shared_one(name));
    }
    if line.path.ends_with(ID) {
        answers.insert("404".into(), shared_one("NoSuchLead"));
    }
    Value::Object(answers)
}

fn success(operation: Operation) -> Value {
    let (description, schema, example) = match operation {
        Operation::ListLeads => ("A page of leads, the newest first.", "LeadItemPage", example::leads()),
        Operation::CreateLead => ("The lead that was created.", "Lead", example::created()),
        Operation::GetLead => ("The lead.", "Lead", example::created()),
        Operation::UpdateLead => ("The lead after the change.", "Lead", example::updated()),
        Operation::ListPipelines => {
            ("A page of pipelines, the oldest first, each with its stages.", "PipelinePage", example::pipelines())
        }
        Operation::ListClients => ("A page of client accounts by name.", "ClientAccountPage", example::clients()),
        Operation::DeleteLead => {
            return json!({ "description": "The lead is gone. There is no body.", "headers": header::of(&[]) });
        }
    };
    let own: &[&str] = if operation == Operation::CreateLead { &["Location", "Idempotency-Replayed"] } else { &[] };
    let mut answer = json!({
        "description": description,
        "headers": header::of(own),
        "content": { "application/json": { "schema": schema::reference(schema), "example": example } },
    });
    let links = links(operation);
    if !links.is_empty() {
        set(&mut answer, "links", links);
    }
    answer
}

/// Where a part of the answer can be taken next.
fn links(operation: Operation) -> Map<String, Value> {
    let lead = ("id", "$response.body#/id");
    let next: &[(Operation, (&str, &str))] = match operation {
        Operation::CreateLead => {
            &[(Operation::GetLead, lead), (Operation::UpdateLead, lead), (Operation::DeleteLead, lead)]
        }
        Operation::UpdateLead => &[(Operation::GetLead, lead)],
        _ => &[],
    };
    let link = |(to, (parameter, from)): &(Operation, (&str, &str))| {
        let link = json!({ "operationId": to.name(), "parameters": { *parameter: from } });
        (to.name().to_owned(), link)
    };
    next.iter().map(link).collect()
}

/// What a 400 of the operation can say, by what is wrong.
fn faults(operation: Operation) -> Vec<(&'static str, &'static str)> {
    let limit = ("A limit out of range", "limit must be an integer from 1 to 200");
    match operation {
        Operation::ListLeads => vec![
            limit,
            (
                "An unknown parameter",
                "page is not a query parameter of this operation (allowed are client_id, stage_id, limit, offset)",
            ),
            ("A stage that is not there", "stage_id: no such stage"),
        ],
        Operation::ListPipelines | Operation::ListClients => vec![
            limit,
            ("An unknown parameter", "page is not a query parameter of this operation (allowed are limit, offset)"),
        ],
        Operation::GetLead | Operation::DeleteLead => {
            vec![("A parameter", "x is not a query parameter of this operation (it takes none)")]
        }
        Operation::CreateLead => vec![
            ("Required fields are missing", "client_id is required; name is required"),
            ("An unknown field", "nmae is not a field that can be written, the nearest one is name; name is required"),
            ("No JSON", "body is not JSON: expected value at line 1 column 9"),
            ("A stage that is not there", "stage_id: no such stage"),
            ("A key that stands for another body", "Idempotency-Key was used before with another body"),
        ],
        Operation::UpdateLead => vec![
            ("Nothing to change", "body has no field to change"),
            ("A field that never changes", "client_id cannot be changed"),
            ("A stage of another pipeline", "stage_id belongs to another pipeline than pipeline_id"),
        ],
    }
}

/// A 403 is about the scope, or about a client account where one can be named.
const fn forbidden(operation: Operation) -> &'static str {
    match operation {
        Operation::ListLeads | Operation::CreateLead => "ForbiddenClient",
        _ => "Forbidden",
    }
}

fn shared_one(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// The answers that do not depend on the operation.
pub(super) fn shared() -> Value {
    let scopes = [
        ("A GET without its scope", "Authorization: the token lacks the scope read"),
        ("Another method without its scope", "Authorization: the token lacks the scope write"),
    ];
    let mut forbidden_client = refused(
        "The token lacks the scope of the operation, or the client account is not one of the business.",
        &[],
        scopes
            .into_iter()
            .chain([("A client account of somebody else", "client_id: no such client account in this business")]),
    );
    // A wrong client account is no matter of the token.
    carries(&mut forbidden_client, "WWW-Authenticate", header::challenge(false));
    let mut internal = refused(
        "Something failed on the side of the server, and the cause is in its log under the request's id; or the \
            server has too much to do, and says when to come again.",
        &[],
        [("An error of the server", "internal error")],
    );
    carries(&mut internal, "Retry-After", header::retry_after(false));
    json!({
        "Unauthorized": refused("The token is missing, malformed, unknown, expired or revoked.", &["WWW-Authenticate"], [
            ("No token", "Authorization: missing token"),
            ("Not a token of this API", "Authorization: malformed token"),
            ("A token that nobody has", "Authorization: invalid token"),
            ("An expired token", "Authorization: token expired"),
            ("A revoked token", "Authorization: token revoked"),
        ]),
        "Forbidden": refused("The token lacks the scope of the operation.", &["WWW-Authenticate"], scopes),
        "ForbiddenClient": forbidden_client,
        "NoSuchLead": refused("The business has no such lead.", &[], [("No such lead", "id: no such lead")]),
        "RateLimited": refused("The token has reached its limit; a request that was refused does not count.", &["Retry-After"], [
            ("Too many requests", "rate limit reached, try again in 13 s"),
        ]),
        "InternalError": internal,
    })
}

fn carries(answer: &mut Value, name: &str, header: Value) {
    if let Some(headers) = answer.get_mut("headers") {
        set(headers, name, header);
    }
}

fn refused<'a>(description: &str, own: &[&str], messages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    json!({
        "description": description,
        "headers": header::of(own),
        "content": { "application/json": {
            "schema": schema::reference("Error"),
            "examples": example::named(messages.into_iter().map(|(when, message)| (when, json!({ "error": message })))),
        } },
    })
}

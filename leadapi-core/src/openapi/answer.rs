//! The responses of the operations (contract 7 and D2): exactly the statuses that each operation can return.

use serde_json::{Map, Value, json};

use super::{example, header, schema, set};
use crate::http::{ID_PLACEHOLDER, Operation};

/// Returns the responses of an operation, by status.
pub(super) fn of(operation: Operation) -> Value {
    let line = operation.endpoint();
    let mut answers = Map::new();
    answers.insert(line.success.as_str().to_owned(), success(operation));
    answers.insert(
        "400".into(),
        refused(
            "The request is malformed or invalid, or it refers to an unknown record. Nothing was written.",
            &[],
            faults(operation),
        ),
    );
    for (status, name) in
        [("401", "Unauthorized"), ("403", forbidden(operation)), ("429", "RateLimited"), ("500", "InternalError")]
    {
        answers.insert(status.into(), shared_one(name));
    }
    if line.path.ends_with(ID_PLACEHOLDER) {
        answers.insert("404".into(), shared_one("NoSuchLead"));
    }
    Value::Object(answers)
}

fn success(operation: Operation) -> Value {
    let (description, schema, example) = match operation {
        Operation::ListLeads => ("A page of leads, newest first.", "LeadItemPage", example::leads()),
        Operation::CreateLead => ("The created lead.", "Lead", example::created()),
        Operation::GetLead => ("The lead.", "Lead", example::created()),
        Operation::UpdateLead => ("The updated lead.", "Lead", example::updated()),
        Operation::ListPipelines => {
            ("A page of pipelines, oldest first, each with its stages.", "PipelinePage", example::pipelines())
        }
        Operation::ListClients => {
            ("A page of client accounts, sorted by name.", "ClientAccountPage", example::clients())
        }
        Operation::DeleteLead => {
            return json!({ "description": "The lead was deleted. The response has no body.", "headers": header::of(&[]) });
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

/// Returns the OpenAPI links from a response to other operations on the same lead.
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

/// Returns example messages for a 400 response, each with the fault that it reports.
fn faults(operation: Operation) -> Vec<(&'static str, &'static str)> {
    let limit = ("Limit out of range", "limit must be an integer from 1 to 200");
    match operation {
        Operation::ListLeads => vec![
            limit,
            (
                "Unknown parameter",
                "page is not a query parameter of this operation (allowed are client_id, stage_id, limit, offset)",
            ),
            ("Unknown stage", "stage_id: no such stage"),
        ],
        Operation::ListPipelines | Operation::ListClients => vec![
            limit,
            ("Unknown parameter", "page is not a query parameter of this operation (allowed are limit, offset)"),
        ],
        Operation::GetLead | Operation::DeleteLead => {
            vec![("Unexpected parameter", "x is not a query parameter of this operation (it takes none)")]
        }
        Operation::CreateLead => vec![
            ("Missing required fields", "client_id is required; name is required"),
            ("Unknown field", "nmae is not a field that can be written, the nearest one is name; name is required"),
            ("Invalid JSON", "body is not JSON: expected value at line 1 column 9"),
            ("Unknown stage", "stage_id: no such stage"),
            ("Idempotency key of a different body", "Idempotency-Key was used before with another body"),
        ],
        Operation::UpdateLead => vec![
            ("Nothing to change", "body has no field to change"),
            ("Immutable field", "client_id cannot be changed"),
            ("Stage of another pipeline", "stage_id belongs to another pipeline than pipeline_id"),
        ],
    }
}

/// Returns the name of the 403 response. If the operation takes a client account, this response also covers unknown
/// client accounts.
const fn forbidden(operation: Operation) -> &'static str {
    match operation {
        Operation::ListLeads | Operation::CreateLead => "ForbiddenClient",
        _ => "Forbidden",
    }
}

fn shared_one(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// Returns the responses that do not depend on the operation.
pub(super) fn shared() -> Value {
    let scopes = [
        ("Missing scope for a GET", "Authorization: the token lacks the scope read"),
        ("Missing scope for another method", "Authorization: the token lacks the scope write"),
    ];
    let mut forbidden_client = refused(
        "The token lacks the required scope, or the client account does not belong to the business.",
        &[],
        scopes.into_iter().chain([("Unknown client account", "client_id: no such client account in this business")]),
    );
    // The challenge header is optional, because an unknown client account is not a problem with the token.
    carries(&mut forbidden_client, "WWW-Authenticate", header::challenge(false));
    let mut internal = refused(
        "The server failed or is overloaded. If it failed, its log contains the cause under the request id. If it \
            is overloaded, `Retry-After` states when to retry.",
        &[],
        [("Internal error", "internal error")],
    );
    carries(&mut internal, "Retry-After", header::retry_after(false));
    json!({
        "Unauthorized": refused("The token is missing, malformed, unknown, expired or revoked.", &["WWW-Authenticate"], [
            ("Missing token", "Authorization: missing token"),
            ("Malformed token", "Authorization: malformed token"),
            ("Invalid token", "Authorization: invalid token"),
            ("Expired token", "Authorization: token expired"),
            ("Revoked token", "Authorization: token revoked"),
        ]),
        "Forbidden": refused("The token lacks the required scope.", &["WWW-Authenticate"], scopes),
        "ForbiddenClient": forbidden_client,
        "NoSuchLead": refused("The business has no lead with this id.", &[], [("Unknown lead", "id: no such lead")]),
        "RateLimited": refused("The token has reached its rate limit. Refused requests do not count towards the limit.", &["Retry-After"], [
            ("Rate limit reached", "rate limit reached, try again in 13 s"),
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

//! The parameters of the requests (contract D3, D4 and D10).

use serde_json::{Map, Value, json};

use super::{example, schema};
use crate::{
    http::Operation,
    id::MAX_ID_CHARS,
    model::{IdempotencyKey, InvalidWindow, Window},
};

/// The parameters of an operation.
pub(super) fn of(operation: Operation) -> Vec<Value> {
    let own: &[&str] = match operation {
        Operation::ListLeads => &["client_id", "stage_id", "limit", "offset"],
        Operation::ListPipelines | Operation::ListClients => &["limit", "offset"],
        Operation::CreateLead => &["Idempotency-Key"],
        Operation::GetLead | Operation::UpdateLead | Operation::DeleteLead => &["id"],
    };
    let every = own.iter().chain(&["X-Request-Id"]);
    every.map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).collect()
}

pub(super) fn all() -> Map<String, Value> {
    let id = || schema::visible(MAX_ID_CHARS);
    let lead = example::lead();
    #[rustfmt::skip]
    let parameters = [
        ("path", "id", "The lead.", id(), json!(lead.id)),
        ("query", "client_id", "Only leads of this client account; one that is not the business's is 403.", id(), json!(lead.client_id)),
        ("query", "stage_id", "Only leads in this stage; one that is not the business's is 400.", id(), json!(lead.stage_id)),
        ("query", "limit", "How many there are on a page at most.", window(InvalidWindow::Limit, Window::DEFAULT_LIMIT.into()), json!(50)),
        ("query", "offset", "How many are passed over; past the end, the page is empty.", window(InvalidWindow::Offset, 0), json!(0)),
        (
            "header",
            "Idempotency-Key",
            "Names the create, so that it can be sent again without making a second lead: for 24 hours the same key \
                with the same body is answered with the same lead and `Idempotency-Replayed: true`; with another \
                body it is 400.",
            schema::visible(IdempotencyKey::MAX_CHARS),
            json!("import-7/row-12"),
        ),
        (
            "header",
            "X-Request-Id",
            "By which the request is to be found in the log of the server: 1 to 128 visible ASCII characters; \
                anything else is replaced, not refused.",
            json!({ "type": "string" }),
            json!("signup-form-4711"),
        ),
    ];
    let described = parameters.into_iter().map(|(place, name, description, schema, example)| {
        let parameter = json!({
            "name": name,
            "in": place,
            "required": place == "path",
            "description": description,
            "schema": schema,
            "example": example,
        });
        (name.to_owned(), parameter)
    });
    described.collect()
}

fn window(bound: InvalidWindow, default: u64) -> Value {
    let range = bound.range();
    json!({ "type": "integer", "minimum": range.start(), "maximum": range.end(), "default": default })
}

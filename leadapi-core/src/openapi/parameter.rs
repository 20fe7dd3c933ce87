//! The request parameters (contract D3, D4 and D10).

use serde_json::{Map, Value, json};

use super::{example, visible};
use crate::{
    http::Operation,
    id::MAX_ID_CHARS,
    model::{IdempotencyKey, InvalidWindow, Window},
};

/// Returns references to the parameters of an operation.
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
    let id = || visible(MAX_ID_CHARS);
    let lead = example::lead();
    #[rustfmt::skip]
    let parameters = [
        ("path", "id", "The id of the lead.", id(), json!(lead.id)),
        ("query", "client_id", "Lists only leads of this client account. A client account outside the business is rejected with 403.", id(), json!(lead.client_id)),
        ("query", "stage_id", "Lists only leads in this stage. A stage outside the business is rejected with 400.", id(), json!(lead.stage_id)),
        ("query", "limit", "The maximum number of items on a page.", window(InvalidWindow::Limit, Window::DEFAULT_LIMIT.into()), json!(50)),
        ("query", "offset", "The number of items to skip. If no items remain, the page is empty.", window(InvalidWindow::Offset, 0), json!(0)),
        (
            "header",
            "Idempotency-Key",
            "Makes the request safe to retry. For 24 hours, a request with the same key and the same body returns \
                the same lead with `Idempotency-Replayed: true` and does not create a second lead. A request with \
                the same key and a different body is rejected with 400.",
            visible(IdempotencyKey::MAX_CHARS),
            json!("import-7/row-12"),
        ),
        (
            "header",
            "X-Request-Id",
            "The id of the request in the server's log: 1 to 128 visible ASCII characters. The server replaces an \
                invalid value instead of rejecting the request.",
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

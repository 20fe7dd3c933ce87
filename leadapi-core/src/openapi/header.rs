//! The response headers (contract D2 and D10).

use serde_json::{Map, Value, json};

use super::visible;

/// Returns references to the headers that every response has, and to the headers in `own`.
pub(super) fn of(own: &[&str]) -> Value {
    let every = ["Cache-Control", "X-Content-Type-Options", "X-Request-Id"];
    let named = every.iter().chain(own).map(|name| {
        let reference = json!({ "$ref": format!("#/components/headers/{name}") });
        ((*name).to_owned(), reference)
    });
    Value::Object(named.collect())
}

pub(super) fn all() -> Map<String, Value> {
    let header = |name: &str, required: bool, description: &str, schema: Value, example: Value| {
        let header = json!({ "description": description, "required": required, "schema": schema, "example": example });
        (name.to_owned(), header)
    };
    [
        header(
            "Cache-Control",
            true,
            "Responses must not be cached.",
            json!({ "type": "string", "const": "no-store" }),
            json!("no-store"),
        ),
        header(
            "X-Content-Type-Options",
            true,
            "Clients must not sniff a different content type.",
            json!({ "type": "string", "const": "nosniff" }),
            json!("nosniff"),
        ),
        header(
            "X-Request-Id",
            false,
            "The id of the request in the server's log: the caller's own if it is valid, otherwise a generated one.",
            visible(128),
            json!("019df1fe-aa24-7216-ab13-247ee2113950"),
        ),
        header(
            "Location",
            true,
            "The path of the new lead.",
            json!({ "type": "string", "format": "uri-reference", "pattern": "/leads/[^/]+$" }),
            json!("/v1/leads/019df1fe-aa24-7216-ab13-247ee211394a"),
        ),
        header(
            "Idempotency-Replayed",
            false,
            "Present if this is the response to an earlier request with the same `Idempotency-Key`.",
            json!({ "type": "string", "const": "true" }),
            json!("true"),
        ),
        ("Retry-After".to_owned(), retry_after(true)),
        ("WWW-Authenticate".to_owned(), challenge(true)),
    ]
    .into_iter()
    .collect()
}

/// Returns the `WWW-Authenticate` header, for a 401 or for a 403 that reports a missing scope.
pub(super) fn challenge(required: bool) -> Value {
    json!({
        "description": "The authentication challenge (RFC 6750). If a scope is missing, the challenge names it.",
        "required": required,
        "schema": { "type": "string", "pattern": "^Bearer " },
        "example": r#"Bearer realm="leadapi", error="invalid_token", error_description="token expired""#,
    })
}

/// Returns the `Retry-After` header, for a 429 or for a 500 from an overloaded server.
pub(super) fn retry_after(required: bool) -> Value {
    json!({
        "description": "The number of whole seconds to wait before a retry. A request that was refused with 429 is \
            then admitted, unless another caller uses the same token.",
        "required": required,
        "schema": { "type": "integer", "minimum": 1, "maximum": 60 },
        "example": 13,
    })
}

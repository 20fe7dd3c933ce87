//! The headers of the answers (contract D2 and D10).

use serde_json::{Map, Value, json};

use super::schema;

/// The headers of every answer, and those of this one.
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
            "No answer may be kept.",
            json!({ "type": "string", "const": "no-store" }),
            json!("no-store"),
        ),
        header(
            "X-Content-Type-Options",
            true,
            "The `Content-Type` is meant as it is said.",
            json!({ "type": "string", "const": "nosniff" }),
            json!("nosniff"),
        ),
        header(
            "X-Request-Id",
            false,
            "By which the request is found in the log of the server: the caller's own if it is good, else a new one.",
            schema::visible(128),
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
            "Present when the answer is that to an earlier request with the same `Idempotency-Key`.",
            json!({ "type": "string", "const": "true" }),
            json!("true"),
        ),
        ("Retry-After".to_owned(), retry_after(true)),
        ("WWW-Authenticate".to_owned(), challenge(true)),
    ]
    .into_iter()
    .collect()
}

/// What a 401 and a missing scope carry.
pub(super) fn challenge(required: bool) -> Value {
    json!({
        "description": "What is asked of the token (RFC 6750); a missing scope is named.",
        "required": required,
        "schema": { "type": "string", "pattern": "^Bearer " },
        "example": r#"Bearer realm="leadapi", error="invalid_token", error_description="token expired""#,
    })
}

/// What a 429 carries.
pub(super) fn retry_after(required: bool) -> Value {
    json!({
        "description": "After so many whole seconds the request may be sent again; a caller that is alone on its \
            token is then admitted.",
        "required": required,
        "schema": { "type": "integer", "minimum": 1, "maximum": 60 },
        "example": 13,
    })
}

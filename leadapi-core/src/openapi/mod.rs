//! An OpenAPI 3.1 document, generated from the types, the validation rules and the table of operations.
//!
//! Fields come from the types of [`model`](crate::model), lengths from the validation rules, and paths, scopes and
//! success statuses from [`TABLE`](crate::http::TABLE). The descriptions follow the contract.

mod answer;
mod example;
mod field;
mod header;
mod operation;
mod order;
mod parameter;
mod schema;
mod server;

use serde_json::{Value, json};

pub use self::server::{InvalidServerUrl, ServerUrl};
use crate::{http::InvalidPath, rate_limit::Limits};

/// Returns the document as indented JSON, for a service that callers reach under this path.
///
/// The output is deterministic, so it can be committed as a file and compared.
///
/// ```
/// let document = leadapi_core::openapi::document("/v1")?;
/// let document: serde_json::Value = serde_json::from_str(&document)?;
/// assert_eq!(document["openapi"], "3.1.1");
/// assert_eq!(document["servers"][0]["url"], "/v1");
/// assert_eq!(document["paths"]["/leads"]["post"]["operationId"], "create_lead");
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
///
/// # Errors
///
/// Returns [`InvalidPath`] if no service can be mounted at this path.
pub fn document(public_path: &str) -> Result<String, InvalidPath> {
    Ok(document_at(&[ServerUrl::path(public_path)?]))
}

/// Returns the document for a service that callers reach at these URLs, listed in order of preference.
///
/// Generated clients, Postman and reference pages use the first URL. It should be absolute if the document is used
/// outside the server.
///
/// ```
/// let servers = ["https://api.example.com/v1".parse()?];
/// let document: serde_json::Value = serde_json::from_str(&leadapi_core::openapi::document_at(&servers))?;
/// assert_eq!(document["servers"][0]["url"], "https://api.example.com/v1");
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[must_use]
pub fn document_at(servers: &[ServerUrl]) -> String {
    let document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "leadapi",
            "version": "v1",
            "summary": "Leads, pipelines and client accounts of a business.",
            "description": about(),
            "contact": { "name": "leadapi", "url": env!("CARGO_PKG_REPOSITORY") },
            "license": { "name": "MIT or Apache 2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": servers.iter().map(ServerUrl::describe).collect::<Vec<_>>(),
        // Each operation names its scope. Tools that read only the root level learn from this entry that a token is
        // required.
        "security": [{ "token": [] }],
        "tags": [
            { "name": "Leads", "description": "People who may become customers of a client account." },
            { "name": "Pipelines", "description": "Sequences of stages that leads move through, shared by all \
                client accounts of the business." },
            { "name": "Client accounts", "description": "The client accounts of the business. Each lead belongs to \
                one client account." },
        ],
        "paths": operation::paths(),
        "components": {
            "schemas": schema::all(),
            "parameters": parameter::all(),
            "headers": header::all(),
            "responses": answer::shared(),
            "securitySchemes": { "token": token() },
        },
    });
    order::pretty(&document)
}

fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
}

/// Returns the schema for a string of one or more visible ASCII characters.
fn visible(max_chars: usize) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": max_chars, "pattern": "^[!-~]+$" })
}

fn about() -> String {
    let Limits { reads, writes } = Limits::default();
    format!(
        "A small JSON REST API to read and write leads, and to read pipelines and client accounts. \
        A token gives access only to the client accounts of its own business.\n\n\
        Every error response is an object with a single message, which begins with the name of the invalid part of the \
        request and states the broken rule. \
        The service checks the parts of a request in this order: the path (404), the method (405, with `Allow`), the \
        token (401), the rate limit (429), the scope (403), the query, headers and body (400), and finally the records \
        that the request refers to (404, 403 or 400).\n\n\
        In any 60 seconds, a token may make {reads} read requests and {writes} write requests. \
        HEAD returns the same response as GET without the body, and counts as a read. \
        An unknown or repeated query parameter or body field is rejected with 400."
    )
}

fn token() -> Value {
    json!({
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "pak_…",
        "description": "A token of the business, created by one of its owners or admins. It has the scope `read` \
            (required for all GET requests), `write` (required for all POST, PATCH and DELETE requests), or both. \
            Neither scope includes the other.",
    })
}

//! The API for machines: an OpenAPI 3.1 document, made of the types, the rules and the table of operations.
//!
//! What stands in it is not written a second time where it can be asked for: fields come from the types of
//! [`model`](crate::model), lengths from the rules that refuse what is longer, and paths, scopes and statuses from
//! [`TABLE`](crate::http::TABLE). What is said in words follows the contract.

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
use crate::{http::InvalidPath, memory::Limits};

/// The document for a service whose callers see this before `/leads`, as JSON in several lines.
///
/// The order in it is always the same, so that it can be kept as a file and compared.
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
/// [`InvalidPath`] when no service can be mounted there.
pub fn document(public_path: &str) -> Result<String, InvalidPath> {
    Ok(document_at(&[ServerUrl::path(public_path)?]))
}

/// The document for a service that callers reach at these URLs, the preferred one first.
///
/// Generated clients, Postman and reference pages call the first, so it should be absolute in a document that leaves
/// the server.
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
        // Each operation names its scope; tools that read only the root learn from here that a token is needed.
        "security": [{ "token": [] }],
        "tags": [
            { "name": "Leads", "description": "People who may become customers of a client account." },
            { "name": "Pipelines", "description": "The ways that leads go, stage by stage; for all client accounts of the business." },
            { "name": "Client accounts", "description": "The accounts of the business that leads belong to." },
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

/// Sets a member of an object.
fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
}

fn about() -> String {
    let Limits { reads, writes } = Limits::default();
    format!(
        "A small JSON REST API to read and write leads, and to read pipelines and client accounts. \
        A token sees the client accounts of its own business and nothing else.\n\n\
        Every error is an object with one message, which begins with what is at fault and says the rule that was broken. \
        Before all else a path that is not listed is answered with 404 and a method that its path does not have with 405 and \
        `Allow`; then come the token (401), the rate limit (429), the scope (403), the query, headers and body (400), and \
        at last the records that the request names (404, 403 and 400).\n\n\
        In any 60 seconds a token may read {reads} times and write {writes} times. \
        HEAD is answered as GET is, without the body, and counts as a read. \
        A query parameter or field that is not listed, or is given twice, is 400."
    )
}

fn token() -> Value {
    json!({
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "pak_…",
        "description": "A token of the business, made by an owner or an admin of it. It has the scope `read`, which \
            all GET requests need, or `write`, which all POST, PATCH and DELETE requests need, or both; neither \
            includes the other.",
    })
}

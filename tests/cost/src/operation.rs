//! The operations to measure.

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Full;
use leadapi_core::dataset::BusinessSeed;

/// The operations of the API, and two kinds of requests that the service rejects before they reach an operation.
pub const OPERATIONS: [Operation; 11] = [
    Operation { name: "unknown path", status: StatusCode::NOT_FOUND, path: |_, _| "/nowhere".into(), ..LIST },
    Operation { name: "unknown token", status: StatusCode::UNAUTHORIZED, token: Some(UNKNOWN), ..LIST },
    Operation { name: "GET one", path: first, ..LIST },
    LIST,
    Operation { name: "new list of 50", path: not_seen, ..LIST },
    Operation { name: "list of a client", path: |_, its| format!("/leads?client_id={}", its.clients[0].id), ..LIST },
    Operation { name: "pipelines", path: |_, _| "/pipelines".into(), ..LIST },
    Operation { name: "clients", path: |_, _| "/clients".into(), ..LIST },
    Operation { name: "POST create", method: "POST", status: StatusCode::CREATED, body: new, ..LIST },
    Operation { name: "PATCH one", method: "PATCH", path: first, body: change, ..LIST },
    Operation { name: "DELETE one", method: "DELETE", status: StatusCode::NO_CONTENT, path: each, ..LIST },
];

const LIST: Operation = Operation {
    name: "list of 50",
    method: "GET",
    status: StatusCode::OK,
    token: None,
    path: |_, _| "/leads".into(),
    body: |_, _| String::new(),
};

/// A token with a valid checksum that is not in the token store.
const UNKNOWN: &str = "pak_00000000000000000000000000000000000000000002OZByn";

/// A request that the measurement repeats.
#[derive(Debug)]
pub struct Operation {
    /// The name shown in the output.
    pub name: &'static str,
    method: &'static str,
    pub(crate) status: StatusCode,
    /// The token to send instead of the business's token.
    token: Option<&'static str>,
    path: Text,
    body: Text,
}

/// Builds a part of the nth request to a business.
type Text = fn(usize, &BusinessSeed) -> String;

impl Operation {
    pub(crate) fn request(&self, nth: usize, business: &BusinessSeed, token: &str) -> Request<Full<Bytes>> {
        let token = self.token.unwrap_or(token);
        Request::builder()
            .method(self.method)
            .uri((self.path)(nth, business))
            .header("authorization", format!("Bearer {token}"))
            .body((self.body)(nth, business).into())
            .unwrap()
    }
}

fn first(_: usize, business: &BusinessSeed) -> String {
    each(0, business)
}

fn each(nth: usize, business: &BusinessSeed) -> String {
    format!("/leads/{}", business.leads[nth].id)
}

/// Returns the path of a page that no recent request has read, so the response cannot come from a cache.
fn not_seen(nth: usize, business: &BusinessSeed) -> String {
    format!("/leads?offset={}", nth % (business.leads.len() - 49))
}

fn new(_: usize, business: &BusinessSeed) -> String {
    let client = &business.clients[0].id;
    format!(r#"{{"client_id":"{client}","name":"Ada Lovelace","email":"ada@example.org","value":450}}"#)
}

fn change(nth: usize, _: &BusinessSeed) -> String {
    format!(r#"{{"value":{},"notes":"called"}}"#, 1000 + nth)
}

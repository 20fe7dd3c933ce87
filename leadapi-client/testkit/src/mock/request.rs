//! A received request, parsed for matching against stubs.

use std::fmt;

use bytes::Bytes;
use http::{Method, Request};
use leadapi_core::{
    auth::BearerToken,
    http::{Endpoint, TABLE, header::IDEMPOTENCY_KEY},
};
use percent_encoding::percent_decode_str;

use crate::serve::BASE;

/// The maximum number of characters of a body in messages.
const MAX_BODY_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct ReceivedRequest {
    pub(super) method: Method,
    path: String,
    query: Option<String>,
    /// The operation that the request calls, and the value of `{id}` in its path.
    pub(super) endpoint: Option<(&'static Endpoint, String)>,
    pub(super) key: Option<String>,
    pub(super) token: Option<BearerToken>,
    pub(super) body: Bytes,
}

impl ReceivedRequest {
    pub(super) fn new(request: Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let key = head.headers.get(IDEMPOTENCY_KEY);
        Self {
            endpoint: endpoint(&head.method, &path),
            path,
            query: head.uri.query().map(str::to_owned),
            method: head.method,
            key: key.map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned()),
            token: BearerToken::from_headers(&head.headers).ok(),
            body,
        }
    }

    /// Returns the method, path and query.
    pub(super) fn line(&self) -> String {
        let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{} {}{query}", self.method, self.path)
    }

    /// Returns the first value of a query parameter, if present.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = self.query.as_deref().unwrap_or_default().split('&');
        pairs.find_map(|pair| {
            let (found, value) = pair.split_once('=')?;
            (decode(found) == name).then(|| decode(value))
        })
    }
}

/// Formats the request with its body, but without its token.
impl fmt::Display for ReceivedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        if self.body.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&self.body);
        let more = if text.chars().nth(MAX_BODY_CHARS).is_some() { "…" } else { "" };
        write!(f, " {}{more}", text.chars().take(MAX_BODY_CHARS).collect::<String>())
    }
}

fn endpoint(method: &Method, path: &str) -> Option<(&'static Endpoint, String)> {
    let below = path.strip_prefix(BASE)?;
    let mut endpoints = TABLE.iter().filter(|endpoint| endpoint.method == *method);
    endpoints.find_map(|endpoint| match endpoint.path.strip_suffix("{id}") {
        Some(before) => {
            let id = below.strip_prefix(before).filter(|id| !id.is_empty() && !id.contains('/'))?;
            Some((endpoint, percent_decode_str(id).decode_utf8_lossy().into_owned()))
        }
        None => (endpoint.path == below).then(|| (endpoint, String::new())),
    })
}

/// Decodes a form-encoded value, in which `+` is a space.
fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

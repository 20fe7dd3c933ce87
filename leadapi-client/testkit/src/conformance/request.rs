//! Raw requests, valid or invalid.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, header::AUTHORIZATION};
use serde_json::Value;

use super::{
    report::{Stop, Violation},
    response::CheckedResponse,
    sender::Sender,
    target::Role,
};

/// A request under construction.
pub(super) struct TestRequest<'r> {
    sender: &'r Sender<'r>,
    method: &'static str,
    path: String,
    identity: Identity,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Bytes,
    /// The reason to end the check without sending the request: a record that the request needs could not be created.
    stop: Option<Stop>,
}

/// The credentials that the request carries.
enum Identity {
    Role(Role),
    /// A custom `Authorization` header.
    Header(String),
    Nobody,
}

impl<'r> TestRequest<'r> {
    pub(super) fn new(sender: &'r Sender<'r>, method: &'static str, path: impl Into<String>) -> Self {
        let (identity, headers) = (Identity::Role(Role::Both), Vec::new());
        Self { sender, method, path: path.into(), identity, headers, body: Bytes::new(), stop: None }
    }

    pub(super) fn stopped(mut self, stop: Option<Stop>) -> Self {
        self.stop = stop;
        self
    }

    pub(super) fn with_token(mut self, role: Role) -> Self {
        self.identity = Identity::Role(role);
        self
    }

    pub(super) fn without_token(mut self) -> Self {
        self.identity = Identity::Nobody;
        self
    }

    /// Replaces the valid `Authorization` header.
    pub(super) fn authorization(mut self, header: impl Into<String>) -> Self {
        self.identity = Identity::Header(header.into());
        self
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn json(self, body: &Value) -> Self {
        self.text(body.to_string())
    }

    /// Sets a body with the JSON content type. The body may be invalid JSON.
    pub(super) fn text(self, body: impl Into<Bytes>) -> Self {
        self.typed("application/json", body)
    }

    pub(super) fn typed(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        if content_type.is_empty() { self } else { self.header("content-type", content_type) }
    }

    /// Sends the request and expects this status.
    pub(super) async fn expect_status(self, status: u16) -> Result<CheckedResponse, Stop> {
        self.send().await?.has_status(status)
    }

    /// Sends the request. Expects this status, and an error message that starts with the first string in `says` and
    /// contains the other strings.
    pub(super) async fn expect_refusal(self, status: u16, says: &[&str]) -> Result<CheckedResponse, Stop> {
        self.send().await?.has_refusal(status, says)
    }

    /// Sends the request and returns the response, regardless of its status.
    pub(super) async fn send(self) -> Result<CheckedResponse, Stop> {
        if let Some(stop) = self.stop {
            return Err(stop);
        }
        let description = self.describe();
        let request = self.build()?.ok_or_else(|| {
            let expected = "a valid HTTP request".to_owned();
            Stop::Broken(Violation { request: description.clone(), expected, actual: "an invalid request".to_owned() })
        })?;
        let role = if let Identity::Role(role) = self.identity { Some(role) } else { None };
        self.sender.send(request, role, description).await
    }

    /// Describes the request for reports. `Run` masks any token in the description.
    fn describe(&self) -> String {
        let by = match &self.identity {
            Identity::Role(role) => format!("the token {role:?}"),
            Identity::Header(header) => format!("Authorization: {header}"),
            Identity::Nobody => "no token".to_owned(),
        };
        let mut line = format!("{} {} with {by}", self.method, self.path);
        for (name, value) in &self.headers {
            line.extend([", ", *name, ": ", &*String::from_utf8_lossy(value)]);
        }
        if !self.body.is_empty() {
            line.extend([" and ", &*String::from_utf8_lossy(&self.body)]);
        }
        line
    }

    fn build(&self) -> Result<Option<Request<Bytes>>, Stop> {
        let bearer = match &self.identity {
            Identity::Role(role) => Some(format!("Bearer {}", self.sender.token(*role)?.expose())),
            Identity::Header(header) => Some(header.clone()),
            Identity::Nobody => None,
        };
        let Ok(method) = Method::from_bytes(self.method.as_bytes()) else { return Ok(None) };
        let mut request = Request::builder().method(method).uri(self.sender.url(&self.path));
        if let Some(bearer) = bearer {
            let Ok(mut value) = HeaderValue::from_str(&bearer) else { return Ok(None) };
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        for (name, value) in &self.headers {
            request = request.header(HeaderName::from_static(name), value.as_slice());
        }
        Ok(request.body(self.body.clone()).ok())
    }
}

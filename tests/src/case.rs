//! A test case: a requirement of the contract, a request, and the expected response.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request};
use serde_json::Value;

use crate::{Via, secret};

/// The token in the `Authorization` header of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Business A, both scopes.
    Both,
    /// Business A, both scopes, a second token.
    Spare,
    /// Business A, read only.
    Read,
    /// Business A, write only.
    Write,
    /// Business A, expired exactly when the world begins.
    Expired,
    /// Business A, expires one hour after the world begins.
    Expiring,
    /// Business A, revoked.
    Revoked,
    /// Well-formed, but not in the token store.
    Unknown,
    /// Business B, both scopes.
    B,
    /// No `Authorization` header, unless the case adds one.
    None,
}

impl Token {
    /// Every token.
    const ALL: [Self; 9] = [
        Self::Both,
        Self::Spare,
        Self::Read,
        Self::Write,
        Self::Expired,
        Self::Expiring,
        Self::Revoked,
        Self::Unknown,
        Self::B,
    ];

    /// Returns the token in the first `Authorization` header of a request, or [`Token::None`] if it is not a test
    /// token.
    pub(crate) fn of(request: &Request<Bytes>) -> Self {
        let sent = request.headers().get("authorization").map(HeaderValue::as_bytes).unwrap_or_default();
        let sends = |token: &Self| sent.ends_with(token.secret().unwrap().as_bytes());
        Self::ALL.into_iter().find(sends).unwrap_or(Self::None)
    }

    /// Returns the token in plain text, or `None` for [`Token::None`].
    pub fn secret(self) -> Option<String> {
        (self != Self::None).then(|| secret(&format!("{self:?}")))
    }
}

/// A request and its expected response. The name of the case begins with the section of the contract that it tests.
#[derive(Debug, Clone)]
#[must_use]
pub struct Case {
    /// The requirement of the contract that the case checks.
    pub name: String,
    method: Method,
    path: String,
    absolute: bool,
    except: Option<(Via, &'static str)>,
    token: Token,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
    pub(crate) expected: Expected,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) status: u16,
    pub(crate) begins: Option<String>,
    pub(crate) says: Vec<String>,
    pub(crate) silent: Vec<String>,
    pub(crate) headers: Vec<(&'static str, Option<String>)>,
    pub(crate) body: Option<Value>,
    pub(crate) at: Vec<(String, Value)>,
    pub(crate) raw: Vec<String>,
}

/// Creates a case with any method. The path is relative to the base path.
pub fn request(name: impl Into<String>, method: &str, path: impl Into<String>) -> Case {
    Case {
        name: name.into(),
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        path: path.into(),
        absolute: false,
        except: None,
        token: Token::Both,
        headers: Vec::new(),
        body: Bytes::new(),
        expected: Expected { status: 200, ..Expected::default() },
    }
}

/// Creates a case with a GET. The runner also sends a HEAD for the same path.
pub fn get(name: impl Into<String>, path: impl Into<String>) -> Case {
    request(name, "GET", path)
}

/// Creates a case with a HEAD.
pub fn head(name: impl Into<String>, path: impl Into<String>) -> Case {
    request(name, "HEAD", path)
}

/// Creates a case with a POST to `/leads`.
pub fn post(name: impl Into<String>, body: Value) -> Case {
    request(name, "POST", "/leads").json(body).is(201)
}

/// Creates a case with a PATCH of this lead.
pub fn patch(name: impl Into<String>, id: &str, body: Value) -> Case {
    request(name, "PATCH", format!("/leads/{id}")).json(body)
}

/// Creates a case with a DELETE of this lead.
pub fn delete(name: impl Into<String>, id: &str) -> Case {
    request(name, "DELETE", format!("/leads/{id}")).is(204)
}

/// Methods that change the request.
impl Case {
    /// Sends this token instead of [`Token::Both`].
    pub fn token(mut self, token: Token) -> Self {
        self.token = token;
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((HeaderName::from_static(name), HeaderValue::from_bytes(value.as_ref()).unwrap()));
        self
    }

    /// Sets a JSON body and `Content-Type: application/json`.
    pub fn json(self, body: Value) -> Self {
        self.text(body.to_string())
    }

    /// Sets a body that may be invalid JSON, and `Content-Type: application/json`.
    pub fn text(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.headers.retain(|(name, _)| name != http::header::CONTENT_TYPE);
        self.header("content-type", "application/json")
    }

    /// Replaces or removes the `Content-Type` header.
    pub fn content_type(mut self, value: Option<&str>) -> Self {
        self.headers.retain(|(name, _)| name != http::header::CONTENT_TYPE);
        match value {
            Some(value) => self.header("content-type", value),
            None => self,
        }
    }

    /// Sends the request target in absolute form (RFC 9112, 3.2.2).
    pub fn absolute(mut self) -> Self {
        self.absolute = true;
        self
    }

    /// Skips this case on the given transport. The reason serves only as documentation.
    pub fn except(mut self, via: Via, reason: &'static str) -> Self {
        self.except = Some((via, reason));
        self
    }

    pub(crate) fn goes(&self, via: Via) -> bool {
        self.except.is_none_or(|(except, _)| except != via)
    }

    pub(crate) fn to_request(&self, base: &str) -> Request<Bytes> {
        let authority = if self.absolute { "http://leads.example" } else { "" };
        let mut request = Request::builder().method(self.method.clone()).uri(format!("{authority}{base}{}", self.path));
        if let Some(secret) = self.token.secret() {
            request = request.header("authorization", format!("Bearer {secret}"));
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(self.body.clone()).unwrap()
    }
}

/// Methods that set the expected response. In expected strings, `{public}` stands for the public base path.
impl Case {
    /// Expects this status instead of the operation's success status.
    pub fn is(mut self, status: u16) -> Self {
        self.expected.status = status;
        self
    }

    /// Expects the error message to begin with this wire name of the field or parameter at fault.
    pub fn blames(mut self, name: &str) -> Self {
        self.expected.begins = Some(name.into());
        self
    }

    /// Expects the error message to contain this text.
    pub fn says(mut self, text: impl Into<String>) -> Self {
        self.expected.says.push(text.into());
        self
    }

    /// Expects the body not to contain this text.
    pub fn silent_on(mut self, text: impl Into<String>) -> Self {
        self.expected.silent.push(text.into());
        self
    }

    /// Expects this header with exactly this value.
    pub fn has(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.expected.headers.push((name, Some(value.into())));
        self
    }

    /// Expects this header to be absent.
    pub fn lacks(mut self, name: &'static str) -> Self {
        self.expected.headers.push((name, None));
        self
    }

    /// Expects exactly this JSON body.
    pub fn body(mut self, body: Value) -> Self {
        self.expected.body = Some(body);
        self
    }

    /// Expects this value at this JSON pointer (RFC 6901).
    pub fn at(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        self.expected.at.push((pointer.into(), value.into()));
        self
    }

    /// Expects the raw bytes of the body to contain this text.
    pub fn raw(mut self, text: impl Into<String>) -> Self {
        self.expected.raw.push(text.into());
        self
    }
}

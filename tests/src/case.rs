//! A case: a sentence of the contract, a request, and what must come back.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request};
use serde_json::Value;

use crate::{Answer, Via, secret};

/// What the `Authorization` header holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Business A, both scopes.
    Both,
    /// Business A, both scopes, another token.
    Spare,
    /// Business A, read only.
    Read,
    /// Business A, write only.
    Write,
    /// Business A, expired at the very moment at which the world begins.
    Expired,
    /// Business A, expires an hour after the world begins.
    Expiring,
    /// Business A, revoked.
    Revoked,
    /// Well-formed, and nobody's.
    Unknown,
    /// Business B, both scopes.
    B,
    /// No header; a case may add one of its own.
    None,
}

impl Token {
    /// The token in clear.
    pub fn secret(self) -> Option<String> {
        (self != Self::None).then(|| secret(&format!("{self:?}")))
    }
}

/// A request and what must come back; its name begins with the section of the contract.
#[derive(Debug, Clone)]
#[must_use]
pub struct Case {
    /// The sentence of the contract.
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

/// A request of any method; the path is below the base path.
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

/// A GET; the runner sends a HEAD after it.
pub fn get(name: impl Into<String>, path: impl Into<String>) -> Case {
    request(name, "GET", path)
}

/// A HEAD.
pub fn head(name: impl Into<String>, path: impl Into<String>) -> Case {
    request(name, "HEAD", path)
}

/// A POST to `/leads`.
pub fn post(name: impl Into<String>, body: Value) -> Case {
    request(name, "POST", "/leads").json(body).is(201)
}

/// A PATCH of this lead.
pub fn patch(name: impl Into<String>, id: &str, body: Value) -> Case {
    request(name, "PATCH", format!("/leads/{id}")).json(body)
}

/// A DELETE of this lead.
pub fn delete(name: impl Into<String>, id: &str) -> Case {
    request(name, "DELETE", format!("/leads/{id}")).is(204)
}

/// The request.
impl Case {
    /// Another token than [`Token::Both`].
    pub fn token(mut self, token: Token) -> Self {
        self.token = token;
        self
    }

    /// One more header.
    pub fn header(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((HeaderName::from_static(name), HeaderValue::from_bytes(value.as_ref()).unwrap()));
        self
    }

    /// A JSON body, and the header that says so.
    pub fn json(self, body: Value) -> Self {
        self.text(body.to_string())
    }

    /// A body that claims to be JSON.
    pub fn text(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.headers.retain(|(name, _)| name != http::header::CONTENT_TYPE);
        self.header("content-type", "application/json")
    }

    /// Another `Content-Type`, or none.
    pub fn content_type(mut self, value: Option<&str>) -> Self {
        self.headers.retain(|(name, _)| name != http::header::CONTENT_TYPE);
        match value {
            Some(value) => self.header("content-type", value),
            None => self,
        }
    }

    /// The request line holds a whole URI (RFC 9112, 3.2.2).
    pub fn absolute(mut self) -> Self {
        self.absolute = true;
        self
    }

    /// Not over this transport, and why.
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

    pub(crate) fn is_get(&self) -> bool {
        self.method == Method::GET
    }

    pub(crate) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    /// Whether something may have been written when this came back.
    pub(crate) fn may_write(&self, answer: &Answer) -> bool {
        answer.status.is_success() && !self.is_get() && !self.is_head()
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn sent(&self) -> &Bytes {
        &self.body
    }

    pub(crate) fn of_token(&self) -> Token {
        self.token
    }

    pub(crate) fn as_head(&self) -> Self {
        Self { method: Method::HEAD, ..self.clone() }
    }
}

/// What must come back. In texts, `{public}` stands for what callers see before `/leads`.
impl Case {
    /// This status; without it, that of the operation's success.
    pub fn is(mut self, status: u16) -> Self {
        self.expected.status = status;
        self
    }

    /// The error's message begins with this: the wire name of what is at fault.
    pub fn blames(mut self, name: &str) -> Self {
        self.expected.begins = Some(name.into());
        self
    }

    /// The error's message holds this.
    pub fn says(mut self, text: impl Into<String>) -> Self {
        self.expected.says.push(text.into());
        self
    }

    /// The body does not hold this.
    pub fn silent_on(mut self, text: impl Into<String>) -> Self {
        self.expected.silent.push(text.into());
        self
    }

    /// This header, exactly.
    pub fn has(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.expected.headers.push((name, Some(value.into())));
        self
    }

    /// Not this header.
    pub fn lacks(mut self, name: &'static str) -> Self {
        self.expected.headers.push((name, None));
        self
    }

    /// This body and nothing else.
    pub fn body(mut self, body: Value) -> Self {
        self.expected.body = Some(body);
        self
    }

    /// This value at this place (RFC 6901).
    pub fn at(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        self.expected.at.push((pointer.into(), value.into()));
        self
    }

    /// The bytes of the body hold this.
    pub fn raw(mut self, text: impl Into<String>) -> Self {
        self.expected.raw.push(text.into());
        self
    }
}

//! A stub's answer and its label in reports.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};

use crate::serve::{
    Cut, Reply,
    error_response::{self, respond},
};

/// The reason for a 403 response (contract 5.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forbidden {
    /// The token lacks the scope that the operation requires.
    Scope,
    /// The client account does not belong to the token's business.
    Client,
}

/// An answer and its label in reports.
#[derive(Debug, Clone)]
pub(super) struct StubAnswer {
    pub(super) reply: Reply,
    pub(super) label: String,
}

impl StubAnswer {
    /// Creates an answer that is labeled with its status.
    pub(super) fn plain(response: Response<Bytes>) -> Self {
        let label = response.status().as_u16().to_string();
        Self { reply: response.into(), label }
    }

    /// Creates an answer that closes the connection without a response.
    pub(super) fn cut() -> Self {
        let reply = Reply { cut: Some(Cut::Whole), ..Response::new(Bytes::new()).into() };
        Self { reply, label: "a closed connection".to_owned() }
    }

    /// Creates an answer with the operation's success status and an HTML page, as a proxy might send.
    pub(super) fn not_json(success: StatusCode) -> Self {
        let response = body(success, "<html><body>Please sign in</body></html>");
        Self { label: format!("{} without JSON", success.as_u16()), reply: response.into() }
    }

    /// Creates an answer with any status and body.
    pub(super) fn raw(status: StatusCode, text: &str) -> Self {
        Self::plain(body(status, text))
    }

    /// Returns whether the answer applies regardless of the token of a request, and without one.
    pub(super) fn is_for_any_token(&self) -> bool {
        self.reply.response.status() == StatusCode::UNAUTHORIZED
    }
}

/// Builds a response whose content type (JSON, HTML or text) is detected from the body.
fn body(status: StatusCode, text: &str) -> Response<Bytes> {
    let kind = if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        error_response::JSON
    } else if text.starts_with('<') {
        HeaderValue::from_static("text/html")
    } else {
        HeaderValue::from_static("text/plain; charset=utf-8")
    };
    let mut response = respond(status, Bytes::copy_from_slice(text.as_bytes()));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

//! What a stub answers, and what it is called where it is told of.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};

use crate::testkit::serve::{
    Cut, Reply,
    refusal::{self, respond},
};

/// Why a request is forbidden (contract 5.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forbidden {
    /// The token lacks the scope that the operation asks for.
    Scope,
    /// The client account is not one of the business.
    Client,
}

/// An answer, and its name.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) says: String,
}

impl Answer {
    /// An answer that is named by its status.
    pub(super) fn plain(response: Response<Bytes>) -> Self {
        let says = response.status().as_u16().to_string();
        Self { reply: response.into(), says }
    }

    /// Nothing at all.
    pub(super) fn cut() -> Self {
        let reply = Reply { cut: Some(Cut::Whole), ..Response::new(Bytes::new()).into() };
        Self { reply, says: "a cut connection".to_owned() }
    }

    /// The success of an operation by its status, but with the page of something in between.
    pub(super) fn not_json(success: StatusCode) -> Self {
        let response = body(success, "<html><body>Please sign in</body></html>");
        Self { says: format!("{} without JSON", success.as_u16()), reply: response.into() }
    }

    /// Whatever the test wants.
    pub(super) fn raw(status: StatusCode, text: &str) -> Self {
        Self::plain(body(status, text))
    }

    /// Whether a token of whatever kind may be answered so.
    pub(super) fn is_for_any_token(&self) -> bool {
        self.reply.response.status() == StatusCode::UNAUTHORIZED
    }
}

/// A body that says what it is: JSON, HTML or text.
fn body(status: StatusCode, text: &str) -> Response<Bytes> {
    let kind = if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        refusal::JSON
    } else if text.starts_with('<') {
        HeaderValue::from_static("text/html")
    } else {
        HeaderValue::from_static("text/plain; charset=utf-8")
    };
    let mut response = respond(status, Bytes::copy_from_slice(text.as_bytes()));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

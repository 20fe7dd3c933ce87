//! The error type for all steps of a request (contract 2.4, 7 and D2).

use std::{error::Error, fmt, time::Duration};

use http::{Method, StatusCode};

use crate::{
    BoxError,
    auth::{MalformedToken, Scope},
    port::{InvalidToken, StoreError},
    text::find_token,
    validate::{FieldErrors, InvalidReference},
};

/// The reason why a request failed. The caller receives its message. The cause of an internal error appears only in the
/// log.
///
/// Boxed, because errors are rare and a large error type would slow down successful requests.
#[derive(Debug)]
pub(crate) struct ApiError(Box<Kind>);

#[derive(Debug)]
pub(crate) enum Kind {
    /// Step 1: the path is unknown. `meant` is the documented path that differs only in its slashes, if there is one.
    NoSuchPath { meant: Option<String> },
    /// Step 2: the path does not support the method.
    MethodNotAllowed { method: Method, allow: String },
    /// Step 3: the token is missing or not valid.
    Unauthorized(Unauthorized),
    /// Step 4: the token has reached its rate limit.
    RateLimited { retry_after: Duration },
    /// Step 5: the token lacks the required scope.
    MissingScope(Scope),
    /// Step 6: the query, a header or the body is invalid.
    Invalid(FieldErrors),
    /// Step 7: the lead in the path does not exist.
    NoSuchLead,
    /// Step 7: a reference in the query or the body is invalid.
    InvalidReference(InvalidReference),
    /// Step 7: the idempotency key was used before with a different body.
    KeyReused,
    /// A store, a verifier or a limiter failed, host code panicked, or the response could not be encoded.
    Internal(BoxError),
}

/// The reason why a request is not authenticated (contract 5.7 and D2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unauthorized {
    #[error(transparent)]
    Header(#[from] MalformedToken),
    #[error(transparent)]
    Token(#[from] InvalidToken),
}

impl ApiError {
    pub(crate) const fn kind(&self) -> &Kind {
        &self.0
    }

    /// Returns the status of the response.
    pub(crate) const fn status(&self) -> StatusCode {
        match &*self.0 {
            Kind::NoSuchPath { .. } | Kind::NoSuchLead => StatusCode::NOT_FOUND,
            Kind::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Kind::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Kind::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Kind::MissingScope(_) | Kind::InvalidReference(InvalidReference::Client) => StatusCode::FORBIDDEN,
            Kind::Invalid(_) | Kind::InvalidReference(_) | Kind::KeyReused => StatusCode::BAD_REQUEST,
            Kind::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Rounds a wait up to whole seconds and clamps it to the range 1 to 60 (contract D2).
    pub(crate) fn retry_after_secs(retry_after: Duration) -> u64 {
        retry_after.as_nanos().div_ceil(1_000_000_000).clamp(1, 60).try_into().unwrap_or(60)
    }

    /// Returns the cause of an internal error, for the log. The caller receives only `internal error` (contract D2).
    pub(crate) fn into_cause(self) -> Option<BoxError> {
        match *self.0 {
            Kind::Internal(cause) => Some(cause),
            _ => None,
        }
    }
}

impl From<Kind> for ApiError {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<Unauthorized> for ApiError {
    fn from(reason: Unauthorized) -> Self {
        Kind::Unauthorized(reason).into()
    }
}

impl From<InvalidToken> for ApiError {
    fn from(reason: InvalidToken) -> Self {
        Unauthorized::Token(reason).into()
    }
}

impl From<FieldErrors> for ApiError {
    fn from(errors: FieldErrors) -> Self {
        Kind::Invalid(errors).into()
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unauthorized(reason) => reason.into(),
            error => Kind::Internal(error.into()).into(),
        }
    }
}

/// Converts an error from a verifier, from a limiter or from response encoding, or the message of a panic.
impl From<BoxError> for ApiError {
    fn from(cause: BoxError) -> Self {
        Kind::Internal(cause).into()
    }
}

impl From<InvalidReference> for ApiError {
    fn from(reference: InvalidReference) -> Self {
        Kind::InvalidReference(reference).into()
    }
}

/// Formats the message of the error object.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::NoSuchPath { meant: None } => f.write_str("path: there is no such path"),
            Kind::NoSuchPath { meant: Some(meant) } => {
                write!(f, "path: there is no such path, did you mean {meant}?")
            }
            Kind::MethodNotAllowed { method, allow } => {
                write!(f, "method {} is not allowed on this path, which takes {allow}", shown(method))
            }
            Kind::Unauthorized(reason) => write!(f, "Authorization: {reason}"),
            Kind::RateLimited { retry_after } => {
                write!(f, "rate limit reached, try again in {} s", Self::retry_after_secs(*retry_after))
            }
            Kind::MissingScope(scope) => write!(f, "Authorization: the token lacks the scope {scope}"),
            Kind::Invalid(errors) => errors.fmt(f),
            Kind::NoSuchLead => f.write_str("id: no such lead"),
            Kind::InvalidReference(reference) => reference.fmt(f),
            Kind::KeyReused => f.write_str("Idempotency-Key was used before with another body"),
            Kind::Internal(_) => f.write_str("internal error"),
        }
    }
}

/// Returns the method in a form that is safe to display. A caller can send a method of any length, and may send a token
/// as the method by mistake.
fn shown(method: &Method) -> &str {
    const MAX_CHARS: usize = 16;
    let text = method.as_str();
    // Methods are ASCII, so any byte index is a character boundary.
    if find_token(text.as_bytes()).is_some() { "OTHER" } else { text.get(..MAX_CHARS).unwrap_or(text) }
}

impl Error for ApiError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_and_bounded() {
        for (nanos, secs) in
            [(0, 1), (1, 1), (1_000_000_000, 1), (1_000_000_001, 2), (59_000_000_001, 60), (u64::MAX, 60)]
        {
            assert_eq!(ApiError::retry_after_secs(Duration::from_nanos(nanos)), secs);
        }
    }

    #[test]
    fn a_method_is_shown_short_and_without_a_token() {
        for (method, expected) in [
            ("BREW", "BREW"),
            ("ABCDEFGHIJKLMNOP", "ABCDEFGHIJKLMNOP"),
            ("ABCDEFGHIJKLMNOPQ", "ABCDEFGHIJKLMNOP"),
            ("pak_0123", "OTHER"),
            ("xPAK_0123", "OTHER"),
            ("ABCDEFGHIJKLMNOP-pak_0", "OTHER"),
        ] {
            assert_eq!(shown(&Method::from_bytes(method.as_bytes()).unwrap()), expected);
        }
    }

    #[test]
    fn a_message_never_contains_its_cause() {
        assert_eq!(ApiError::from(BoxError::from("10.0.0.1 refused")).to_string(), "internal error");
    }
}

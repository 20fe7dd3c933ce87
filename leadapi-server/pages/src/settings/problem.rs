//! The reasons why a request gets an error page.

use leadapi_core::{
    error_chain,
    port::{StoreError, TokenRefusal},
    tokens::{SignInError, TokenError},
};

/// The reason why a request gets an error page.
#[derive(Debug)]
pub(super) enum Problem {
    /// The person has no session.
    SignedOut,
    /// The sign-in link is unknown, used or expired.
    InvalidLink,
    /// The person may not manage tokens.
    NotAllowed,
    /// There is no such page, token or session, or the person has no access to the business.
    NotFound,
    /// Another site caused the request, so the request must not start a session.
    FromOtherSite,
    /// The path supports only these methods.
    MethodNotAllowed(&'static str),
    /// The form comes from another site, or its token is missing or belongs to a different session or form.
    Forged,
    /// The request is malformed. The text describes what is wrong.
    BadRequest(&'static str),
    /// The change is not allowed. The text is the reason.
    Refused(String),
    /// There were too many attempts to sign in. The number is the time to wait, in seconds.
    TooManyAttempts(u64),
    /// The business got too many new sessions. The text is the reason.
    TooManySessions(String),
    /// The server could not complete the request, for example because the store failed or the request timed out. The
    /// text is the cause, for the log.
    Failed(String),
}

impl Problem {
    /// Writes the cause of a failure to the log.
    pub(super) fn log(&self) {
        if let Self::Failed(cause) = self {
            tracing::error!(cause, "an API settings request failed");
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Failed(error_chain(&error))
    }
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::NotAllowed(_) | SignInError::NotAMember => Self::NotAllowed,
            SignInError::InvalidLink => Self::InvalidLink,
            SignInError::TooFast => Self::TooManySessions(sentence(&error.to_string())),
            SignInError::Store(error) => error.into(),
            error => Self::Failed(error_chain(&error)),
        }
    }
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Refused(TokenRefusal::NotFound) => Self::NotFound,
            TokenError::Refused(TokenRefusal::NotAllowed) => Self::NotAllowed,
            TokenError::Store(error) => error.into(),
            error @ TokenError::NoRandomness(_) => Self::Failed(error_chain(&error)),
            refused => Self::Refused(sentence(&refused.to_string())),
        }
    }
}

/// Turns an error message into a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

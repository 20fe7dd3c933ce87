//! The responses of the API settings, and their headers.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, RETRY_AFTER, VARY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use http_body_util::Full;
use leadapi_core::port::StoreError;
use maud::Markup;

use super::pages;

pub(super) type Page = Response<Full<Bytes>>;

/// The content security policy: no script, no other host, no frame around the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// The headers of every response. Pages contain secrets and personal data, so nothing may be cached.
const HEADERS: [(HeaderName, &str); 9] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (REFERRER_POLICY, "no-referrer"),
    (VARY, "cookie"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// The reason why a request gets an error page.
#[derive(Debug)]
pub(super) enum Problem {
    /// The person has no session.
    SignedOut,
    /// The sign-in link is unknown, used or expired.
    InvalidLink,
    /// The person may not manage tokens.
    NotAllowed,
    /// There is no such page, or it belongs to another business.
    NotFound,
    /// The path exists, but only with these methods.
    MethodNotAllowed(&'static str),
    /// The form was not sent by a page of this site, or by a page of an earlier session.
    Forged,
    /// The request is malformed. The text says how.
    BadRequest(&'static str),
    /// The change is not allowed. The text is the reason.
    Refused(String),
    /// There were too many attempts to sign in. The number is the seconds to wait.
    TooManyAttempts(u64),
    /// The store or the random number generator failed.
    Failed,
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let cause = crate::error_chain::error_chain(&error);
        tracing::error!(cause, "an API settings request failed");
        Self::Failed
    }
}

impl Problem {
    pub(super) fn into_page(self) -> Page {
        let (status, title, text) = match &self {
            Self::SignedOut => (StatusCode::FORBIDDEN, "Sign in", pages::sign_in::help()),
            Self::InvalidLink => (StatusCode::FORBIDDEN, "This link is not valid", pages::sign_in::invalid_link()),
            Self::NotAllowed => (StatusCode::FORBIDDEN, "Not allowed", pages::sign_in::not_allowed()),
            Self::NotFound => (StatusCode::NOT_FOUND, "Page not found", pages::text("There is no such page.")),
            Self::MethodNotAllowed(_) => {
                (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed", pages::text("This page does not do that."))
            }
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "The form is out of date",
                pages::text("Nothing was changed. Go back, reload the page, and try again."),
            ),
            Self::BadRequest(rule) => (StatusCode::BAD_REQUEST, "The form cannot be read", pages::text(rule)),
            Self::Refused(reason) => (StatusCode::CONFLICT, "Nothing was changed", pages::text(reason)),
            Self::TooManyAttempts(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many attempts",
                pages::text("There were too many attempts to sign in from your address. Try again in a minute."),
            ),
            Self::Failed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong",
                pages::text("The server could not complete the request. Check the list before you try again."),
            ),
        };
        let mut page = html(status, pages::plain(title, &text));
        let header = match self {
            Self::MethodNotAllowed(allow) => Some((ALLOW, HeaderValue::from_static(allow))),
            Self::TooManyAttempts(seconds) => Some((RETRY_AFTER, seconds.into())),
            _ => None,
        };
        page.headers_mut().extend(header);
        page
    }
}

pub(super) fn html(status: StatusCode, markup: Markup) -> Page {
    respond(status, "text/html; charset=utf-8", markup.into_string().into())
}

pub(super) fn respond(status: StatusCode, kind: &'static str, body: Bytes) -> Page {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = HEADERS.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns a redirect to a path that this server has built.
pub(super) fn see_other(path: &str) -> Page {
    let mut response = respond(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Bytes::new());
    response.headers_mut().extend(HeaderValue::try_from(path).ok().map(|path| (LOCATION, path)));
    response
}

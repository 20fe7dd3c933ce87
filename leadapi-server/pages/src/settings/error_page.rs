//! The error pages of the API settings.

use http::{
    HeaderValue, StatusCode,
    header::{ALLOW, RETRY_AFTER},
};

use leadapi_core::port::Session;

use super::{
    pages::{self, sign_in::SignIn},
    problem::Problem,
};
use crate::web::{Page, html};

/// Returns the page for a problem.
pub(super) fn page(problem: &Problem, sign_in: &SignIn) -> Page {
    let (status, title, text) = match problem {
        Problem::SignedOut => (StatusCode::FORBIDDEN, "Sign in", sign_in.help()),
        Problem::InvalidLink => (StatusCode::FORBIDDEN, "This link is not valid", sign_in.invalid_link()),
        Problem::NotAllowed => (StatusCode::FORBIDDEN, "Not allowed", pages::sign_in::not_allowed()),
        Problem::NotFound => (StatusCode::NOT_FOUND, "Page not found", pages::text("There is no such page.")),
        Problem::FromOtherSite => (
            StatusCode::FORBIDDEN,
            "Continue from the start page",
            pages::text("Another site has opened this page. Nothing was shown or changed."),
        ),
        Problem::MethodNotAllowed(_) => (
            StatusCode::METHOD_NOT_ALLOWED,
            "Method not allowed",
            pages::text("This page does not support this method."),
        ),
        Problem::Forged => (
            StatusCode::FORBIDDEN,
            "The form is out of date",
            pages::text("Nothing was changed. Go back, reload the page, and try again."),
        ),
        Problem::BadRequest(rule) => (StatusCode::BAD_REQUEST, "The form cannot be read", pages::text(rule)),
        Problem::Refused(reason) => (StatusCode::CONFLICT, "Nothing was changed", pages::text(reason)),
        Problem::TooManyAttempts(_) => (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many attempts",
            pages::text("There were too many attempts to sign in from your address. Try again in a minute."),
        ),
        Problem::TooManySessions(reason) => (StatusCode::TOO_MANY_REQUESTS, "Too many sign-ins", pages::text(reason)),
        Problem::Failed(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "Something went wrong",
            pages::text("The server could not complete the request. Check the list before you try again."),
        ),
    };
    let mut page = html(status, pages::plain(title, &text));
    let header = match problem {
        Problem::MethodNotAllowed(allow) => Some((ALLOW, HeaderValue::from_static(allow))),
        Problem::TooManyAttempts(seconds) => Some((RETRY_AFTER, (*seconds).into())),
        Problem::TooManySessions(_) => Some((RETRY_AFTER, Session::NEW_INTERVAL.as_secs().into())),
        _ => None,
    };
    page.headers_mut().extend(header);
    page
}

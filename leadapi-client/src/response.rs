//! Interprets a response as the operation's result or an error. It never panics, whatever the body contains.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{
    HeaderMap, Response, StatusCode,
    header::{DATE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE},
};
use leadapi_model::http::{
    Operation,
    header::{IDEMPOTENCY_REPLAYED, X_REQUEST_ID},
};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    error::{Cause, Error, ErrorResponse, InvalidBody, NotFound},
    redact::{MAX_FOREIGN_CHARS, MAX_MESSAGE_CHARS, redact},
    request::Origin,
};

/// The text that the service's 404 for a lead contains (contract D2).
const NO_SUCH_LEAD: &str = "no such lead";

/// The maximum `Retry-After`. Without a maximum, adding the wait to a time could overflow.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The maximum number of characters in a request id (contract D2).
const MAX_REQUEST_ID_CHARS: usize = 128;

/// A response, with the operation and the origin that are needed to interpret it.
#[derive(Debug)]
pub(crate) struct ApiResponse<'a> {
    operation: Operation,
    response: &'a Response<Bytes>,
    origin: &'a Origin,
}

#[derive(Deserialize)]
struct ErrorObject {
    error: String,
}

impl<'a> ApiResponse<'a> {
    pub(crate) const fn new(operation: Operation, response: &'a Response<Bytes>, origin: &'a Origin) -> Self {
        Self { operation, response, origin }
    }

    /// Checks the status. Each operation has exactly one success status.
    pub(crate) fn check_status(&self) -> Result<(), Error> {
        if self.response.status() == self.operation.endpoint().success {
            Ok(())
        } else {
            Err(self.error(self.message(), None))
        }
    }

    /// Returns whether the lead or the operation does not exist, if the response reports either. The lead counts as
    /// nonexistent only if the response is a 404 with the service's error text. Any other 404, a 405 or a redirect
    /// means that the service does not handle the operation at this URL.
    pub(crate) fn not_found(&self) -> Option<NotFound> {
        let status = self.response.status();
        let is_no_such_lead = || {
            let error = serde_json::from_slice(self.response.body());
            self.operation.endpoint().path.contains("{id}")
                && error.is_ok_and(|ErrorObject { error }| error.contains(NO_SUCH_LEAD))
        };
        match status {
            StatusCode::NOT_FOUND if is_no_such_lead() => Some(NotFound::Lead),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Some(NotFound::Operation(self.url())),
            _ if status.is_redirection() => Some(NotFound::Operation(self.url())),
            _ => None,
        }
    }

    /// Returns the URL of the operation, without the lead's id.
    fn url(&self) -> String {
        self.redact(&self.origin.base.join(self.operation.endpoint().path), MAX_MESSAGE_CHARS)
    }

    /// Parses the body as the type that the operation returns. Unknown fields are ignored.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(self.response.body()).map_err(|error| {
            // A lead that cannot be parsed still contains personal data, so no part of the error quotes it.
            let mut reason = without_data(&error);
            if let Some(field) = self.invalid_field::<T>() {
                reason = format!("{field}: {reason}");
            }
            let reason = self.redact(&reason, MAX_FOREIGN_CHARS);
            let first_byte = self.response.body().iter().find(|byte| !byte.is_ascii_whitespace());
            let message = if error.is_data() {
                format!("the body does not match the operation's response type: {reason}")
            } else if matches!(first_byte, Some(b'{' | b'[')) {
                format!("the body is truncated or not JSON: {reason}")
            } else {
                format!("the body is not JSON: {}", self.body_excerpt())
            };
            self.error(message, Some(InvalidBody(reason)))
        })
    }

    /// Returns the path of the field that makes the body invalid. To find the path, parses the body a second time. A
    /// valid body is parsed only once, so it incurs no extra cost.
    fn invalid_field<T: DeserializeOwned>(&self) -> Option<String> {
        let json = &mut serde_json::Deserializer::from_slice(self.response.body());
        let error = serde_path_to_error::deserialize::<_, T>(json).err().filter(|error| error.inner().is_data())?;
        let path = error.path().to_string();
        (path != ".").then_some(path)
    }

    fn error(&self, message: String, invalid_body: Option<InvalidBody>) -> Error {
        let headers = self.response.headers();
        let response = ErrorResponse {
            status: self.response.status(),
            message,
            request_id: request_id(headers).map(|id| self.redact(id, MAX_REQUEST_ID_CHARS)),
            retry_after: retry_after(headers, SystemTime::now),
            lacks_scope: lacks_scope(headers),
            not_found: self.not_found(),
            invalid_body,
        };
        Error::new(self.operation, Cause::Response(response))
    }

    fn message(&self) -> String {
        let status = self.response.status();
        match serde_json::from_slice(self.response.body()) {
            _ if status.is_redirection() => self.refused_redirect(),
            Ok(ErrorObject { error }) => self.redact(&error, MAX_MESSAGE_CHARS),
            Err(_) if status.is_success() => {
                format!("the expected status is {}", self.operation.endpoint().success)
            }
            Err(_) => self.body_excerpt(),
        }
    }

    /// Names the target of a redirect, without its query, which may contain secrets.
    fn refused_redirect(&self) -> String {
        let location = self.response.headers().get(LOCATION).and_then(|target| target.to_str().ok());
        let target = location.and_then(|target| target.split(['?', '#']).next());
        target.filter(|target| !target.is_empty()).map_or_else(
            || "redirects are not followed".to_owned(),
            |target| format!("redirects are not followed; the target is {}", self.redact(target, MAX_FOREIGN_CHARS)),
        )
    }

    fn redact(&self, text: &str, max_chars: usize) -> String {
        redact(text, &self.origin.token, max_chars)
    }

    /// Returns the beginning of a body that does not follow the contract.
    fn body_excerpt(&self) -> String {
        match &**self.response.body() {
            [] => "the body is empty".to_owned(),
            body => self.redact(&String::from_utf8_lossy(body), MAX_FOREIGN_CHARS),
        }
    }
}

/// Same as [`ApiResponse::json`], in the form that a call's `Read` requires.
pub(crate) fn json<T: DeserializeOwned>(response: &ApiResponse<'_>) -> Result<T, Error> {
    response.json()
}

/// Returns serde's message without the unexpected value. The result keeps the position, and the violated rule or the
/// name of the missing or duplicate field.
fn without_data(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The message of a syntax error quotes no data.
    if !error.is_data() {
        return text;
    }
    let position = format!("at line {} column {}", error.line(), error.column());
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        // These messages from serde and the core types contain no value.
        None if ["missing field", "duplicate field", "must be", "an id must be"]
            .iter()
            .any(|start| text.starts_with(start)) =>
        {
            text
        }
        None => format!("not a valid value {position}"),
    }
}

pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(X_REQUEST_ID)?.to_str().ok().filter(|id| !id.is_empty())
}

/// Returns whether the response is a replay of an earlier create (contract D10).
pub(crate) fn is_replayed(headers: &HeaderMap) -> bool {
    headers.get(IDEMPOTENCY_REPLAYED).is_some_and(|value| value == "true")
}

/// Returns whether the token lacks the scope, according to the `WWW-Authenticate` challenge (contract D2).
fn lacks_scope(headers: &HeaderMap) -> bool {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    challenges.into_iter().any(|challenge| challenge.contains(r#"error="insufficient_scope""#))
}

/// Parses `Retry-After`, which is either a whole number of seconds or an HTTP date (RFC 9110, section 10.2.3). Some
/// servers send a decimal number, which is rounded up. A date is compared with the response's `Date` header, if
/// present, because the local clock may be wrong.
fn retry_after(headers: &HeaderMap, now: impl FnOnce() -> SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if [whole, fraction].iter().all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) {
        let additional = u64::from(fraction.bytes().any(|digit| digit != b'0'));
        // A number that is too large to parse counts as the maximum.
        let seconds = whole.parse().map_or(u64::MAX, |seconds: u64| seconds.saturating_add(additional));
        return Some(Duration::from_secs(seconds).min(MAX_WAIT));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let date = headers.get(DATE).and_then(|value| httpdate::parse_http_date(value.to_str().ok()?).ok());
    Some(until.duration_since(date.unwrap_or_else(now)).unwrap_or_default().min(MAX_WAIT))
}

#[cfg(test)]
mod tests;

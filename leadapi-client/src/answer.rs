//! What an answer says: the operation's success, or why there is none. No body can break it.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{
    HeaderMap, Response, StatusCode,
    header::{DATE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use leadapi_core::{
    auth::BearerToken,
    http::{
        Operation,
        header::{IDEMPOTENCY_REPLAYED, X_REQUEST_ID},
    },
};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    error::{BadAnswer, Cause, Error, Unreadable},
    shown::{FOREIGN_CHARS, MESSAGE_CHARS, shown},
};

/// Longer than this nobody waits; beyond some length, adding it to a moment would panic.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The most characters of a request id (contract D2).
const REQUEST_ID_CHARS: usize = 128;

/// An answer to an operation.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    operation: Operation,
    response: &'a Response<Bytes>,
    token: &'a BearerToken,
}

#[derive(Deserialize)]
struct ErrorObject {
    error: String,
}

impl<'a> Answer<'a> {
    pub(crate) const fn new(operation: Operation, response: &'a Response<Bytes>, token: &'a BearerToken) -> Self {
        Self { operation, response, token }
    }

    /// Asks the status: there is one that is the operation's success, and every other one is none.
    pub(crate) fn is_success(&self) -> Result<(), Error> {
        if self.response.status() == self.operation.endpoint().success {
            Ok(())
        } else {
            Err(self.bad(self.message(), None))
        }
    }

    /// Whether the service, and not something between, says that there is no such lead.
    pub(crate) fn says_not_found(&self) -> bool {
        self.response.status() == StatusCode::NOT_FOUND
            && serde_json::from_slice::<ErrorObject>(self.response.body()).is_ok()
    }

    /// The body as the type that the operation answers with; fields that we do not know are passed over.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(self.response.body()).map_err(|error| {
            // A lead that cannot be read is somebody's data none the less, so neither text quotes it.
            let mut reason = without_data(&error);
            if let Some(field) = self.unreadable_field::<T>() {
                reason = format!("{field}: {reason}");
            }
            let reason = shown(&reason, self.token, FOREIGN_CHARS);
            let begins = self.response.body().iter().find(|byte| !byte.is_ascii_whitespace());
            let message = if error.is_data() {
                format!("the body is not what the operation answers: {reason}")
            } else if matches!(begins, Some(b'{' | b'[')) {
                format!("the body breaks off, or is not JSON: {reason}")
            } else {
                format!("the body is not JSON: {}", self.foreign())
            };
            self.bad(message, Some(Unreadable(reason)))
        })
    }

    /// The path of the field that cannot be read. The body is read a second time for it, so that a good one costs nothing.
    fn unreadable_field<T: DeserializeOwned>(&self) -> Option<String> {
        let json = &mut serde_json::Deserializer::from_slice(self.response.body());
        let error = serde_path_to_error::deserialize::<_, T>(json).err().filter(|error| error.inner().is_data())?;
        let path = error.path().to_string();
        (path != ".").then_some(path)
    }

    fn bad(&self, message: String, unreadable: Option<Unreadable>) -> Error {
        let headers = self.response.headers();
        let bad = BadAnswer {
            status: self.response.status(),
            message,
            request_id: request_id(headers).map(|id| shown(id, self.token, REQUEST_ID_CHARS)),
            retry_after: retry_after(headers, SystemTime::now),
            lacks_scope: lacks_scope(headers),
            unreadable,
        };
        Error::new(self.operation, Cause::Answer(bad))
    }

    fn message(&self) -> String {
        let status = self.response.status();
        match serde_json::from_slice(self.response.body()) {
            Ok(ErrorObject { error }) => shown(&error, self.token, MESSAGE_CHARS),
            Err(_) if status.is_redirection() => "redirects are not followed".to_owned(),
            Err(_) if status.is_success() => {
                format!("the operation's success would be {}", self.operation.endpoint().success)
            }
            Err(_) => self.foreign(),
        }
    }

    /// The beginning of a body that is not of the contract.
    fn foreign(&self) -> String {
        match &**self.response.body() {
            [] => "the body is empty".to_owned(),
            body => shown(&String::from_utf8_lossy(body), self.token, FOREIGN_CHARS),
        }
    }
}

/// [`Answer::json`] as the way to read an answer.
pub(crate) fn json<T: DeserializeOwned>(answer: &Answer<'_>) -> Result<T, Error> {
    answer.json()
}

/// What serde says, without the value that it did not expect: the rule, or the field that is missing or given twice, and
/// where.
fn without_data(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // What is wrong with JSON itself is said without any of it.
    if !error.is_data() {
        return text;
    }
    let place = format!("at line {} column {}", error.line(), error.column());
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        // The rules of core's own types begin so, and name no value.
        None if ["missing field", "duplicate field", "must be", "an id must be"]
            .iter()
            .any(|start| text.starts_with(start)) =>
        {
            text
        }
        None => format!("not a valid value {place}"),
    }
}

pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(X_REQUEST_ID)?.to_str().ok().filter(|id| !id.is_empty())
}

/// Whether the service had done it before (contract D10).
pub(crate) fn is_replayed(headers: &HeaderMap) -> bool {
    headers.get(IDEMPOTENCY_REPLAYED).is_some_and(|value| value == "true")
}

/// Whether the service says that it is the token's scopes (contract D2): its challenge does, so that no text need be read.
fn lacks_scope(headers: &HeaderMap) -> bool {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    challenges.into_iter().any(|challenge| challenge.contains(r#"error="insufficient_scope""#))
}

/// Whole seconds or a date (RFC 9110, 10.2.3). A date is measured by the answer's own clock, if it has one: ours may be
/// wrong.
fn retry_after(headers: &HeaderMap, now: impl FnOnce() -> SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // What does not fit is very long.
        return Some(text.parse().map_or(LONGEST_WAIT, Duration::from_secs).min(LONGEST_WAIT));
    }
    let then = httpdate::parse_http_date(text).ok()?;
    let date = headers.get(DATE).and_then(|value| httpdate::parse_http_date(value.to_str().ok()?).ok());
    Some(then.duration_since(date.unwrap_or_else(now)).unwrap_or_default().min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests;

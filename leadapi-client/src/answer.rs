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
mod tests {
    use http::HeaderValue;
    use leadapi_core::model::{Lead, Page};

    use super::*;
    use crate::Outcome;

    fn answer(operation: Operation, status: u16, body: &str) -> Result<Answer<'static>, Error> {
        let token = Box::leak(Box::new(BearerToken::parse("pak_secret").unwrap()));
        let response = Response::builder().status(status).body(Bytes::copy_from_slice(body.as_bytes())).unwrap();
        let answer = Answer::new(operation, Box::leak(Box::new(response)), token);
        answer.is_success().map(|()| answer)
    }

    #[test]
    fn only_the_status_of_the_table_is_success() {
        for (operation, success) in [
            (Operation::ListLeads, 200),
            (Operation::CreateLead, 201),
            (Operation::UpdateLead, 200),
            (Operation::DeleteLead, 204),
        ] {
            for status in 200..=999 {
                assert_eq!(answer(operation, status, "").is_ok(), status == success, "{operation:?} {status}");
            }
        }
        let error = answer(Operation::CreateLead, 200, "{}").unwrap_err();
        assert_eq!(error.to_string(), "POST /leads: 200 OK: the operation's success would be 201 Created");
        assert_eq!(error.outcome(), Outcome::Unknown);
    }

    #[test]
    fn each_status_says_what_may_have_come_of_it() {
        for status in 200..=999 {
            let Err(error) = answer(Operation::CreateLead, status, "") else { continue };
            let refused = (400..500).contains(&status) && status != 408;
            assert_eq!(error.outcome() == Outcome::Refused, refused, "{status}");
            assert_ne!(error.outcome(), Outcome::NotSent);
            assert_eq!(error.is_server_error(), (500..600).contains(&status));
        }
    }

    #[test]
    fn messages_of_all_kinds_of_bodies() {
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(3_000));
        for (status, body, message) in [
            (400, r#"{"error":"name is required"}"#, "name is required"),
            (400, r#"{"error":"a","code":7,"more":{"error":1}}"#, "a"),
            (400, r#"{"error":{"message":"a"}}"#, r#"{"error":{"message":"a"}}"#),
            (400, r#"{"error":"a\nb\u001b[2J"}"#, "a b\u{fffd}[2J"),
            (400, &long, &format!("{}…", "x".repeat(2_000))),
            (502, "<html>\n<h1>Bad Gateway</h1>", "<html> <h1>Bad Gateway</h1>"),
            (502, &"é".repeat(300), &format!("{}…", "é".repeat(200))),
            (500, "", "the body is empty"),
            (500, "[]", "[]"),
            (307, "", "redirects are not followed"),
            (418, "you sent Authorization: Bearer pak_secret", "you sent Authorization: Bearer pak_[token]"),
        ] {
            assert_eq!(answer(Operation::GetLead, status, body).unwrap_err().message(), message);
        }
        let binary = Response::builder().status(500).body(Bytes::from_static(b"\xff\0\xfe")).unwrap();
        let token = BearerToken::parse("pak_secret").unwrap();
        let error = Answer::new(Operation::GetLead, &binary, &token).is_success().unwrap_err();
        assert_eq!(error.message(), "\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_success_that_cannot_be_read() {
        use std::error::Error as _;

        let body = r#"{"data":[{"id":"pak_secret\u001b"}],"total":"pak_secret Bob"}"#;
        let answer = answer(Operation::ListLeads, 200, body).unwrap();
        let error = answer.json::<Page<Lead>>().unwrap_err();
        let (text, reason) = (error.to_string(), error.source().unwrap().to_string());
        assert!(text.starts_with("GET /leads: 200 OK: the body is not what the operation answers: "), "{text}");
        assert!(!text.contains("Bob") && !reason.contains("Bob"), "{text}");
        assert!(reason.contains("line 1 column"), "{reason}");
        assert!(!format!("{text}{reason}{error:?}").contains("pak_secret"));
        assert_eq!(error.outcome(), Outcome::Unknown);
    }

    #[test]
    fn the_field_that_cannot_be_read_is_named() {
        let lead = |id: &str, at: &str, more: &str| {
            format!(r#"{{"id":"{id}","client_id":"c1","name":"Bob","created_at":"{at}"{more}}}"#)
        };
        let at = "2026-05-04T07:58:12.004Z";
        for (lead, reason) in [
            (lead("l2", "yesterday Bob", ""), "data[1].created_at: must be an RFC 3339 timestamp"),
            (lead("", at, ""), "data[1].id: an id must be 1 to 64 visible ASCII characters"),
            (lead("l2", at, r#","name":"Bob""#), "data[1]: duplicate field `name`"),
            (lead("l2", at, r#","email":["Bob"]"#), "data[1].email: expected a string"),
            (lead("l2", at, r#","value":"Bob""#), "data[1].value: expected f64"),
            (r#"{"id":"l2"}"#.to_owned(), "data[1]: missing field `client_id`"),
        ] {
            let first = r#"{"id":"l1","client_id":"c1","name":"Ann","created_at":"2026-05-04T07:58:12.004Z"}"#;
            let body = format!(r#"{{"data":[{first},{lead}],"total":2,"limit":50,"offset":0}}"#);
            let error = answer(Operation::ListLeads, 200, &body).unwrap().json::<Page<Lead>>().unwrap_err();
            let text = error.to_string();
            let start = format!("GET /leads: 200 OK: the body is not what the operation answers: {reason}");
            assert!(text.starts_with(&start), "{text}");
            assert!(text.contains("line 1 column") && !text.contains("Bob"), "{text}");
        }
    }

    #[test]
    fn retry_after_in_seconds_and_as_a_date() {
        let now = httpdate::parse_http_date("Mon, 04 May 2026 12:00:00 GMT").unwrap();
        let read = |value: &'static str, date: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            date.map(|date| headers.insert(DATE, HeaderValue::from_static(date)));
            retry_after(&headers, || now).map(|wait| wait.as_secs())
        };
        assert_eq!(read("17", None), Some(17));
        assert_eq!(read("0", None), Some(0));
        assert_eq!(read("18446744073709551615", None), Some(86_400));
        assert_eq!(read("Mon, 04 May 2099 12:00:30 GMT", None), Some(86_400));
        assert_eq!(read("Mon, 04 May 2026 12:00:30 GMT", None), Some(30));
        assert_eq!(read("Mon, 04 May 2026 12:00:30 GMT", Some("Mon, 04 May 2026 12:00:20 GMT")), Some(10));
        assert_eq!(read("Mon, 04 May 2026 11:00:00 GMT", None), Some(0));
        assert_eq!(read("99999999999999999999", None), Some(86_400));
        for bad in ["", "-1", "1.5", "soon"] {
            assert_eq!(read(bad, None), None, "{bad}");
        }
    }
}

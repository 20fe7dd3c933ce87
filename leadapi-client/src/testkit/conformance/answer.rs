//! A response, and the expectations on it.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde_json::{Value, value::RawValue};

use super::report::{Stop, Violation};

/// A response to one request. Each expectation returns the response, or ends the check.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) asked: String,
    /// The requested path, below the base path and without its query.
    pub(super) path: String,
    pub(super) is_head: bool,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// `null` if the body is not JSON.
    pub(super) json: Value,
}

type Checked = Result<Answer, Stop>;

impl Answer {
    pub(super) fn new(asked: String, path: String, is_head: bool, response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        let json = serde_json::from_slice(&body).unwrap_or_default();
        Self { asked, path, is_head, status: head.status, headers: head.headers, body, json }
    }

    /// Returns the value of a header; several values are joined.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes())).collect();
        (!values.is_empty()).then(|| values.join(" and again "))
    }

    pub(super) fn error(&self) -> &str {
        self.json.get("error").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a text member of the object, or an empty text.
    pub(super) fn text(&self, member: &str) -> &str {
        self.json.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn number(&self, member: &str) -> u64 {
        self.json.get(member).and_then(Value::as_u64).unwrap_or_default()
    }

    /// Returns the records of a list.
    pub(super) fn data(&self) -> &[Value] {
        self.json.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the ids of the records.
    pub(super) fn ids(&self) -> Vec<String> {
        self.data().iter().map(|item| item.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()).collect()
    }

    /// Creates the violation for an unmet expectation.
    pub(super) fn broken(&self, expected: impl Into<String>) -> Violation {
        let mut came = self.status.to_string();
        for (name, value) in &self.headers {
            if !matches!(name.as_str(), "date" | "connection" | "content-length") {
                came.extend([", ", name.as_str(), ": ", &*String::from_utf8_lossy(value.as_bytes())]);
            }
        }
        came.extend([" | ", &*String::from_utf8_lossy(&self.body)]);
        Violation { asked: self.asked.clone(), expected: expected.into(), came }
    }

    /// Succeeds if the condition is true.
    pub(super) fn must(self, is_so: bool, expected: impl Into<String>) -> Checked {
        if is_so { Ok(self) } else { Err(Stop::Broken(self.broken(expected))) }
    }

    pub(super) fn has_status(self, status: u16) -> Checked {
        let is_so = self.status.as_u16() == status;
        self.must(is_so, format!("the status {status}"))
    }

    /// Expects an error message that starts with this.
    pub(super) fn blames(self, what: &str) -> Checked {
        let is_so = self.error().starts_with(what);
        self.must(is_so, format!("a message that begins with {what}"))
    }

    /// Expects an error message that contains this.
    pub(super) fn says(self, what: &str) -> Checked {
        let is_so = self.error().contains(what);
        self.must(is_so, format!("a message that holds {what:?}"))
    }

    pub(super) fn keeps_silent_on(self, what: &str) -> Checked {
        let is_so = !String::from_utf8_lossy(&self.body).contains(what);
        self.must(is_so, format!("no word on {what:?}"))
    }

    pub(super) fn has(self, name: &str, value: &str) -> Checked {
        let is_so = self.header(name).as_deref() == Some(value);
        self.must(is_so, format!("the header {name}: {value}"))
    }

    pub(super) fn lacks(self, name: &str) -> Checked {
        let is_so = !self.headers.contains_key(name);
        self.must(is_so, format!("no header {name}"))
    }

    /// Expects exactly this JSON as the body.
    pub(super) fn is(self, json: &Value) -> Checked {
        let is_so = self.json == *json;
        self.must(is_so, format!("the body {json}"))
    }

    /// Expects that these members of the object have these values.
    pub(super) fn shows(self, members: &Value) -> Checked {
        let members = members.as_object().into_iter().flatten();
        let differs = members.clone().find(|(name, value)| self.json.get(name.as_str()) != Some(*value));
        match differs {
            None => Ok(self),
            Some((name, value)) => Err(Stop::Broken(self.broken(format!("{name} to be {value}")))),
        }
    }

    /// Expects that a member of the object is written exactly like this.
    pub(super) fn writes(self, member: &str, text: &str) -> Checked {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&self.body).unwrap_or_default();
        let is_so = members.get(member).is_some_and(|raw| raw.get() == text);
        self.must(is_so, format!("{member} to be written as {text}"))
    }

    /// Expects the same status, body and contract-defined headers as in the other response, byte for byte.
    pub(super) fn equals(self, other: &Self) -> Checked {
        const DECIDED: [&str; 8] = [
            "allow",
            "cache-control",
            "content-type",
            "idempotency-replayed",
            "location",
            "retry-after",
            "www-authenticate",
            "x-content-type-options",
        ];
        let same_headers = DECIDED.iter().all(|name| self.header(name) == other.header(name));
        let is_so = self.status == other.status && self.body == other.body && same_headers;
        let expected = format!("the same as of {}: {}", other.asked, other.broken("").came);
        self.must(is_so, expected)
    }
}

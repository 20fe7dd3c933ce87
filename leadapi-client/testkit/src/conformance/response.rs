//! A response, and the methods that check it.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde_json::{Value, value::RawValue};

use super::report::{Stop, Violation};

/// A response to check. Each checking method returns the response, or ends the check with a violation.
#[derive(Debug, Clone)]
pub(super) struct CheckedResponse {
    pub(super) request: String,
    /// The requested path, relative to the base path and without the query.
    pub(super) path: String,
    pub(super) is_head: bool,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// `null` if the body is not JSON.
    pub(super) json: Value,
}

type Expectation = Result<CheckedResponse, Stop>;

impl CheckedResponse {
    pub(super) fn new(request: String, path: String, is_head: bool, response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        let json = serde_json::from_slice(&body).unwrap_or_default();
        Self { request, path, is_head, status: head.status, headers: head.headers, body, json }
    }

    /// Returns the value of a header. Repeated headers are joined.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes())).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    pub(super) fn error(&self) -> &str {
        self.json.get("error").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a string member of the object, or an empty string if the object has no such member.
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

    pub(super) fn ids(&self) -> Vec<String> {
        self.data().iter().map(|item| item.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()).collect()
    }

    /// Creates the violation for an unmet expectation.
    pub(super) fn violation(&self, expected: impl Into<String>) -> Violation {
        let mut actual = self.status.to_string();
        for (name, value) in &self.headers {
            if !matches!(name.as_str(), "date" | "connection" | "content-length") {
                actual.extend([", ", name.as_str(), ": ", &*String::from_utf8_lossy(value.as_bytes())]);
            }
        }
        actual.extend([" | ", &*String::from_utf8_lossy(&self.body)]);
        Violation { request: self.request.clone(), expected: expected.into(), actual }
    }

    /// Returns the response if the condition holds. Otherwise reports a violation.
    pub(super) fn ensure(self, holds: bool, expected: impl Into<String>) -> Expectation {
        if holds { Ok(self) } else { Err(Stop::Broken(self.violation(expected))) }
    }

    pub(super) fn has_status(self, status: u16) -> Expectation {
        let holds = self.status.as_u16() == status;
        self.ensure(holds, format!("the status {status}"))
    }

    /// Expects the error message to start with `what`.
    pub(super) fn error_starts_with(self, what: &str) -> Expectation {
        let holds = self.error().starts_with(what);
        self.ensure(holds, format!("a message that starts with {what}"))
    }

    /// Expects the error message to contain `what`.
    pub(super) fn error_contains(self, what: &str) -> Expectation {
        let holds = self.error().contains(what);
        self.ensure(holds, format!("a message that contains {what:?}"))
    }

    /// Expects this status, and an error message that starts with the first string in `says` and contains the other
    /// strings.
    pub(super) fn has_refusal(self, status: u16, says: &[&str]) -> Expectation {
        let (start, others) = says.split_first().unwrap_or((&"", &[]));
        let response = self.has_status(status)?.error_starts_with(start)?;
        others.iter().try_fold(response, |response, text| response.error_contains(text))
    }

    /// Expects the error message to report a problem that starts with `field` and contains `text`.
    pub(super) fn has_problem(self, field: &str, text: &str) -> Expectation {
        let mut problems = self.error().split("; ");
        let holds = problems.any(|problem| problem.starts_with(field) && problem.contains(text));
        self.ensure(holds, format!("a problem that starts with {field} and contains {text:?}"))
    }

    pub(super) fn body_omits(self, what: &str) -> Expectation {
        let holds = !String::from_utf8_lossy(&self.body).contains(what);
        self.ensure(holds, format!("no {what:?} in the body"))
    }

    pub(super) fn has_header(self, name: &str, value: &str) -> Expectation {
        let holds = self.header(name).as_deref() == Some(value);
        self.ensure(holds, format!("the header {name}: {value}"))
    }

    pub(super) fn lacks_header(self, name: &str) -> Expectation {
        let holds = !self.headers.contains_key(name);
        self.ensure(holds, format!("no header {name}"))
    }

    /// Expects exactly this JSON as the body.
    pub(super) fn has_json(self, json: &Value) -> Expectation {
        let holds = self.json == *json;
        self.ensure(holds, format!("the body {json}"))
    }

    /// Expects the object to have these members with these values.
    pub(super) fn has_members(self, members: &Value) -> Expectation {
        let members = members.as_object().into_iter().flatten();
        let differs = members.clone().find(|(name, value)| self.json.get(name.as_str()) != Some(*value));
        match differs {
            None => Ok(self),
            Some((name, value)) => Err(Stop::Broken(self.violation(format!("{name} to be {value}")))),
        }
    }

    /// Expects the raw JSON of a member to be exactly `text`.
    pub(super) fn has_raw_member(self, member: &str, text: &str) -> Expectation {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&self.body).unwrap_or_default();
        let holds = members.get(member).is_some_and(|raw| raw.get() == text);
        self.ensure(holds, format!("{member} to be written as {text}"))
    }

    /// Expects the same status, body and contract-defined headers as the other response, byte for byte.
    pub(super) fn equals(self, other: &Self) -> Expectation {
        const COMPARED: [&str; 8] = [
            "allow",
            "cache-control",
            "content-type",
            "idempotency-replayed",
            "location",
            "retry-after",
            "www-authenticate",
            "x-content-type-options",
        ];
        let same_headers = COMPARED.iter().all(|name| self.header(name) == other.header(name));
        let holds = self.status == other.status && self.body == other.body && same_headers;
        let expected = format!("the same response as to {}: {}", other.request, other.violation("").actual);
        self.ensure(holds, expected)
    }
}

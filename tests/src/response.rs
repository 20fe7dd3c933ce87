//! The response to a test request.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde_json::Value;

/// A response whose body has been read to the end.
#[derive(Debug, Clone)]
pub struct TestResponse {
    /// The response status.
    pub status: StatusCode,
    /// The response headers.
    pub headers: HeaderMap,
    /// The complete body.
    pub body: Bytes,
}

impl From<Response<Bytes>> for TestResponse {
    fn from(response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status, headers: head.headers, body }
    }
}

impl TestResponse {
    /// Returns the body as JSON, or `null` if it is not valid JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the message of the error object, or an empty string if the body is not an error object.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the value of a header. Joins repeated values with ` AND AGAIN `, so they never equal a single value.
    pub fn header(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes())).collect();
        (!values.is_empty()).then(|| values.join(" AND AGAIN "))
    }

    /// Returns the id of the lead in the body.
    pub fn id(&self) -> String {
        self.json()["id"].as_str().expect("a lead").to_owned()
    }

    /// Returns the ids of the records in the list envelope.
    pub fn ids(&self) -> Vec<String> {
        let data = self.json()["data"].as_array().expect("a list").clone();
        data.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns everything that the service controls: the status, the sorted headers and the body. Omits `Date` and
    /// `Content-Length`, which the HTTP library may add.
    pub fn bytes(&self) -> String {
        let mut headers: Vec<String> = self
            .headers
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "date" | "content-length"))
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
            .collect();
        headers.sort();
        format!("{}\n{}\n\n{}", self.status, headers.join("\n"), self.text())
    }
}

//! What came back.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde_json::Value;

/// An answer whose body has been read.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl From<Response<Bytes>> for Answer {
    fn from(response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status, headers: head.headers, body }
    }
}

impl Answer {
    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The message of the error object; empty when there is none.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// The one value of a header, or what is odd about it.
    pub fn header(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes())).collect();
        (!values.is_empty()).then(|| values.join(" AND AGAIN "))
    }

    /// The id of the lead that it holds.
    pub fn id(&self) -> String {
        self.json()["id"].as_str().expect("a lead").to_owned()
    }

    /// The ids of the records that it lists.
    pub fn ids(&self) -> Vec<String> {
        let data = self.json()["data"].as_array().expect("a list").clone();
        data.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Everything that the service decides: status, headers in order, body. What HTTP adds on the way is left out.
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

//! Helpers for raw requests and raw responses.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpStream,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use leadapi_client::auth::BearerToken;
use leadapi_core::http::LeadService;
use tower_service::Service;

/// A handwritten request.
#[derive(Debug, Clone)]
pub(crate) struct RawRequest {
    pub(crate) line: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

/// A response without the headers that a server adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl RawRequest {
    /// Creates a request from a line such as `GET /v1/leads`, without a token.
    pub(crate) fn new(line: &'static str) -> Self {
        Self { line, headers: Vec::new(), body: String::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn by(self, token: &BearerToken) -> Self {
        self.with("authorization", format!("Bearer {}", token.expose()))
    }

    pub(crate) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends the request over a new connection. Returns the response once the server closes the connection.
    pub(crate) fn send(&self, url: &str) -> RawResponse {
        let bytes = self.bytes(url);
        let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers: BTreeMap<String, String> =
            lines.map(|line| line.split_once(": ").unwrap()).map(|(name, value)| (name.into(), value.into())).collect();
        assert!(headers.remove("date").is_some());
        headers.remove("connection");
        let length = headers.remove("content-length").map(|length| length.parse::<usize>().unwrap());
        if self.line.starts_with("HEAD ") {
            headers.extend(length.map(|length| ("content-length".to_owned(), length.to_string())));
        } else {
            assert_eq!(length.unwrap_or(0), body.len());
        }
        RawResponse { status, headers, body: body.to_owned() }
    }

    /// Sends the request and returns all bytes received until the server closes the connection.
    pub(crate) fn bytes(&self, url: &str) -> String {
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/v1")).unwrap();
        let mut socket = TcpStream::connect(address).unwrap();
        let headers: Vec<String> = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        let length =
            if self.body.is_empty() { String::new() } else { format!("content-length: {}\r\n", self.body.len()) };
        let head = format!("{} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{headers}{length}\r\n", self.line);
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(self.body.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Calls the service directly.
    pub(crate) async fn call(&self, service: &LeadService) -> RawResponse {
        let (method, path) = self.line.split_once(' ').unwrap();
        let mut request = http::Request::builder().method(method).uri(path);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(self.body.clone()))).unwrap();
        let response = service.clone().call(request).await.unwrap();
        let (head, body) = response.into_parts();
        let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
        RawResponse {
            status: head.status.as_u16(),
            headers: head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            body: String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap(),
        }
    }
}

//! Generates test requests from lists of malformed or unusual elements.

mod chunks;
mod content_length;
mod heads;
mod transfer_encoding;

use super::{After, Case, hidden, plain};

/// Returns all cases.
pub fn cases(authorization: &str) -> Vec<Case> {
    let mut all = Cases { authorization: authorization.to_owned(), cases: Vec::new() };
    all.lengths_with_encodings();
    all.encodings();
    all.lengths();
    all.chunks();
    all.trailers();
    all.request_lines();
    all.fields();
    all.cases
}

struct Cases {
    authorization: String,
    cases: Vec<Case>,
}

impl Cases {
    /// Returns the request that the next case will hide.
    fn hidden(&self) -> String {
        plain(&hidden(self.cases.len()), &self.authorization, "")
    }

    fn raw(&mut self, name: String, bytes: String, after: After) {
        self.cases.push(Case { name, bytes: bytes.into_bytes(), after });
    }

    /// Adds a POST with these header lines. Each line includes its line ending.
    fn post(&mut self, name: String, lines: &str, body: &str, after: After) {
        let authorization = &self.authorization;
        let head = format!("POST /v1/leads HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n");
        self.raw(name, format!("{head}{lines}\r\n{body}"), after);
    }

    /// Returns a body that ends early if parsed as chunked, and its full length.
    fn short_in_chunks(&self) -> (String, usize) {
        let body = format!("0\r\n\r\n{}", self.hidden());
        let length = body.len();
        (body, length)
    }

    /// Returns a chunked body with a request hidden in one chunk, and a length that ends just before the hidden
    /// request.
    fn short_in_length(&self) -> (String, usize) {
        let hidden = self.hidden();
        let size = format!("{:x}\r\n", hidden.len());
        let length = size.len();
        (format!("{size}{hidden}\r\n0\r\n\r\n"), length)
    }
}

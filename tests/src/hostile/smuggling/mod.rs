//! Requests that two parsers may read differently, each with another request hidden in it.
//!
//! A server and the proxy in front of it may disagree on where a request ends. If they do, the server mistakes part of
//! one client's body for another client's next request. The server must therefore never process a hidden request.

mod cases;
mod proxies;

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

pub use self::{cases::cases, proxies::Proxy};

/// The required state of the connection after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The server closes the connection and ignores later bytes, because the request is ambiguous or invalid.
    Closed,
    /// The server serves the next request, because RFC 9112 allows the unusual element.
    Served,
    /// The server may close the connection or serve the next request, because RFC 9112 allows both. In both cases, it
    /// must not process the hidden request.
    Either,
}

/// A request with another request hidden in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the unusual element.
    pub name: String,
    /// The bytes of the request.
    pub bytes: Vec<u8>,
    /// The required state of the connection afterwards.
    pub after: After,
}

/// Returns the path of the request that a case hides.
pub fn hidden(nth: usize) -> String {
    format!("/v1/leads/hidden-{nth}")
}

/// Returns the path of the visible request that follows a case.
pub fn next(nth: usize) -> String {
    format!("/v1/leads/next-{nth}")
}

/// Returns an ordinary request.
fn plain(path: &str, authorization: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n{headers}\r\n")
}

impl Case {
    /// Sends the case and then a visible request on the same connection. Returns everything that the server sends until
    /// it closes the connection.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection cannot be opened, or is not closed within `patience`.
    pub async fn send(
        &self,
        nth: usize,
        to: SocketAddr,
        authorization: &str,
        patience: Duration,
    ) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(to).await?;
        let mut bytes = self.bytes.clone();
        bytes.extend(plain(&next(nth), authorization, "connection: close\r\n").bytes());
        // The write fails if the server closes the connection early. Responses sent before that still count.
        drop(stream.write_all(&bytes).await);
        let mut answer = Vec::new();
        drop(timeout(patience, stream.read_to_end(&mut answer)).await?);
        Ok(answer)
    }
}

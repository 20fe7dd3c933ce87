//! Requests that two parsers may read differently, each with another request hidden in it.
//!
//! A server and the proxy in front of it may disagree on where a request ends. The server then takes the body of one
//! client for the next request of another. So the server must never see a hidden request.

mod cases;
mod proxies;

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

pub use self::{cases::cases, proxies::Proxy};

/// What must happen to the connection after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The server closes it and ignores the following bytes: the request is ambiguous or invalid.
    Closed,
    /// The server serves the following request: the odd element is within RFC 9112.
    Served,
    /// Either, since RFC 9112 leaves it to the server. The hidden request must stay hidden all the same.
    Either,
}

/// A request with another one hidden in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The odd element.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What must happen to the connection.
    pub after: After,
}

/// Returns the path of the request that a case hides.
pub fn hidden(nth: usize) -> String {
    format!("/v1/leads/hidden-{nth}")
}

/// Returns the path of the request that is sent openly after a case.
pub fn next(nth: usize) -> String {
    format!("/v1/leads/next-{nth}")
}

/// Returns a request with nothing odd about it.
fn plain(path: &str, authorization: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n{headers}\r\n")
}

impl Case {
    /// Sends the case and an open request on one connection, and returns all responses up to the end.
    ///
    /// # Errors
    ///
    /// If the connection is not closed within some seconds.
    pub async fn send(&self, nth: usize, to: SocketAddr, authorization: &str) -> io::Result<Vec<u8>> {
        const TIMEOUT: Duration = Duration::from_secs(8);
        let mut stream = TcpStream::connect(to).await?;
        let mut bytes = self.bytes.clone();
        bytes.extend(plain(&next(nth), authorization, "connection: close\r\n").bytes());
        // The server may close before it has read everything, and its responses count all the same.
        drop(stream.write_all(&bytes).await);
        let mut answer = Vec::new();
        drop(timeout(TIMEOUT, stream.read_to_end(&mut answer)).await?);
        Ok(answer)
    }
}

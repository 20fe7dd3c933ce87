//! Requests that two readers may take for different ones, each with another request hidden in it.
//!
//! A server that sits behind a proxy and reads where a request ends otherwise than the proxy does takes what somebody
//! sent as a body for the next request of somebody else. So nothing that is hidden may ever be seen as a request.

mod cases;
mod proxies;

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

pub use self::{cases::cases, proxies::Proxy};

/// What becomes of the connection after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// It is closed, and nothing that follows is looked at: the request is ambiguous or wrong.
    Closed,
    /// The request that follows is served: what is odd about this one is within RFC 9112.
    Served,
    /// Either, since RFC 9112 leaves it to the server; what is hidden stays hidden all the same.
    Either,
}

/// A request with another one hidden in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is odd about it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What must become of the connection.
    pub after: After,
}

/// The path of the request that is hidden in a case.
pub fn hidden(nth: usize) -> String {
    format!("/v1/leads/hidden-{nth}")
}

/// The path of the request that is sent openly after a case.
pub fn next(nth: usize) -> String {
    format!("/v1/leads/next-{nth}")
}

/// A request with nothing odd about it.
fn plain(path: &str, authorization: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n{headers}\r\n")
}

impl Case {
    /// Sends it and, on the same connection, an open request; gives what was answered up to the end.
    ///
    /// # Errors
    ///
    /// When the connection is not closed within some seconds.
    pub async fn send(&self, nth: usize, to: SocketAddr, authorization: &str) -> io::Result<Vec<u8>> {
        const PATIENCE: Duration = Duration::from_secs(8);
        let mut stream = TcpStream::connect(to).await?;
        let mut bytes = self.bytes.clone();
        bytes.extend(plain(&next(nth), authorization, "connection: close\r\n").bytes());
        // The server may close before it has all of it, and what it answered counts all the same.
        drop(stream.write_all(&bytes).await);
        let mut answer = Vec::new();
        drop(timeout(PATIENCE, stream.read_to_end(&mut answer)).await?);
        Ok(answer)
    }
}

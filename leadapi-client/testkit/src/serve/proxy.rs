//! The proxy in front of the wiremock server. It forwards everything unchanged, except responses that carry the header
//! [`CUT`].
//!
//! The proxy is needed because wiremock 0.6 cannot cut a response midway. It can drop a connection instead of
//! responding (`respond_with_err`), but not after a delay. All requests pass through the proxy, even if no stub cuts
//! responses yet. The program under test receives the server's address only once, and the test may add such a stub
//! later.
//!
//! It uses threads and blocking sockets, because a test may block every thread of its runtime.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The header of a response that the proxy must cut. The proxy removes the header.
pub(super) const CUT: &str = "x-leadapi-testkit-cut";
/// The first bytes of a response.
const START: &[u8] = b"HTTP/1.";

/// A proxy that forwards connections on its port to an upstream server. It runs until it is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    closed: Arc<AtomicBool>,
}

impl Proxy {
    #[expect(clippy::expect_used, reason = "a listener that is bound has an address")]
    pub(super) fn open(listener: TcpListener, upstream: SocketAddr) -> Self {
        let address = listener.local_addr().expect("the address of a bound port");
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = closed.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                if is_closed.load(Ordering::Acquire) {
                    break;
                }
                if let Ok(client) = client {
                    // An error closes the connection. The client notices that, so the error needs no further handling.
                    thread::spawn(move || connect(&client, upstream));
                }
            }
        });
        Self { address, closed }
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
        // Connect once to wake the accepting thread.
        drop(TcpStream::connect(self.address));
    }
}

/// Forwards in both directions until the server closes the connection, a response is cut, or forwarding fails.
fn connect(client: &TcpStream, upstream: SocketAddr) -> io::Result<()> {
    let server = TcpStream::connect(upstream)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let expects_response = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Set the flag before forwarding the request, so its response cannot arrive first.
            let forwarded = forward(client, &server, |_| expects_response.store(true, Ordering::Release));
            let _ = server.shutdown(if forwarded.is_ok() { Shutdown::Write } else { Shutdown::Both });
        });
        let result = forward_responses(&server, client, &expects_response);
        // Shutting down both sockets also ends the thread that reads from the client.
        let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
        result
    })
}

fn forward(mut from: &TcpStream, mut to: &TcpStream, mut seen: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = from.read(&mut buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(());
        }
        seen(bytes);
        to.write_all(bytes)?;
    }
}

/// Forwards responses up to the first one that must be cut. After a request, the server's next bytes start a response,
/// because no test client sends a request before it has read the previous response.
fn forward_responses(mut server: &TcpStream, mut client: &TcpStream, expects_response: &AtomicBool) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    let mut buffered = Vec::new();
    loop {
        let count = server.read(&mut buffer)?;
        if count == 0 {
            return client.write_all(&buffered);
        }
        buffered.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let is_response_head = buffered.starts_with(START) || START.starts_with(&buffered);
        if expects_response.load(Ordering::Acquire) && is_response_head {
            let Some(end) = find(&buffered, b"\r\n\r\n") else { continue };
            // After an interim (1xx) response, another response head follows.
            expects_response.store(buffered.get(9) == Some(&b'1'), Ordering::Release);
            let (marked, body) = buffered.split_at(end + 4);
            if let Some((clean, mark)) = unmarked(marked) {
                return cut(&clean, body, &mark, server, client);
            }
        }
        client.write_all(&buffered)?;
        buffered.clear();
    }
}

/// Sends the part of a response that its [`CUT`] header selects.
fn cut(head: &[u8], body: &[u8], mark: &str, mut server: &TcpStream, mut client: &TcpStream) -> io::Result<()> {
    let Ok(wanted) = mark.parse::<usize>() else {
        let half = if mark == "head" { head.len() / 2 } else { 0 };
        return client.write_all(head.get(..half).unwrap_or_default());
    };
    let mut body = body.to_vec();
    let mut buffer = vec![0; 16 * 1024];
    while body.len() < wanted {
        let count = server.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        body.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
    body.truncate(wanted);
    client.write_all(&[head, &body].concat())
}

/// Removes the [`CUT`] header from the head. Returns the remaining head and the value of the header.
fn unmarked(head: &[u8]) -> Option<(Vec<u8>, String)> {
    let start = find(head, format!("\r\n{CUT}: ").as_bytes())?;
    let (before, line) = head.split_at(start);
    let end = find(line.get(2..)?, b"\r\n")? + 2;
    let (line, after) = line.split_at(end);
    let mark = String::from_utf8_lossy(line.get(CUT.len() + 4..)?).into_owned();
    Some(([before, after].concat(), mark))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_removed_from_the_head() {
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-leadapi-testkit-cut: 17\r\ndate: x\r\n\r\n";
        let (clean, mark) = unmarked(head).unwrap();
        assert_eq!(mark, "17");
        assert_eq!(clean, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ndate: x\r\n\r\n");
        assert_eq!(unmarked(&clean), None);
    }
}

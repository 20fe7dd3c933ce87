//! A proxy in front of an HTTP server that injects faults.

use std::{
    convert::Infallible,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{CutKind, End, Listener, forward};

/// The fault, if any, that the proxy injects for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Forwards the request and the response.
    None,
    /// Delays the response.
    Late(Duration),
    /// Cuts the connection at the request.
    CutRequest(CutKind),
    /// Lets the server execute the request, and cuts the connection at the response.
    CutResponse(CutKind),
    /// Sends this response itself, without forwarding the request.
    Answered(&'static str),
}

/// A proxy that listens until it is dropped.
#[derive(Debug)]
pub struct HttpProxy {
    listener: Listener,
    requests: Arc<AtomicU64>,
}

impl HttpProxy {
    /// Starts a proxy in front of a server, given as `host:port`. `fault` chooses the fault of the n-th request, counted
    /// from 0 across all connections.
    pub async fn start(server: &str, fault: impl Fn(u64) -> Fault + Clone + Send + Sync + 'static) -> Self {
        let requests = Arc::<AtomicU64>::default();
        let counted = requests.clone();
        let serve = move |mut client, mut server| {
            let (fault, counted) = (fault.clone(), counted.clone());
            async move {
                let next = || fault(counted.fetch_add(1, Ordering::Relaxed));
                let Err(end) = forward_requests(&mut client, &mut server, next).await;
                end.finish().await;
            }
        };
        Self { listener: Listener::start(server.to_owned(), Arc::default(), serve).await, requests }
    }

    /// Returns the address on which the proxy listens.
    pub fn address(&self) -> String {
        self.listener.address.to_string()
    }

    /// Returns the number of requests received.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of connections accepted.
    pub fn connections(&self) -> usize {
        self.listener.control.accepted.load(Ordering::Relaxed)
    }
}

/// Forwards requests one after another until a fault ends the connection.
async fn forward_requests(
    client: &mut TcpStream,
    server: &mut TcpStream,
    fault: impl Fn() -> Fault,
) -> Result<Infallible, End> {
    loop {
        let request = read(client).await?;
        let (mut at_request, mut at_response, mut delay) = (None, None, Duration::ZERO);
        match fault() {
            Fault::None => {}
            Fault::Late(late) => delay = late,
            Fault::CutRequest(cut) => at_request = Some(cut),
            Fault::CutResponse(cut) => at_response = Some(cut),
            Fault::Answered(response) => {
                client.write_all(response.as_bytes()).await?;
                continue;
            }
        }
        forward(server, &request, at_request).await?;
        let response = read(server).await?;
        tokio::time::sleep(delay).await;
        forward(client, &response, at_response).await?;
    }
}

/// Reads a complete message: a head, and a body of `Content-Length` bytes.
async fn read(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let length = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
            let length =
                length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
            if bytes.len() >= head + 4 + length.unwrap_or(0) {
                return Ok(bytes);
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

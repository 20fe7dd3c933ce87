//! An HTTP proxy that injects faults.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The time limit of one attempt. The proxy's longest delay exceeds it.
pub(crate) const ATTEMPT: Duration = Duration::from_secs(5);

/// The fault, if any, that the proxy injects for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Delays the response.
    Late(Duration),
    /// Closes the connection before the request reaches the server.
    Dropped,
    /// Lets the server execute the request, but closes the connection before the response.
    Cut,
    /// Lets the server execute the request, but closes the connection in the middle of the response.
    CutShort,
    /// Answers with this response instead of forwarding the request.
    Answered(&'static str),
}

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 28\r\n\r\n\
    {\"error\": \"slow it, please\"}";
const FAILED: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 17\r\n\r\n{\"error\": \"oops\"}";
const RUBBISH: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 29\r\n\r\n\
    <html>Welcome, guest!</html>\n";

/// Returns the fault for the n-th request. The sequence is the same in every run.
pub(crate) fn storm(nth: u64) -> Fault {
    match nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57 {
        0..=2 => Fault::Dropped,
        3..=5 => Fault::Cut,
        6..=7 => Fault::CutShort,
        8..=9 => Fault::Answered(TOO_MANY),
        10..=11 => Fault::Answered(FAILED),
        12..=13 => Fault::Answered(RUBBISH),
        14 => Fault::Late(ATTEMPT * 2),
        15..=20 => Fault::Late(Duration::from_millis(100)),
        _ => Fault::None,
    }
}

/// A proxy on a free port that runs as long as the runtime.
pub(crate) struct Proxy {
    pub(crate) address: String,
    /// The number of requests received.
    pub(crate) requests: Arc<AtomicU64>,
    /// The number of connections accepted.
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Proxy {
    pub(crate) async fn start(server: &str, fault: impl Fn(u64) -> Fault + Clone + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (requests, connections) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicUsize::new(0)));
        let (server, counted, came) = (server.to_owned(), requests.clone(), connections.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                came.fetch_add(1, Ordering::Relaxed);
                let (server, fault, counted) = (server.clone(), fault.clone(), counted.clone());
                // Ignores an error: it closes the connection, so the client notices it.
                tokio::spawn(async move { pass(client, &server, fault, &counted).await.unwrap_or_default() });
            }
        });
        Self { address, requests, connections }
    }
}

/// Forwards requests one after another until a fault ends the connection.
async fn pass(
    mut client: TcpStream,
    server: &str,
    fault: impl Fn(u64) -> Fault,
    counted: &AtomicU64,
) -> io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    loop {
        let request = message(&mut client).await?;
        let fault = fault(counted.fetch_add(1, Ordering::Relaxed));
        match fault {
            Fault::Dropped => return Ok(()),
            Fault::Answered(answer) => {
                client.write_all(answer.as_bytes()).await?;
                continue;
            }
            Fault::None | Fault::Late(_) | Fault::Cut | Fault::CutShort => {}
        }
        server.write_all(&request).await?;
        let answer = message(&mut server).await?;
        match fault {
            Fault::Cut => return Ok(()),
            Fault::CutShort => return client.write_all(&answer[..answer.len() / 2]).await,
            Fault::Late(late) => tokio::time::sleep(late).await,
            Fault::None | Fault::Dropped | Fault::Answered(_) => {}
        }
        client.write_all(&answer).await?;
    }
}

/// Reads a complete message: a head, and a body of `Content-Length` bytes.
async fn message(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
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

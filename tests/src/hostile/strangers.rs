//! Hostile traffic that needs no token, on every listener of a server, and honest callers at the same time.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::BytesMut;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    Target,
    frames::{DATA, END_HEADERS, END_STREAM, HEADERS, SETTINGS, WINDOW_UPDATE, fields, frame, opening},
    good::{read_answer, status},
};
use crate::{TIMEOUT, secret};

/// The loopback address that the strangers connect from. Honest callers use 127.0.0.1.
const STRANGER: &str = "127.0.0.2:0";
/// The pause before a closed connection is opened again.
const PAUSE: Duration = Duration::from_millis(10);
/// The number of concurrent requests on one connection of a flood.
const STREAMS: u32 = 100;

/// A kind of hostile traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// Connections that send nothing.
    Silent,
    /// Connections that stay idle after one request.
    Idle,
    /// Request heads that never end.
    SlowHeads,
    /// The first bytes of a TLS handshake.
    HalfHandshakes,
    /// Requests with made-up tokens that have a correct checksum.
    ForgedTokens,
    /// Requests with tokens that have a wrong checksum.
    WrongChecksums,
    /// Requests without a token.
    NoToken,
    /// Sign-ins with made-up links.
    WrongLinks,
    /// Requests with made-up session cookies.
    WrongSessions,
}

/// An attack in progress.
#[derive(Debug)]
pub struct Attack {
    sent: Arc<AtomicU64>,
    _peers: JoinSet<()>,
}

impl Attack {
    /// Returns the number of hostile requests so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }
}

/// A listener of a server under attack, with the requests of honest callers and their expected statuses.
#[derive(Debug, Clone)]
pub struct Attacked {
    /// The name of the listener.
    pub name: &'static str,
    address: SocketAddr,
    path: &'static str,
    requests: Arc<[(String, u16)]>,
}

impl Attacked {
    /// Returns all listeners of a server in which every listener is enabled.
    ///
    /// # Panics
    ///
    /// Panics if the server lacks a listener.
    pub fn all(target: &Target) -> Vec<Self> {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let json = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
        let get = |path: &str| (target.request(&format!("GET {path}"), "", ""), 200);
        let create = (target.request("POST /v1/leads", "", r#"{"client_id":"c1","name":"Ann"}"#), 201);
        let ping = (target.request("POST /mcp", json, ping), 200);
        let of = |name, address, path, requests| Self { name, address, path, requests };
        vec![
            of("API", target.address, "/v1/leads", [get("/v1/clients"), create].into()),
            of("operator", target.operator.unwrap(), "/v1/leads", [get("/healthz")].into()),
            of("settings", target.settings.unwrap(), "/", [get("/style.css")].into()),
            of("MCP", target.mcp.unwrap(), "/mcp", [ping].into()),
        ]
    }

    /// Sends an honest request on a connection, and returns an error unless the response is as expected.
    async fn call(&self, request: &(String, u16), connection: &mut Option<TcpStream>) -> Result<(), String> {
        let (request, expected) = request;
        let exchange = async {
            let mut stream = match connection.take() {
                Some(stream) => stream,
                None => TcpStream::connect(self.address).await?,
            };
            stream.write_all(request.as_bytes()).await?;
            let answer = read_answer(&mut stream).await?;
            *connection = Some(stream);
            Ok::<_, std::io::Error>(answer)
        };
        match timeout(TIMEOUT, exchange).await {
            Ok(Ok(answer)) if status(&answer) == *expected => Ok(()),
            Ok(Ok(answer)) => Err(String::from_utf8_lossy(&answer).into_owned()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no answer".to_owned()),
        }
    }

    /// Sends the honest requests until `end`, but at least once. Sends each request twice: on a connection that is kept
    /// alive, and on a new connection. Returns the errors.
    pub async fn honest(self, end: Instant) -> Vec<String> {
        let (mut failed, mut kept) = (Vec::new(), None);
        loop {
            for request in self.requests.iter() {
                for result in [self.call(request, &mut kept).await, self.call(request, &mut None).await] {
                    failed.extend(result.err().map(|error| format!("{}: {error}", self.name)));
                }
            }
            if Instant::now() >= end {
                return failed;
            }
            sleep(PAUSE).await;
        }
    }

    /// Starts an attack on the listener over the given number of concurrent connections. It lasts until the returned
    /// value is dropped.
    pub fn attack(&self, kind: Stranger, connections: usize) -> Attack {
        let (sent, mut peers) = (Arc::new(AtomicU64::new(0)), JoinSet::new());
        for _ in 0..connections {
            let (attacked, sent) = (self.clone(), sent.clone());
            peers.spawn(async move {
                loop {
                    // The server may refuse or cut each connection.
                    drop(attacked.connection(kind, &sent).await);
                    sleep(PAUSE).await;
                }
            });
        }
        Attack { sent, _peers: peers }
    }

    async fn connection(&self, kind: Stranger, sent: &AtomicU64) -> std::io::Result<()> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(STRANGER.parse().unwrap())?;
        let mut stream = socket.connect(self.address).await?;
        match kind {
            Stranger::Silent => {}
            Stranger::HalfHandshakes => stream.write_all(b"\x16\x03\x01\x02\x00\x01").await?,
            Stranger::Idle => {
                stream.write_all(b"GET /style.css HTTP/1.1\r\nhost: localhost\r\n\r\n").await?;
            }
            Stranger::SlowHeads => {
                stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ").await?;
                sent.fetch_add(1, Relaxed);
                loop {
                    stream.write_all(b"x").await?;
                    sleep(PAUSE).await;
                }
            }
            _ => return self.flood(kind, &mut stream, sent).await,
        }
        sent.fetch_add(1, Relaxed);
        while stream.read(&mut [0; 4_096]).await? > 0 {}
        Ok(())
    }

    /// Keeps `STREAMS` requests in flight on an HTTP/2 connection.
    async fn flood(&self, kind: Stranger, stream: &mut TcpStream, sent: &AtomicU64) -> std::io::Result<()> {
        let mut bytes = opening(&[]);
        frame(&mut bytes, WINDOW_UPDATE, 0, 0, &0x3fff_ffff_u32.to_be_bytes());
        let (mut next, mut running, mut received) = (1, 0, BytesMut::new());
        loop {
            while running < STREAMS {
                self.add_request(kind, &mut bytes, next);
                next += 2;
                running += 1;
                sent.fetch_add(1, Relaxed);
            }
            stream.write_all_buf(&mut bytes).await?;
            if stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
            while let [a, b, c, frame_type, flags, ..] = received[..] {
                let length = 9 + usize::from(a) * 65_536 + usize::from(b) * 256 + usize::from(c);
                if received.len() < length {
                    break;
                }
                if frame_type == SETTINGS && flags == 0 {
                    frame(&mut bytes, SETTINGS, 1, 0, &[]);
                }
                running -= u32::from(matches!(frame_type, DATA | HEADERS) && flags & END_STREAM > 0);
                drop(received.split_to(length));
            }
        }
    }

    fn add_request(&self, kind: Stranger, bytes: &mut BytesMut, stream: u32) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = format!("{}x{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let forged = secret(&number);
        let wrong = format!("pak_{number:0>49}");
        let session = format!("leadapi={}", &secret(&number)[4..]);
        let path = if kind == Stranger::WrongLinks { "/sign-in" } else { self.path };
        let method = if path == "/sign-in" || path == "/mcp" { "POST" } else { "GET" };
        let (name, value) = match kind {
            Stranger::ForgedTokens => ("authorization", format!("Bearer {forged}")),
            Stranger::WrongChecksums => ("authorization", format!("Bearer {wrong}")),
            Stranger::WrongSessions => ("cookie", session),
            Stranger::WrongLinks => ("sec-fetch-site", "same-origin".to_owned()),
            _ => ("x-nothing", String::new()),
        };
        let head = [
            (":method", method),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", path),
            ("content-type", "application/x-www-form-urlencoded"),
            (name, &value),
        ];
        if kind == Stranger::WrongLinks {
            frame(bytes, HEADERS, END_HEADERS, stream, &fields(head));
            frame(bytes, DATA, END_STREAM, stream, format!("secret={}", &forged[4..]).as_bytes());
        } else {
            frame(bytes, HEADERS, END_HEADERS | END_STREAM, stream, &fields(head));
        }
    }
}

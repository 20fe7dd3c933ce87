//! Runs a server in this process and exchanges raw bytes with it.

use std::{net::SocketAddr, time::Duration};

use leadapi_core::http::LeadService;
use leadapi_server::{HttpLimits, Server, ShutdownOutcome};
use leadapi_tests::{Token, World, in_time};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

const NEVER: Duration = Duration::from_secs(3_600);
pub(crate) const SOON: Duration = Duration::from_millis(200);

pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<ShutdownOutcome>,
}

/// Returns limits whose timeouts no test ever reaches. Each test lowers only the limit that it tests.
pub(crate) fn endless() -> HttpLimits {
    let mut limits = HttpLimits::default();
    for time in [
        &mut limits.first_byte,
        &mut limits.head,
        &mut limits.body,
        &mut limits.write,
        &mut limits.idle,
        &mut limits.request,
        &mut limits.age,
    ] {
        *time = NEVER;
    }
    limits
}

impl Host {
    pub(crate) async fn start(limits: HttpLimits) -> Self {
        Self::of(World::new().await, limits).await
    }

    pub(crate) async fn of(world: World, limits: HttpLimits) -> Self {
        let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self::run(server.limits(limits), world.service("/v1", None))
    }

    pub(crate) fn run(server: Server, service: LeadService) -> Self {
        let address = server.local_addr();
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(server.serve(service, async { stopped.await.unwrap_or_default() }));
        Self { address, stop, ended }
    }

    pub(crate) async fn connect(&self) -> Peer {
        Peer(TcpStream::connect(self.address).await.unwrap())
    }

    /// Sends a request on a new connection, and returns the response.
    pub(crate) async fn request(&self, request: &str) -> String {
        let mut peer = self.connect().await;
        // Writing fails if the server has already closed the connection.
        peer.0.write_all(request.as_bytes()).await.unwrap_or_default();
        peer.rest().await
    }

    pub(crate) async fn assert_serves_others(&self) {
        // A request for an unknown path does not count towards the rate limit.
        let answer = self.request(&get("/v1/nowhere", "connection: close\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }

    pub(crate) fn stop(self) -> JoinHandle<ShutdownOutcome> {
        self.stop.send(()).unwrap();
        self.ended
    }
}

/// A raw TCP connection.
pub(crate) struct Peer(pub(crate) TcpStream);

impl Peer {
    pub(crate) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Checks that the server neither sends anything nor closes the connection for `time`.
    pub(crate) async fn is_silent_for(&mut self, time: Duration) {
        timeout(time, self.0.readable()).await.expect_err("the server must stay silent");
    }

    /// Reads until the server closes or resets the connection.
    pub(crate) async fn rest(&mut self) -> String {
        let mut all = Vec::new();
        // The result includes bytes that arrived before a reset.
        in_time("the connection is closed", self.0.read_to_end(&mut all)).await.unwrap_or_default();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Reads HTTP/2 frames until one has this type, and returns its payload.
    pub(crate) async fn frame(&mut self, frame_type: u8) -> Vec<u8> {
        loop {
            let (found, _, payload) = self.any_frame().await;
            if found == frame_type {
                return payload;
            }
        }
    }

    /// Reads HTTP/2 frames until one has one of these types, and returns its type. Skips frames on stream 0, except
    /// PING frames.
    pub(crate) async fn first_of(&mut self, frame_types: &[u8]) -> u8 {
        const PING: u8 = 6;
        loop {
            let (frame_type, stream, _) = self.any_frame().await;
            if frame_types.contains(&frame_type) && (stream > 0 || frame_type == PING) {
                return frame_type;
            }
        }
    }

    /// Reads one HTTP/2 frame, and returns its type, stream and payload.
    async fn any_frame(&mut self) -> (u8, u32, Vec<u8>) {
        let mut head = [0; 9];
        in_time("a frame arrives", self.0.read_exact(&mut head)).await.unwrap();
        let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
        self.0.read_exact(&mut payload).await.unwrap();
        (head[3], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), payload)
    }

    pub(crate) async fn send_frame(&mut self, frame_type: u8, flags: u8, stream: u32, payload: &[u8]) {
        let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let frame = [&length, &[frame_type, flags][..], &stream.to_be_bytes(), payload].concat();
        self.0.write_all(&frame).await.unwrap();
    }

    /// Reads one response. The connection stays open.
    pub(crate) async fn answer(&mut self) -> String {
        let mut all = Vec::new();
        loop {
            let read = in_time("a response arrives", self.0.read_buf(&mut all)).await.unwrap();
            let text = String::from_utf8_lossy(&all).into_owned();
            assert_ne!(read, 0, "the connection was closed: {text}");
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() == length.parse::<usize>().unwrap() {
                return text;
            }
        }
    }
}

pub(crate) fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n{headers}\r\n", secret())
}

pub(crate) fn post(body: &str, headers: &str) -> String {
    format!(
        "POST /v1/leads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        secret(),
        body.len()
    )
}

pub(crate) fn secret() -> String {
    Token::Both.secret().unwrap()
}

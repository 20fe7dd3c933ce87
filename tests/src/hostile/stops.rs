//! Shuts a server down under load.

use std::{
    io,
    path::Path,
    process::ExitStatus,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::{sleep, timeout},
};

use super::{
    Target,
    floods::{Flood, connection},
    good::{read_answer, status},
};
use crate::{Lateness, TIMEOUT};

/// The callers that keep their connection alive.
const KEEP_ALIVE_CALLERS: usize = 16;
/// The callers that open a connection for each request.
const ONE_SHOT_CALLERS: usize = 4;
const HTTP2_CONNECTIONS: usize = 2;
/// The callers on each HTTP/2 connection.
const STREAMS: usize = 8;
/// The pause between two requests of a caller, which is much shorter than the drain delay.
const PAUSE: Duration = Duration::from_millis(10);
/// The maximum time from a connection attempt to the first request, for which a draining server waits one second.
const PROMPT: Duration = Duration::from_millis(500);

/// The outcome of one shutdown.
#[derive(Debug)]
pub struct Stop {
    /// The number of answered requests.
    pub answered: usize,
    /// The error for each request that failed or stayed unanswered although the server had announced no close.
    pub lost: Vec<String>,
    /// The number of connection attempts refused before the drain delay was over.
    pub refused_early: usize,
    /// The time from the signal until the process exited; `None` if it did not exit.
    pub took: Option<Duration>,
    /// The exit status of the process, if it exited.
    pub status: Option<ExitStatus>,
    /// The number of connections outside the load, such as idle ones, that outlived the drain delay by more than the
    /// time limit for the exit.
    pub left_open: usize,
}

#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    refused_early: AtomicUsize,
}

#[derive(Clone)]
struct Load {
    target: Arc<Target>,
    counts: Arc<Counts>,
    /// The time of the signal, or `None` before it.
    signalled: watch::Receiver<Option<Instant>>,
    drain: Duration,
}

/// Starts a server, loads it for `warm`, sends SIGTERM, and waits up to `within` after the drain delay for the exit.
/// After the delay, the server waits up to one second for a request on a new connection, then up to one second until an
/// HTTP/2 peer has learned of the shutdown, and then up to one second for that peer's earlier requests.
pub async fn stop(program: &Path, options: &[String], drain: Duration, warm: Duration, within: Duration) -> Stop {
    let mut options = options.to_vec();
    options.extend(["--log", "warn", "--drain-delay", &format!("{}ms", drain.as_millis())].map(str::to_owned));
    let target = Arc::new(Target::start(program, &options, false, None));
    let (tell, signalled) = watch::channel(None);
    let load = Load { target: target.clone(), counts: Arc::default(), signalled, drain };
    let mut callers = JoinSet::new();
    for _ in 0..KEEP_ALIVE_CALLERS {
        callers.spawn(load.clone().keep_alive_caller());
    }
    for _ in 0..ONE_SHOT_CALLERS {
        callers.spawn(load.clone().one_shot_caller());
    }
    for _ in 0..HTTP2_CONNECTIONS {
        callers.spawn(load.clone().http2_caller());
    }
    let useless = useless(&target).await;
    sleep(warm).await;
    let begun = Instant::now();
    let lateness = Lateness::measure();
    target.signal("TERM");
    tell.send_replace(Some(begun));
    let lost: Vec<String> = callers.join_all().await.into_iter().flatten().collect();
    let mut left_open = 0;
    for peer in useless {
        left_open +=
            usize::from(peer.await.unwrap().is_none_or(|at| at > begun + drain + within + lateness.tolerance()));
    }
    let (counts, end) = (load.counts.clone(), begun + drain + within + lateness.tolerance());
    drop(load);
    let mut target = Arc::into_inner(target).unwrap();
    let ended = tokio::task::spawn_blocking(move || {
        (target.ended(end.saturating_duration_since(Instant::now())), begun.elapsed())
    });
    let (status, took) = ended.await.unwrap();
    Stop {
        answered: counts.answered.load(Ordering::Relaxed),
        lost,
        refused_early: counts.refused_early.load(Ordering::Relaxed),
        took: status.map(|_| took),
        status,
        left_open,
    }
}

/// Opens connections that are idle or have sent only part of a request, and one that keeps sending requests after
/// GOAWAY. Each returned task completes when its connection closes. Also opens a connection with half a body, but
/// returns no task for it, because its request is in flight.
async fn useless(target: &Arc<Target>) -> Vec<JoinHandle<Option<Instant>>> {
    let idle = target.request("GET /v1/clients", "", "");
    let half_body = target.request("POST /v1/leads", "content-length: 50\r\n", "") + "{";
    let begin = [
        "",
        "P",
        "G",
        "GET /v1/clients HTTP/1.1\r\nhost: loc",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0",
        &idle,
        &half_body,
    ];
    let mut all = Vec::new();
    for bytes in begin {
        let mut stream = target.connect().await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let closed = tokio::spawn(async move {
            let mut rest = Vec::new();
            timeout(TIMEOUT, stream.read_to_end(&mut rest)).await.ok().map(|_| Instant::now())
        });
        if bytes != half_body {
            all.push(closed);
        }
    }
    let target = target.clone();
    all.push(tokio::spawn(async move {
        let heedless = connection(&target, Flood::Heedless, 1, Instant::now() + TIMEOUT).await;
        heedless.life.map(|_| Instant::now())
    }));
    all
}

impl Load {
    /// Returns whether the drain delay is over, so the server may refuse connections.
    fn may_be_refused(&self) -> bool {
        // The delay counts from when this process sent the signal, slightly before the server receives it.
        self.signalled.borrow().is_some_and(|signalled| signalled.elapsed() >= self.drain)
    }

    /// Returns whether the server may have closed a new connection that has sent no request yet.
    fn is_late(&self, begun: Instant) -> bool {
        self.may_be_refused() && begun.elapsed() > PROMPT
    }

    /// Returns a connection and the time of the connection attempt, or `None` once the server refuses connections. A
    /// connection that is refused before the drain delay is over is counted and retried.
    async fn connect(&self) -> Option<(TcpStream, Instant)> {
        loop {
            let begun = Instant::now();
            match TcpStream::connect(self.target.address).await {
                Ok(stream) => {
                    stream.set_nodelay(true).unwrap();
                    return Some((stream, begun));
                }
                Err(_) if self.may_be_refused() => return None,
                Err(_) => {
                    self.counts.refused_early.fetch_add(1, Ordering::Relaxed);
                    sleep(PAUSE).await;
                }
            }
        }
    }

    fn request(&self, nth: usize, headers: &str) -> String {
        match nth % 3 {
            0 => self.target.request("POST /v1/leads", headers, r#"{"client_id":"c1","name":"Ann"}"#),
            1 => self.target.request("GET /v1/clients", headers, ""),
            _ => self.target.request("GET /v1/leads?limit=20", headers, ""),
        }
    }

    async fn exchange(&self, stream: &mut TcpStream, request: &str) -> io::Result<bool> {
        stream.write_all(request.as_bytes()).await?;
        let answer = timeout(TIMEOUT, read_answer(stream)).await??;
        if !matches!(status(&answer), 200 | 201) {
            return Err(io::Error::other(format!("status {}", status(&answer))));
        }
        self.counts.answered.fetch_add(1, Ordering::Relaxed);
        Ok(String::from_utf8_lossy(&answer).contains("\r\nconnection: close\r\n"))
    }

    /// Uses each connection until the server announces that it will close the connection.
    async fn keep_alive_caller(self) -> Vec<String> {
        let mut lost = Vec::new();
        while let Some((mut stream, begun)) = self.connect().await {
            for nth in 0.. {
                // On a busy machine, the pause may outlast the drain delay. The caller then misses the announcement.
                let is_late = if nth > 0 { self.may_be_refused() } else { self.is_late(begun) };
                match self.exchange(&mut stream, &self.request(nth, "")).await {
                    Ok(false) => sleep(PAUSE).await,
                    Err(error) if !is_late => {
                        lost.push(format!("request {nth} on a keep-alive connection, {}: {error}", self.when()));
                        break;
                    }
                    Ok(true) | Err(_) => break,
                }
            }
            sleep(PAUSE).await;
        }
        lost
    }

    /// Opens a connection for each request.
    async fn one_shot_caller(self) -> Vec<String> {
        let mut lost = Vec::new();
        for nth in 0.. {
            let Some((mut stream, begun)) = self.connect().await else { break };
            let is_late = self.is_late(begun);
            let answered = self.exchange(&mut stream, &self.request(nth, "connection: close\r\n")).await;
            let error = answered.err().filter(|_| !is_late);
            lost.extend(error.map(|error| format!("on a new connection, {}: {error}", self.when())));
            sleep(PAUSE).await;
        }
        lost
    }

    /// Sends concurrent requests on each HTTP/2 connection until the server accepts no more requests.
    async fn http2_caller(self) -> Vec<String> {
        let mut lost = Vec::new();
        while let Some((stream, _)) = self.connect().await {
            let Ok((sender, connection)) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await else {
                continue;
            };
            tokio::spawn(connection);
            let mut streams = JoinSet::new();
            for _ in 0..STREAMS {
                let (load, mut sender) = (self.clone(), sender.clone());
                streams.spawn(async move {
                    for nth in 0.. {
                        if sender.ready().await.is_err() {
                            break;
                        }
                        if let Err(error) = load.send_request(&mut sender, nth).await {
                            if !is_refusal(&error) {
                                return Some(format!("request {nth} over HTTP/2, {}: {error:?}", load.when()));
                            }
                            break;
                        }
                        sleep(PAUSE).await;
                    }
                    None
                });
            }
            lost.extend(streams.join_all().await.into_iter().flatten());
        }
        lost
    }

    async fn send_request(&self, sender: &mut http2::SendRequest<Full<Bytes>>, nth: usize) -> hyper::Result<()> {
        let body = if nth.is_multiple_of(2) { "" } else { r#"{"client_id":"c1","name":"Ann"}"# };
        let (method, path) = if body.is_empty() { ("GET", "clients") } else { ("POST", "leads") };
        let request = Request::builder().method(method).uri(format!("http://localhost/v1/{path}"));
        let request = request.header("authorization", self.target.authorization());
        let answer = sender.send_request(request.body(Full::from(body)).unwrap()).await?;
        assert!(answer.status().is_success(), "{}", answer.status());
        answer.into_body().collect().await?;
        self.counts.answered.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn when(&self) -> String {
        format!("{:?} after the signal", self.signalled.borrow().map(|signalled| signalled.elapsed()))
    }
}

/// Returns whether the request was not sent, or was refused before it was processed (RFC 9113, 6.8 and 8.7).
fn is_refusal(error: &hyper::Error) -> bool {
    let text = format!("{error:?}");
    error.is_canceled() || text.contains("GoAway") && text.contains("NO_ERROR") || text.contains("REFUSED_STREAM")
}

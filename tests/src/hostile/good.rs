//! Legitimate traffic: callers that keep their connection alive, and one that opens a connection for each request.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rustls::ClientConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    runtime::Builder,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::Target;
use crate::TIMEOUT;

/// The number of callers that keep their connection alive. Each sends a request every [`PAUSE`].
const CALLERS: usize = 8;
const PAUSE: Duration = Duration::from_millis(30);
/// The time after which a caller no longer reuses its idle connection, because the server may be closing it. A
/// connection stays idle for that long only on a busy machine.
const MAX_IDLE: Duration = Duration::from_millis(500);

/// A thread that sends legitimate traffic.
#[derive(Debug)]
pub struct Good {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Report>,
}

/// The results of the traffic.
#[derive(Debug, Default)]
pub struct Report {
    took: Vec<Duration>,
    /// One error message for each failed request.
    pub failed: Vec<String>,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection, and the time of its last response.
type Idle = (Instant, Box<dyn Stream>);

#[derive(Clone)]
struct Caller {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    requests: Arc<[String]>,
    stop: Arc<AtomicBool>,
    keeps: bool,
    answered: mpsc::Sender<()>,
}

impl Good {
    /// Starts the traffic, and returns once the first request of each caller has succeeded or failed.
    pub fn start(target: &Target) -> Self {
        let (answered, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let requests = [
            target.request("GET /v1/clients", "", ""),
            target.request("GET /v1/leads?limit=2", "", ""),
            target.request("POST /v1/leads", "", r#"{"client_id":"c1","name":"Ann"}"#),
        ];
        let caller = Caller {
            address: target.address,
            tls: target.tls.clone(),
            requests: Arc::new(requests),
            stop: stop.clone(),
            keeps: true,
            answered,
        };
        let thread = std::thread::spawn(|| {
            Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
                let mut callers = JoinSet::new();
                for _ in 0..CALLERS {
                    callers.spawn(caller.clone().run());
                }
                callers.spawn(Caller { keeps: false, ..caller }.run());
                let mut all = Report::default();
                for report in callers.join_all().await {
                    all.took.extend(report.took);
                    all.failed.extend(report.failed);
                }
                all.took.sort();
                all
            })
        });
        answers.iter().take(CALLERS + 1).for_each(drop);
        Self { stop, thread }
    }

    /// Stops the traffic, and returns its results.
    pub fn stop(self) -> Report {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }

    /// Runs the traffic for `time`, without an attack.
    pub async fn during(target: &Target, time: Duration) -> Report {
        let good = Self::start(target);
        tokio::time::sleep(time).await;
        good.stop()
    }
}

impl Report {
    /// Returns the number of answered requests.
    pub fn answered(&self) -> usize {
        self.took.len()
    }

    /// Returns the response time at this quantile.
    pub fn quantile(&self, share: f64) -> Duration {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        let at = (self.took.len() as f64 * share) as usize;
        self.took.get(at.min(self.took.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

impl Caller {
    async fn run(self) -> Report {
        let (mut report, mut idle) = (Report::default(), None);
        for request in self.requests.iter().cycle() {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let begun = Instant::now();
            match timeout(TIMEOUT, self.send_request(&mut idle, request)).await {
                Ok(Ok(200 | 201)) => report.took.push(begun.elapsed()),
                Ok(Ok(status)) => report.failed.push(format!("status {status}")),
                Ok(Err(error)) => {
                    idle = None;
                    report.failed.push(error.to_string());
                }
                Err(_) => {
                    idle = None;
                    report.failed.push("no answer".to_owned());
                }
            }
            if report.took.len() + report.failed.len() == 1 {
                // The receiver may be gone. The report shows whether the request succeeded.
                self.answered.send(()).unwrap_or_default();
            }
            tokio::time::sleep(PAUSE.saturating_sub(begun.elapsed())).await;
        }
        report
    }

    async fn send_request(&self, idle: &mut Option<Idle>, request: &str) -> io::Result<u16> {
        let mut stream = match idle.take() {
            Some((since, stream)) if since.elapsed() < MAX_IDLE => stream,
            _ => self.connect().await?,
        };
        stream.write_all(request.as_bytes()).await?;
        let answer = read_answer(&mut stream).await?;
        if self.keeps {
            *idle = Some((Instant::now(), stream));
        }
        Ok(status(&answer))
    }

    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(match &self.tls {
            None => Box::new(stream),
            Some(config) => {
                let connector = TlsConnector::from(config.clone());
                Box::new(connector.connect("localhost".try_into().unwrap(), stream).await?)
            }
        })
    }
}

/// Reads one response including its body. Assumes that a response without `Content-Length` has no body.
pub(super) async fn read_answer(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut all = Vec::with_capacity(1_024);
    loop {
        if stream.read_buf(&mut all).await? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed without a response"));
        }
        let Some(head) = all.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&all[..head]);
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        if all.len() >= head + 4 + length.map_or(0, |length| length.parse::<usize>().unwrap()) {
            return Ok(all);
        }
    }
}

/// Returns the status of a response.
pub(super) fn status(answer: &[u8]) -> u16 {
    answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or_default()
}

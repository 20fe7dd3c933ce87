//! Callers that create and read leads over keep-alive connections and never retry.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use leadapi_tests::secret;
use serde_json::{Value, json};
use tokio::{net::TcpStream, task::JoinHandle, time::interval};

pub(crate) const CALLERS: usize = 16;
/// The time between a caller's requests, which bounds the load.
const PACE: Duration = Duration::from_millis(20);
/// The number of rounds for which a caller keeps the same connection.
const ROUNDS: usize = 10;

/// The results of all calls.
#[derive(Default)]
pub(crate) struct Seen {
    /// The name and id of each acknowledged lead.
    pub(crate) created: BTreeMap<String, String>,
    pub(crate) reads: usize,
    pub(crate) failures: Vec<String>,
}

pub(crate) struct Callers {
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<()>>,
}

/// Returns the token of a caller. Each caller has its own token, so a balancer that selects servers by token uses all
/// of them.
pub(crate) fn token(caller: usize) -> String {
    secret(&format!("caller{caller}x"))
}

impl Callers {
    pub(crate) fn start(address: SocketAddr) -> Self {
        let (seen, stop) = (Arc::<Mutex<Seen>>::default(), Arc::<AtomicBool>::default());
        let tasks = (0..CALLERS).map(|nth| {
            let caller = Caller { connection: Connection::new(address, nth), seen: seen.clone(), nth };
            tokio::spawn(caller.run(stop.clone()))
        });
        Self { tasks: tasks.collect(), seen, stop }
    }

    /// Lets the calls in flight finish, and returns the results of all calls.
    pub(crate) async fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await.unwrap();
        }
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

struct Caller {
    connection: Connection,
    seen: Arc<Mutex<Seen>>,
    nth: usize,
}

impl Caller {
    async fn run(mut self, stop: Arc<AtomicBool>) {
        let mut ticks = interval(PACE);
        for count in 0.. {
            ticks.tick().await;
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if count % ROUNDS == 0 {
                self.connection.close();
            }
            if let Err(failure) = self.create_and_read(count).await {
                self.seen.lock().unwrap().failures.push(format!("caller {}, round {count}: {failure}", self.nth));
            }
        }
    }

    async fn create_and_read(&mut self, count: usize) -> Result<(), String> {
        let name = format!("lead {} of caller {}", count, self.nth);
        let lead = self.connection.call(Method::POST, "/leads", Some(&name), StatusCode::CREATED).await?;
        let id = lead["id"].as_str().ok_or("no id")?.to_owned();
        let known = self.seen.lock().unwrap().created.insert(name.clone(), id.clone());
        assert_eq!(known, None, "the name must be unique");
        let read = self.connection.call(Method::GET, &format!("/leads/{id}"), None, StatusCode::OK).await?;
        if read["name"] != name {
            return Err(format!("the lead {id} is {read}"));
        }
        self.connection.call(Method::GET, "/leads?limit=2", None, StatusCode::OK).await?;
        self.seen.lock().unwrap().reads += 2;
        Ok(())
    }
}

/// A keep-alive connection. It is reopened if the peer has closed it between two requests.
pub(crate) struct Connection {
    address: SocketAddr,
    caller: usize,
    open: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    pub(crate) fn new(address: SocketAddr, caller: usize) -> Self {
        Self { address, caller, open: None }
    }

    /// Closes the connection, so that the next request opens a new one.
    fn close(&mut self) {
        self.open = None;
    }

    /// Sends a request once. With a name, the request creates a lead with this name and uses the name as the
    /// idempotency key.
    pub(crate) async fn call(
        &mut self,
        method: Method,
        path: &str,
        name: Option<&str>,
        expected: StatusCode,
    ) -> Result<Value, String> {
        let mut request = Request::builder().method(method).uri(format!("/v1{path}"));
        request = request.header(header::HOST, "localhost");
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", token(self.caller)));
        let mut body = String::new();
        if let Some(name) = name {
            request = request.header("idempotency-key", name.replace(' ', "-"));
            body = json!({ "client_id": "c1", "name": name }).to_string();
        }
        let request = request.body(Full::from(body)).unwrap();
        let sender = self.sender().await.map_err(|error| format!("{path}: cannot connect: {error}"))?;
        let response = sender.send_request(request).await.map_err(|error| format!("{path}: {error}"))?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| format!("{path}: body: {error}"))?.to_bytes();
        if status != expected {
            return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&body)));
        }
        serde_json::from_slice(&body).map_err(|error| format!("{path}: {error}"))
    }

    /// Returns the open connection, or a new one if the peer has closed it.
    async fn sender(&mut self) -> Result<&mut SendRequest<Full<Bytes>>, Box<dyn std::error::Error + Send + Sync>> {
        let is_open = match &mut self.open {
            Some(sender) => sender.ready().await.is_ok(),
            None => false,
        };
        if !is_open {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            self.open = Some(sender);
        }
        self.open.as_mut().ok_or_else(|| "no connection".into())
    }
}

//! Callers that write through several servers concurrently, and record each response.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::sleep};

use super::{Call, History, Listed, Response};

/// The number of callers of each of two kinds: those that only create leads, and those that also update and delete
/// them.
const CALLERS: usize = 6;
/// The pause after each response, which leaves CPU time for the cluster.
const PAUSE: Duration = Duration::from_millis(50);
/// The timeout of a request. It is longer than the server's own timeout.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The state that all callers share.
#[derive(Debug)]
pub struct Calls {
    client: reqwest::Client,
    urls: Mutex<Vec<String>>,
    token: String,
    stopped: AtomicBool,
    /// The arrival time of each response to a write, and whether it acknowledged the write.
    written: Mutex<Vec<(Instant, bool)>>,
}

impl Calls {
    /// Creates the state of callers that call these servers in turn.
    pub fn new(urls: Vec<String>, token: String) -> Arc<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().unwrap();
        Arc::new(Self {
            client,
            urls: Mutex::new(urls),
            token,
            stopped: AtomicBool::default(),
            written: Mutex::default(),
        })
    }

    /// Starts two kinds of callers: one kind only creates leads, the other also updates and deletes them.
    pub fn start(self: &Arc<Self>) -> Vec<JoinHandle<BTreeMap<String, History>>> {
        let callers = (0..2 * CALLERS).map(|nth| Caller {
            calls: self.clone(),
            name: format!("caller{nth}"),
            changes: nth >= CALLERS,
            turn: nth,
            histories: BTreeMap::new(),
        });
        callers.map(|caller| tokio::spawn(caller.run())).collect()
    }

    /// Sets the base URL of a server that was started again.
    pub fn set_url(&self, server: usize, url: String) {
        self.urls.lock().unwrap()[server] = url;
    }

    /// Stops each caller once it has finished with its current lead.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Returns the responses to writes that have arrived since `from`, oldest first.
    pub fn written_since(&self, from: Instant) -> Vec<(Instant, bool)> {
        let mut written = self.written.lock().unwrap().clone();
        written.retain(|(at, _)| *at >= from);
        written.sort();
        written
    }

    fn request(&self, server: usize, method: Method, path: &str) -> RequestBuilder {
        let urls = self.urls.lock().unwrap();
        let url = format!("{}/leads{path}", urls[server % urls.len()]);
        self.client.request(method, url).bearer_auth(&self.token)
    }

    /// Returns all leads that a server lists, and the total.
    pub async fn list(&self, server: usize) -> (Vec<Listed>, u64) {
        let mut all = Vec::new();
        loop {
            let path = format!("?limit=200&offset={}", all.len());
            let response = self.request(server, Method::GET, &path).send().await.unwrap();
            let page = parse(&response.error_for_status().unwrap().bytes().await.unwrap()).unwrap();
            let leads = page["data"].as_array().unwrap();
            if leads.is_empty() {
                return (all, page["total"].as_u64().unwrap());
            }
            all.extend(leads.iter().map(|lead| Listed {
                id: lead["id"].as_str().unwrap().to_owned(),
                name: lead["name"].as_str().unwrap().to_owned(),
                value: lead["value"].as_u64().unwrap(),
            }));
        }
    }
}

struct Caller {
    calls: Arc<Calls>,
    name: String,
    /// Whether the caller also updates and deletes its leads.
    changes: bool,
    /// The server for the next call.
    turn: usize,
    histories: BTreeMap<String, History>,
}

impl Caller {
    async fn run(mut self) -> BTreeMap<String, History> {
        for nth in 0.. {
            if self.calls.stopped.load(Relaxed) {
                break;
            }
            let name = format!("{}-{nth}", self.name);
            let id = loop {
                match self.call(&name, "", Call::Create).await {
                    Response::Created(id) => break id,
                    Response::Unknown => {}
                    // The checker reports this response.
                    _ => return self.histories,
                }
            };
            if self.changes {
                self.change(&name, &id, nth % 2 == 0).await;
            }
            // For a day, a create with this key must return the same lead, even if the lead was deleted or the servers
            // were restarted.
            self.call(&format!("{}-{}", self.name, nth / 2), "", Call::Create).await;
        }
        self.histories
    }

    async fn change(&mut self, name: &str, id: &str, delete: bool) {
        for value in 1..=2 {
            self.call(name, id, Call::Update(value)).await;
            self.call(name, id, Call::Read).await;
        }
        if delete {
            self.call(name, id, Call::Delete).await;
            self.call(name, id, Call::Read).await;
        }
    }

    /// Sends a call to the next server, and records its response.
    async fn call(&mut self, name: &str, id: &str, call: Call) -> Response {
        self.turn += 1;
        let path = format!("/{id}");
        let request = match call {
            Call::Create => {
                let body = json!({"client_id": "c1", "name": name, "value": 0}).to_string();
                self.calls.request(self.turn, Method::POST, "").header("idempotency-key", name).body(body)
            }
            Call::Read => self.calls.request(self.turn, Method::GET, &path),
            Call::Update(value) => {
                self.calls.request(self.turn, Method::PATCH, &path).body(json!({"value": value}).to_string())
            }
            Call::Delete => self.calls.request(self.turn, Method::DELETE, &path),
        };
        let request = request.header("content-type", "application/json");
        let response = send(request, call).await.unwrap_or(Response::Unknown);
        if call != Call::Read {
            let acknowledged = response != Response::Unknown;
            self.calls.written.lock().unwrap().push((Instant::now(), acknowledged));
        }
        self.histories.entry(name.to_owned()).or_default().push((call, response.clone()));
        sleep(PAUSE).await;
        response
    }
}

async fn send(request: RequestBuilder, call: Call) -> reqwest::Result<Response> {
    let response = request.send().await?;
    let status = response.status();
    let body = parse(&response.bytes().await?).unwrap_or_default();
    Ok(match (call, status) {
        (_, StatusCode::INTERNAL_SERVER_ERROR) => Response::Unknown,
        (Call::Create, StatusCode::CREATED) => Response::Created(body["id"].as_str().unwrap().to_owned()),
        (Call::Read | Call::Update(_), StatusCode::OK) => Response::Value(body["value"].as_u64().unwrap()),
        (Call::Delete, StatusCode::NO_CONTENT) => Response::Deleted,
        (_, StatusCode::NOT_FOUND) => Response::NotFound,
        (_, other) => Response::Unexpected(other.as_u16()),
    })
}

fn parse(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

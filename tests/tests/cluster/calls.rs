//! Runs three servers, and callers that send requests to all of them.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use leadapi_tests::{Admitted, ServerProcess, eventually, max_admitted_in, secret};
use reqwest::StatusCode;
use tokio::{task::JoinHandle, time::sleep};

use crate::server::{SERVERS, start};

const CALLERS: usize = 64;
pub(crate) const LIMIT: usize = 600;
pub(crate) const WINDOW: Duration = Duration::from_secs(60);
/// The pause after a refused or failed request, so that callers do not overload the machine.
const PAUSE: Duration = Duration::from_millis(200);

/// Three servers under load.
pub(crate) struct Load<'s> {
    settings: &'s [&'s str],
    servers: Vec<ServerProcess>,
    calls: Arc<Calls>,
    callers: Vec<JoinHandle<()>>,
}

impl<'s> Load<'s> {
    /// Starts the servers and the callers.
    pub(crate) fn start(settings: &'s [&'s str]) -> Self {
        let token = secret("cluster");
        let servers: Vec<ServerProcess> = (0..SERVERS).map(|_| start(settings, &token)).collect();
        let urls = Mutex::new(servers.iter().map(|server| server.url.clone()).collect());
        let calls = Arc::new(Calls { token, urls, stopped: AtomicBool::new(false), admitted: Mutex::default() });
        let callers = (0..CALLERS).map(|nth| {
            let calls = calls.clone();
            tokio::spawn(async move { calls.send(nth).await })
        });
        Self { settings, servers, callers: callers.collect(), calls }
    }

    /// Waits until this number of requests has been admitted, and returns how long it took.
    pub(crate) async fn wait_for(&self, admitted: usize) -> Duration {
        let start = Instant::now();
        let count = || self.calls.admitted.lock().unwrap().len();
        eventually("the admissions", async || (count() >= admitted).then_some(()).ok_or_else(count)).await;
        start.elapsed()
    }

    /// Waits until at least this number of requests has been admitted in a window that begins after `from`.
    pub(crate) async fn wait_for_window(&self, admitted: usize, from: Instant) {
        let most = || {
            let all = self.calls.admitted.lock().unwrap();
            let later: Vec<Admitted> = all.iter().filter(|request| request.sent >= from).copied().collect();
            if later.len() < admitted { later.len() } else { max_admitted_in(WINDOW, &later) }
        };
        eventually("the window", async || (most() >= admitted).then_some(()).ok_or_else(most)).await;
    }

    /// Kills a server and starts a new one in its place.
    pub(crate) fn replace_a_server(&mut self) {
        self.servers[0].child.kill().unwrap();
        self.servers[0] = start(self.settings, &self.calls.token);
        self.calls.urls.lock().unwrap()[0].clone_from(&self.servers[0].url);
    }

    /// Stops the callers, and asserts that the limit held in every interval of 60 s.
    pub(crate) async fn stop(&mut self) {
        self.calls.stopped.store(true, Relaxed);
        for caller in self.callers.drain(..) {
            caller.await.unwrap();
        }
        let most = max_admitted_in(WINDOW, &self.calls.admitted.lock().unwrap());
        assert!(most <= LIMIT, "{most} requests were admitted in {WINDOW:?}");
    }
}

/// The admitted requests of all callers, and the URLs of the servers.
struct Calls {
    token: String,
    urls: Mutex<Vec<String>>,
    stopped: AtomicBool,
    admitted: Mutex<Vec<Admitted>>,
}

impl Calls {
    /// Sends requests to the servers in turn until the callers are stopped.
    async fn send(&self, mut nth: usize) {
        let client = reqwest::Client::new();
        while !self.stopped.load(Relaxed) {
            nth += 1;
            let url = format!("{}/leads?limit=1", self.urls.lock().unwrap()[nth % SERVERS]);
            let sent = Instant::now();
            let Ok(response) = client.get(url).bearer_auth(&self.token).send().await else {
                // The server may have been killed.
                sleep(PAUSE).await;
                continue;
            };
            match response.status() {
                StatusCode::OK => self.admitted.lock().unwrap().push(Admitted { sent, received: Instant::now() }),
                // On a busy machine, a server may lose its lease of the limit.
                StatusCode::TOO_MANY_REQUESTS | StatusCode::INTERNAL_SERVER_ERROR => sleep(PAUSE).await,
                other => panic!("status {other}"),
            }
        }
    }
}

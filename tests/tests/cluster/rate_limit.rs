//! Three servers apply one rate limit, also while one of them is killed and started again (contract D9).

use std::{
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use leadapi_tests::{postgres::Cluster, secret, serve_with_rate_limits};
use reqwest::StatusCode;
use tokio::time::sleep;

const SERVERS: usize = 3;
const CALLERS: usize = 64;
const LIMIT: usize = 600;
const WINDOW: Duration = Duration::from_secs(60);
/// A refused caller waits this long, so that refused requests do not use up the machine.
const PAUSE: Duration = Duration::from_millis(200);

/// A server process and its URL. Killed when it is dropped.
struct Server(Child, String);

impl Server {
    fn start(store: &str, token: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        // The log would contain a line for each request.
        let command = command.args(["serve", "--store", store]).stderr(Stdio::null());
        let (child, url) = serve_with_rate_limits(command, token);
        Self(child, url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        drop(self.0.wait());
    }
}

/// The time at which an admitted request was sent, and the time at which its response arrived.
type Admitted = (Instant, Instant);

/// The admitted requests of all callers, and the URLs that they use.
struct Calls {
    token: String,
    urls: Mutex<Vec<String>>,
    admitted: Mutex<Vec<Admitted>>,
}

impl Calls {
    /// Sends requests to one server after another until `end`.
    async fn send_until(&self, end: Instant, mut nth: usize) {
        let client = reqwest::Client::new();
        while Instant::now() < end {
            nth += 1;
            let url = format!("{}/leads?limit=1", self.urls.lock().unwrap()[nth % SERVERS]);
            let sent = Instant::now();
            let Ok(response) = client.get(url).bearer_auth(&self.token).send().await else {
                // The server was killed.
                sleep(PAUSE).await;
                continue;
            };
            match response.status() {
                StatusCode::OK => self.admitted.lock().unwrap().push((sent, Instant::now())),
                StatusCode::TOO_MANY_REQUESTS => sleep(PAUSE).await,
                other => panic!("status {other}"),
            }
        }
    }

    /// Returns the number of responses that arrived in an interval.
    fn count(&self, from: Instant, to: Instant) -> usize {
        self.admitted.lock().unwrap().iter().filter(|(_, received)| (from..to).contains(received)).count()
    }

    /// Asserts that no 60 s contain more admissions than the limit. Each was made while the caller waited for it.
    fn assert_within_the_limit(&self) {
        let mut admitted = self.admitted.lock().unwrap().clone();
        admitted.sort_by_key(|(_, received)| *received);
        for many in admitted.windows(LIMIT + 1) {
            let first = many.iter().map(|(sent, _)| *sent).min().unwrap();
            let took = many[LIMIT].1 - first;
            assert!(took >= WINDOW, "{} requests were admitted in {took:?}", LIMIT + 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_admit_one_limit_while_one_is_killed() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = cluster.url(&cluster.create_database("rate_limit").await);
    let token = secret("cluster");
    let mut servers: Vec<Server> = (0..SERVERS).map(|_| Server::start(&store, &token)).collect();
    let urls = Mutex::new(servers.iter().map(|server| server.1.clone()).collect());
    let calls = Arc::new(Calls { token: token.clone(), urls, admitted: Mutex::default() });
    let begun = Instant::now();
    let end = begun + Duration::from_secs(150);
    let callers: Vec<_> = (0..CALLERS)
        .map(|nth| {
            let calls = calls.clone();
            tokio::spawn(async move { calls.send_until(end, nth).await })
        })
        .collect();

    // All callers together use the limit within seconds, and then wait for the window.
    while calls.count(begun, end) < LIMIT {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} requests were admitted", calls.count(begun, end));
        sleep(Duration::from_millis(50)).await;
    }
    // The killed server's share is lost until its lease and the window have passed.
    servers[0] = {
        servers[0].0.kill().unwrap();
        Server::start(&store, &token)
    };
    calls.urls.lock().unwrap()[0].clone_from(&servers[0].1);
    let restarted = Instant::now();
    for caller in callers {
        caller.await.unwrap();
    }
    calls.assert_within_the_limit();
    // By then, the share has returned, and the last complete window has the whole limit.
    let share_returned = restarted + Duration::from_secs(75);
    assert!(share_returned + WINDOW < end, "the servers took too long to start");
    let after = calls.count(share_returned, share_returned + WINDOW);
    assert!((LIMIT * 9 / 10..=LIMIT).contains(&after), "{after} requests in the window after the share has returned");
}

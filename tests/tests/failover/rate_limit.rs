//! Callers that exceed the limits of one token on all servers, and a check of how many requests were admitted (contract
//! D9).

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use leadapi_tests::{Admitted, max_admitted_in};
use reqwest::{Client, StatusCode};
use tokio::{task::JoinHandle, time::sleep};

const WINDOW: Duration = Duration::from_secs(60);
/// The pause after each response of a caller.
const PAUSE: Duration = Duration::from_millis(200);
/// The timeout of a request. It is longer than the server's own timeout.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The number of callers of each class. Together they send several times as many requests as the limit admits.
const CALLERS: usize = 6;

#[derive(Debug, Clone, Copy)]
enum Class {
    Read,
    Write,
}

impl Class {
    const fn limit(self) -> usize {
        match self {
            Self::Read => 600,
            Self::Write => 60,
        }
    }
}

/// The responses that the callers of one class received.
#[derive(Default)]
struct Responses {
    admitted: Vec<Admitted>,
    refused: usize,
    /// The number of requests that may have been admitted.
    unknown: usize,
}

pub(crate) struct LimitedCallers {
    stopped: Arc<AtomicBool>,
    callers: Vec<(Class, JoinHandle<Responses>)>,
}

impl LimitedCallers {
    pub(crate) fn start(urls: &[String], token: &str) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let client = Client::builder().timeout(TIMEOUT).build().unwrap();
        let classes =
            [Class::Read, Class::Write].into_iter().flat_map(|class| (0..CALLERS).map(move |nth| (class, nth)));
        let callers = classes.map(|(class, nth)| {
            let (client, token) = (client.clone(), token.to_owned());
            let urls = urls.iter().cycle().skip(nth % urls.len()).take(urls.len()).cloned().collect();
            (class, tokio::spawn(send(class, client, urls, token, stopped.clone())))
        });
        Self { callers: callers.collect(), stopped }
    }

    /// Stops the callers, and asserts that they used up both limits without exceeding them.
    pub(crate) async fn stop(self) {
        self.stopped.store(true, Relaxed);
        let (mut reads, mut writes) = (Responses::default(), Responses::default());
        for (class, caller) in self.callers {
            let responses = caller.await.unwrap();
            let all = match class {
                Class::Read => &mut reads,
                Class::Write => &mut writes,
            };
            all.admitted.extend(responses.admitted);
            all.refused += responses.refused;
            all.unknown += responses.unknown;
        }
        for (class, Responses { admitted, refused, unknown }) in [(Class::Read, reads), (Class::Write, writes)] {
            let (most, limit) = (max_admitted_in(WINDOW, &admitted), class.limit());
            let line = format!(
                "{class:?} requests of one token: {} admitted, at most {most} in {WINDOW:?}, {refused} refused, {unknown} unknown\n",
                admitted.len(),
            );
            // The test harness captures `eprintln!` and hides its output if the test passes.
            io::stderr().write_all(line.as_bytes()).unwrap();
            assert!(most <= limit, "{most} requests were admitted in {WINDOW:?}");
            assert!(most >= limit * 9 / 10, "the callers did not use up the limit of {limit}");
        }
    }
}

/// Sends requests to the servers in turn until the callers are stopped.
async fn send(class: Class, client: Client, urls: Vec<String>, token: String, stopped: Arc<AtomicBool>) -> Responses {
    let mut responses = Responses::default();
    for url in urls.iter().cycle() {
        if stopped.load(Relaxed) {
            break;
        }
        let sent = Instant::now();
        // An invalid request counts as admitted. Its response does not depend on the store, so it proves the admission
        // even if the primary has just failed.
        let request = match class {
            Class::Read => client.get(format!("{url}/leads?limit=many")),
            Class::Write => client.post(format!("{url}/leads")).header("content-type", "application/json").body("{}"),
        };
        match request.bearer_auth(&token).send().await.map(|response| response.status()) {
            Ok(StatusCode::BAD_REQUEST) => responses.admitted.push(Admitted { sent, received: Instant::now() }),
            Ok(StatusCode::TOO_MANY_REQUESTS) => responses.refused += 1,
            Ok(StatusCode::INTERNAL_SERVER_ERROR) | Err(_) => responses.unknown += 1,
            Ok(other) => panic!("status {other}"),
        }
        sleep(PAUSE).await;
    }
    responses
}

//! Tests of the client-side rate limit. A client that is the only user of its token must never receive a 429, and must
//! take at most one minute longer than the limit requires.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use leadapi_client::{
    Client, ClientBuilder, Credential, Pacing, RetryPolicy, WaitReason,
    id::LeadId,
    model::NewLead,
    timer::Timer,
    transport::{InProcess, Transport, TransportError},
};
use leadapi_core::{
    http::LeadService,
    rate_limit::{Limits, SlidingWindow},
};
use tokio::{task::JoinSet, time::Instant};

use crate::support::{casa_verde, limited};

/// tokio's clock, which these tests pause.
struct TokioTimer(Instant);

#[async_trait::async_trait]
impl Timer for TokioTimer {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Returns a client builder that uses tokio's clock.
fn builder(token: impl Into<Credential>) -> ClientBuilder {
    Client::builder("http://in-process/v1", token).timer(TokioTimer(Instant::now()))
}

const MINUTE: Duration = Duration::from_secs(60);

/// The service behind a network with a variable delay in both directions.
struct DelayedTransport {
    inner: InProcess<LeadService>,
    count: AtomicU64,
    refused: Arc<AtomicUsize>,
}

impl DelayedTransport {
    async fn delay(&self) {
        // Delays of 0 to 99 ms, identical in every run.
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(count * 7_919 % 100)).await;
    }
}

#[async_trait::async_trait]
impl Transport for DelayedTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        self.delay().await;
        let response = self.inner.send(request).await;
        if matches!(&response, Ok(response) if response.status() == StatusCode::TOO_MANY_REQUESTS) {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        self.delay().await;
        response
    }
}

/// Returns a client for a service on tokio's clock, and a counter of rejected requests.
fn client(pacing: Pacing) -> (Client, Arc<AtomicUsize>) {
    let start = Instant::now();
    let (service, token) = limited(SlidingWindow::with_time(Limits::default(), move || start.elapsed()));
    let refused = Arc::new(AtomicUsize::new(0));
    let transport =
        DelayedTransport { inner: InProcess::new(service), count: AtomicU64::new(0), refused: refused.clone() };
    // Some calls must wait longer than the default timeout.
    let builder = builder(token).pacing(pacing).timeout(10_000 * MINUTE);
    (builder.transport(transport).build().unwrap(), refused)
}

/// Makes `calls` calls from `callers` concurrent callers. Returns the elapsed time.
async fn run<F: Future<Output = ()> + Send + 'static>(callers: usize, calls: usize, call: impl Fn() -> F) -> Duration {
    let start = Instant::now();
    let (mut running, mut left) = (JoinSet::new(), calls);
    while left > 0 || !running.is_empty() {
        while left > 0 && running.len() < callers {
            running.spawn(call());
            left -= 1;
        }
        running.join_next().await.unwrap().unwrap();
    }
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_calls_receive_no_429() {
    let windows = |calls: u32, limit: u32| MINUTE * (calls.div_ceil(limit) - 1);
    for callers in [1, 500] {
        let (client, refused) = client(Pacing::default());
        let create = || {
            let call = client.leads().create(&NewLead::new(&casa_verde(), "Ann")).retry(RetryPolicy::none());
            async { drop(call.await.unwrap()) }
        };
        let took = run(callers, 10_000, create).await;
        assert_eq!(refused.load(Ordering::Relaxed), 0);
        let least = windows(10_000, 60);
        assert!(took >= least && took <= least + MINUTE, "{callers} callers: {took:?}, the limit requires {least:?}");
    }
    let (client, refused) = client(Pacing::default());
    let id = LeadId::parse("lead-1").unwrap();
    let get = || {
        let call = client.leads().get(&id).retry(RetryPolicy::none());
        async { drop(call.await.unwrap()) }
    };
    let took = run(700, 10_000, get).await;
    assert_eq!(refused.load(Ordering::Relaxed), 0);
    let least = windows(10_000, 600);
    assert!(took >= least && took <= least + MINUTE, "{took:?}, the limit requires {least:?}");
}

#[tokio::test(start_paused = true)]
async fn clients_that_share_a_token_all_succeed() {
    let start = Instant::now();
    let (service, token) = limited(SlidingWindow::with_time(Limits::default(), move || start.elapsed()));
    let mut running = JoinSet::new();
    for _ in 0..8 {
        let transport = InProcess::new(service.clone());
        let client = builder(&token).timeout(60 * MINUTE).transport(transport).build().unwrap();
        running.spawn(async move {
            for _ in 0..60 {
                client.leads().create(&NewLead::new(&casa_verde(), "Ann")).await.unwrap();
            }
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    let least = 7 * MINUTE;
    assert!(start.elapsed() >= least && start.elapsed() <= least + MINUTE, "{:?}", start.elapsed());
    let all = builder(token).in_process(service).build().unwrap();
    assert_eq!(all.leads().list(&leadapi_client::model::LeadQuery::new()).await.unwrap().total, 481);
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_reported_when_it_begins() {
    let (service, token) = limited(SlidingWindow::new(Limits::default()));
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hook = seen.clone();
    let client = builder(token)
        .pacing(Pacing::default().writes(2))
        .on_wait(move |wait| hook.lock().unwrap().push((wait.reason, wait.duration.as_secs())))
        .in_process(service)
        .build()
        .unwrap();
    for _ in 0..2 {
        client.leads().create(&NewLead::new(&casa_verde(), "Ann")).await.unwrap();
    }
    tokio::time::advance(Duration::from_secs(10)).await;
    client.leads().create(&NewLead::new(&casa_verde(), "Ann")).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(WaitReason::Pacing, 50)]);

    client.leads().create(&NewLead::new(&casa_verde(), "Ann")).await.unwrap();
    // A call fails immediately if it would get its permit only after its timeout.
    let started_at = Instant::now();
    let error = client.leads().create(&NewLead::new(&casa_verde(), "Ann")).timeout(Duration::from_secs(1)).await;
    let error = error.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (leadapi_client::Outcome::NotSent, 0));
    assert!(error.is_timeout() && error.is_retryable());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(60)), "the client knows when the next request is allowed");
    assert_eq!(started_at.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn calls_are_sent_in_arrival_order_and_wait_once() {
    let start = Instant::now();
    let (service, token) = limited(SlidingWindow::with_time(Limits::default(), move || start.elapsed()));
    let waits = Arc::new(AtomicUsize::new(0));
    let hook = waits.clone();
    let client = builder(token)
        .pacing(Pacing::default().writes(60))
        .retry(RetryPolicy::none())
        .timeout(Duration::from_secs(300))
        .on_wait(move |_| {
            hook.fetch_add(1, Ordering::Relaxed);
        })
        .in_process(service)
        .build()
        .unwrap();
    let call = |nth: usize| {
        let create = client.leads().create(&NewLead::new(&casa_verde(), format!("{nth}")));
        async move { (nth, create.await.map_err(|error| error.outcome())) }
    };
    let mut calls: JoinSet<_> = (0..290).map(call).collect();
    let mut ended = Vec::new();
    for nth in 290..590 {
        // Later calls arrive while the first calls wait. They would get their permits only after their timeouts.
        tokio::time::advance(Duration::from_millis(200)).await;
        calls.spawn(call(nth));
    }
    while let Some(end) = calls.join_next().await {
        ended.push(end.unwrap());
    }
    let created: Vec<usize> = ended.iter().filter(|(_, end)| end.is_ok()).map(|(nth, _)| *nth).collect();
    assert!((0..290).all(|nth| created.contains(&nth)), "the first calls are sent");
    assert!(waits.load(Ordering::Relaxed) <= 590, "{} waits", waits.load(Ordering::Relaxed));
}

//! Tests that drop a call after its n-th poll, for every n. Only requests that were sent use up the rate limit, and
//! retrying a dropped create under its key creates a single lead.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use leadapi_client::{
    Client, Pacing, RetryPolicy, WaitReason,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
    timer::Timer,
    transport::{InProcess, Transport, TransportError},
};
use leadapi_core::http::LeadService;

use crate::support::{casa_verde, service, wait};

/// Yields once.
async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// A transport that yields before and after each request, and fails two of every three requests.
struct YieldingTransport {
    inner: InProcess<LeadService>,
    sent: Arc<AtomicUsize>,
}

#[async_trait::async_trait]
impl Transport for YieldingTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let nth = self.sent.fetch_add(1, Ordering::Relaxed);
        pause().await;
        if nth % 3 == 1 {
            return Err(TransportError::not_sent("scripted"));
        }
        let response = self.inner.send(request).await;
        pause().await;
        if nth.is_multiple_of(3) { Err(TransportError::maybe_sent("scripted")) } else { response }
    }
}

/// A clock that advances when a call sleeps.
#[derive(Default)]
struct SleepClock(Mutex<Duration>);

#[async_trait::async_trait]
impl Timer for SleepClock {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    async fn sleep(&self, duration: Duration) {
        // This sleep is an attempt's timeout. It never elapses, because the attempt always completes first.
        if duration >= Duration::from_secs(9) {
            std::future::pending::<()>().await;
        }
        pause().await;
        *self.0.lock().unwrap() += duration;
        pause().await;
    }
}

const LIMIT: usize = 40;

fn client(
    service: LeadService,
    token: &leadapi_client::auth::BearerToken,
) -> (Client, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (sent, waits) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (halting, hook) = (YieldingTransport { inner: InProcess::new(service), sent: sent.clone() }, waits.clone());
    let limit = u32::try_from(LIMIT).unwrap();
    let client = Client::builder("http://in-process/v1", token)
        .pacing(Pacing::off().reads(limit).writes(limit))
        .timer(SleepClock::default())
        .on_wait(move |wait| {
            hook.fetch_add(usize::from(wait.reason == WaitReason::Pacing), Ordering::Relaxed);
        })
        .transport(halting)
        .build()
        .unwrap();
    (client, sent, waits)
}

/// Polls a call up to `times` times, then drops it. Returns whether it completed.
fn poll_times<C: IntoFuture>(call: C, times: usize) -> bool {
    let mut future = pin!(call.into_future());
    let mut cx = Context::from_waker(Waker::noop());
    (0..times).any(|_| future.as_mut().poll(&mut cx).is_ready())
}

/// Drops a call after zero, one, two and more polls, each time on a new client. Checks that only sent requests use up
/// the rate limit. Returns the number of polls that the call needs to complete.
fn drop_everywhere<C: IntoFuture>(call: impl Fn(&Client) -> C, counts_as_write: bool) -> usize {
    for times in 0..10_000 {
        let (service, token) = service();
        let (client, sent, waits) = client(service, &token);
        let ended = poll_times(call(&client), times);
        // Requests that failed before they were sent do not count.
        let not_sent = (0..sent.load(Ordering::Relaxed)).filter(|nth| nth % 3 == 1).count();
        // The dropped request may or may not have been sent.
        let used = sent.load(Ordering::Relaxed) - not_sent;
        let maybe = usize::from(!ended) * not_sent.min(1);
        let mut free = 0;
        while waits.load(Ordering::Relaxed) == 0 && free <= LIMIT {
            let before = sent.load(Ordering::Relaxed);
            // Any call that does not wait for the rate limit completes within 100 polls.
            if counts_as_write {
                let create = client.leads().create(&NewLead::new(&casa_verde(), "Ann"));
                poll_times(create.retry(RetryPolicy::none()), 100);
            } else {
                poll_times(client.pipelines().list(Window::default()).retry(RetryPolicy::none()), 100);
            }
            let counted = before % 3 != 1 && waits.load(Ordering::Relaxed) == 0;
            free += usize::from(counted);
        }
        assert!(
            (LIMIT - used - maybe..=LIMIT - used).contains(&free),
            "{times} polls: {free} permits are free, {used} requests were sent"
        );
        if ended {
            return times;
        }
    }
    panic!("the call never completes");
}

#[test]
fn a_dropped_call_loses_no_rate_limit_permit() {
    let id = "lead-1".parse().unwrap();
    let new = NewLead::new(&casa_verde(), "Øyvind");
    let polls = [
        drop_everywhere(|client| client.leads().list(&LeadQuery::new()), false),
        drop_everywhere(|client| client.leads().create(&new), true),
        drop_everywhere(|client| client.leads().get(&id), false),
        drop_everywhere(|client| client.leads().update(&id, &LeadPatch::new().name("Ann")), true),
        drop_everywhere(|client| client.leads().delete(&id), true),
        drop_everywhere(|client| client.pipelines().list(Window::default()), false),
        drop_everywhere(|client| client.client_accounts().list(Window::default()), false),
    ];
    // Three attempts and two waits take at least seven polls.
    assert!(polls.iter().all(|polls| *polls >= 7), "{polls:?}");
}

#[test]
fn a_dropped_create_that_is_repeated_creates_one_lead() {
    let new = NewLead::new(&casa_verde(), "Øyvind");
    let key = IdempotencyKey::parse("row-1").unwrap();
    let create = |client: &Client| client.leads().create(&new).idempotency_key(key.clone());
    for times in 0..100 {
        let (service, token) = service();
        let (client, ..) = client(service.clone(), &token);
        let ended = poll_times(create(&client), times);
        wait(create(&client)).unwrap();
        let direct = Client::builder("http://in-process/v1", &token).in_process(service).build().unwrap();
        assert_eq!(wait(direct.leads().list(&LeadQuery::new())).unwrap().total, 2, "{times} polls");
        if ended {
            return assert!(times >= 7);
        }
    }
    panic!("the call never completes");
}

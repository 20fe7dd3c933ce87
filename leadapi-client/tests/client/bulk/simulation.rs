//! The real service behind an unreliable transport, on a simulated clock.

use std::{
    collections::BTreeMap,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use leadapi_client::{
    Client, Pacing,
    auth::{BearerToken, Scopes},
    bulk::{CreateMany, RowResult, Stopped},
    model::{LeadQuery, NewLead, Window},
    timer::{ManualTimer, Timer},
    transport::{InProcess, Transport, TransportError},
};
use leadapi_core::{
    http::LeadService,
    rate_limit::{Limits, SlidingWindow},
};

use crate::support;

/// The fault that the transport injects into a request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Fault {
    #[default]
    None,
    NotSent,
    Permanent,
    RequestLost,
    ResponseLost,
    ServerError,
    BadGatewayAfterwards,
}

/// A transport that delays each request and each response by a number of polls, and injects faults that depend on the
/// number of the request.
struct UnreliableTransport {
    service: InProcess<LeadService>,
    fault: fn(u64) -> Fault,
    polls: fn(&str) -> usize,
    seen: Arc<Seen>,
}

#[derive(Default)]
pub(super) struct Seen {
    pub(super) requests: AtomicU64,
    pub(super) in_flight: AtomicUsize,
    pub(super) max_in_flight: AtomicUsize,
}

struct InFlightGuard<'s>(&'s Seen);

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Yields to the executor `times` times.
async fn yield_times(mut times: usize) {
    std::future::poll_fn(|cx| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[async_trait]
impl Transport for UnreliableTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let number = self.seen.requests.fetch_add(1, Ordering::Relaxed);
        let now = self.seen.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.seen.max_in_flight.fetch_max(now, Ordering::Relaxed);
        let _under_way = InFlightGuard(&self.seen);
        let polls = (self.polls)(std::str::from_utf8(request.body()).unwrap());
        let answer = |status: u16| Ok(Response::builder().status(status).body(Bytes::from("gateway")).unwrap());
        yield_times(polls).await;
        match (self.fault)(number) {
            Fault::NotSent => return Err(TransportError::not_sent("unplugged")),
            Fault::Permanent => return Err(TransportError::not_sent("a transport fault").permanent()),
            Fault::RequestLost => return Err(TransportError::maybe_sent("lost")),
            Fault::ServerError => return answer(500),
            Fault::None | Fault::ResponseLost | Fault::BadGatewayAfterwards => {}
        }
        let response = self.service.send(request).await;
        yield_times(polls).await;
        match (self.fault)(number) {
            Fault::ResponseLost => Err(TransportError::maybe_sent("lost")),
            Fault::BadGatewayAfterwards => answer(502),
            _ => response,
        }
    }
}

/// The service, the settings of the client and its transport, and the clock.
pub(super) struct Simulation {
    pub(super) clock: ManualTimer,
    pub(super) seen: Arc<Seen>,
    pub(super) service: LeadService,
    pub(super) token: BearerToken,
    pub(super) pacing: Pacing,
    pub(super) fault: fn(u64) -> Fault,
    pub(super) polls: fn(&str) -> usize,
}

pub(super) fn simulation() -> Simulation {
    simulation_with(Scopes::Both, 1_000_000)
}

pub(super) fn simulation_with(scopes: Scopes, writes: u32) -> Simulation {
    let clock = ManualTimer::new();
    let (builder, token) = support::builder(scopes);
    let limits = Limits::new(Limits::default().reads, writes.try_into().unwrap());
    let time = clock.clone();
    let limiter = SlidingWindow::with_time(limits, move || time.now());
    let service = builder.limiter(limiter).build().unwrap();
    let (seen, pacing) = (Arc::default(), Pacing::off());
    Simulation { clock, seen, service, token, pacing, fault: |_| Fault::None, polls: |_| 1 }
}

impl Simulation {
    pub(super) fn client(&self) -> Client {
        self.client_at("http://in-process/v1", self.token.clone())
    }

    pub(super) fn client_at(&self, url: &str, token: impl Into<leadapi_client::Credential>) -> Client {
        let service = InProcess::new(self.service.clone());
        let transport = UnreliableTransport { service, fault: self.fault, polls: self.polls, seen: self.seen.clone() };
        Client::builder(url, token).pacing(self.pacing).timer(self.clock.clone()).transport(transport).build().unwrap()
    }

    /// Runs a future to completion. Advances the clock whenever the future is pending and has not been woken.
    pub(super) fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            assert!(woken.0.swap(false, Ordering::Relaxed) || self.clock.advance_to_next(), "the future is stuck");
        }
    }

    pub(super) fn run_to_end<R: AsRef<NewLead>>(
        &self,
        creates: &mut CreateMany<'_, R>,
    ) -> (Vec<RowResult<R>>, Option<Stopped>) {
        let mut results = Vec::new();
        loop {
            match self.run(creates.next()) {
                Some(Ok(result)) => results.push(result),
                end => {
                    assert!(self.run(creates.next()).is_none(), "the stream continues after its end");
                    return (results, end.and_then(Result::err));
                }
            }
        }
    }

    /// Returns the number of leads with each name, not counting the initial lead.
    pub(super) fn leads(&self) -> BTreeMap<String, usize> {
        let direct = Client::builder("http://in-process/v1", self.token.clone()).pacing(Pacing::off());
        let direct = direct.in_process(self.service.clone()).build().unwrap();
        let mut names = BTreeMap::new();
        for offset in (0..).step_by(200) {
            let query = LeadQuery::new().window(Window::new(200, offset).unwrap());
            let page = self.run(direct.leads().list(&query).into_future()).unwrap();
            if page.data.is_empty() {
                break;
            }
            for lead in page.data.into_iter().filter(|lead| lead.id.as_str() != "lead-1") {
                *names.entry(lead.name).or_default() += 1;
            }
        }
        names
    }
}

#[derive(Default)]
pub(super) struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

//! A service backed by the model, reached over an unreliable connection.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::{Request, Response, Uri};
use leadapi_client::{
    Client, Pacing, RetryPolicy,
    model::{LeadItem, LeadQuery, Page, Window},
    pager::LeadPager,
    timer::ManualTimer,
    transport::{Transport, TransportError},
};

use super::model::Model;

/// A service that responds from a model. Its requests may be slow or fail.
#[derive(Clone)]
pub(super) struct UnreliableService {
    pub(super) model: Arc<Mutex<Model>>,
    /// On average, one in `fails` requests fails. If `fails` is 0, none fails.
    pub(super) fails: usize,
    /// The maximum number of polls for each of two waits, before and after a request reaches the service.
    pub(super) waits: usize,
    pub(super) requested: Arc<Mutex<Vec<Window>>>,
    pub(super) in_flight: Arc<AtomicUsize>,
}

impl UnreliableService {
    pub(super) fn new(model: Model, fails: usize, waits: usize) -> Self {
        let model = Arc::new(Mutex::new(model));
        Self { model, fails, waits, requested: Arc::default(), in_flight: Arc::default() }
    }

    /// Returns a service that is fast and never fails. Its list does not change by itself.
    pub(super) fn quiet(leads: usize) -> Self {
        Self::new(Model::quiet(leads), 0, 0)
    }

    async fn wait(&self) {
        let mut times = self.model.lock().unwrap().rng.below(self.waits + 1);
        std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            times = times.saturating_sub(1);
            if times == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    pub(super) fn pager(&self) -> LeadPager {
        pager(self.clone())
    }

    pub(super) fn one_in(&self, times: usize) -> bool {
        times > 0 && self.model.lock().unwrap().rng.one_in(times)
    }
}

#[async_trait::async_trait]
impl Transport for UnreliableService {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let window = window(request.uri());
        self.requested.lock().unwrap().push(window);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let _guard = InFlightGuard(self.in_flight.clone());
        self.wait().await;
        let lost = self.fails > 0 && self.model.lock().unwrap().rng.one_in(self.fails);
        // Either the request or the response is lost.
        if lost && self.model.lock().unwrap().rng.one_in(2) {
            return Err(TransportError::not_sent("unplugged"));
        }
        let page = self.model.lock().unwrap().respond(window);
        self.wait().await;
        if lost { Err(TransportError::not_sent("unplugged")) } else { Ok(response(&page)) }
    }
}

struct InFlightGuard(Arc<AtomicUsize>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A service in which a function computes the page for each window.
pub(super) struct Answers<F>(Mutex<F>);

impl<F: FnMut(Window) -> Page<LeadItem> + Send + 'static> Answers<F> {
    pub(super) const fn new(answer: F) -> Self {
        Self(Mutex::new(answer))
    }
}

#[async_trait::async_trait]
impl<F: FnMut(Window) -> Page<LeadItem> + Send + 'static> Transport for Answers<F> {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let page = (self.0.lock().unwrap())(window(request.uri()));
        Ok(response(&page))
    }
}

/// Returns a client that sends each request once, as soon as the call is polled.
pub(super) fn client(transport: impl Transport + 'static) -> Client {
    let builder = Client::builder("http://unreliable/v1", "pak_0123").retry(RetryPolicy::none());
    builder.pacing(Pacing::off()).timer(ManualTimer::new()).transport(transport).build().unwrap()
}

pub(super) fn pager(transport: impl Transport + 'static) -> LeadPager {
    client(transport).leads().list_all(LeadQuery::new())
}

pub(super) fn window(uri: &Uri) -> Window {
    let number = |name: &str| {
        let mut pairs = uri.query().unwrap().split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).unwrap().1.parse::<u64>().unwrap()
    };
    Window::new(number("limit").try_into().unwrap(), number("offset")).unwrap()
}

pub(super) fn response(page: &Page<LeadItem>) -> Response<Bytes> {
    Response::new(serde_json::to_vec(page).unwrap().into())
}

pub(super) fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

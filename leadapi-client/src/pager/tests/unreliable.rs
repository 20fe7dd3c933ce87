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

use futures_core::future::BoxFuture;
use leadapi_model::{
    http::Operation,
    model::{LeadItem, LeadQuery, Page, Window},
};

use super::model::Model;
use crate::{
    error::{Cause, Error},
    pager::{Fetch, LeadPager},
    transport::TransportError,
};

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

    pub(super) fn fetch(&self) -> Fetch {
        let service = self.clone();
        Arc::new(move |query| service.clone().request(query.window))
    }

    fn request(self, window: Window) -> BoxFuture<'static, Result<Page<LeadItem>, Error>> {
        self.requested.lock().unwrap().push(window);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let guard = InFlightGuard(self.in_flight.clone());
        Box::pin(async move {
            let _guard = guard;
            self.wait().await;
            let lost = self.fails > 0 && self.model.lock().unwrap().rng.one_in(self.fails);
            // Either the request or the response is lost.
            if lost && self.model.lock().unwrap().rng.one_in(2) {
                return Err(connection_error());
            }
            let page = self.model.lock().unwrap().respond(window);
            self.wait().await;
            if lost { Err(connection_error()) } else { Ok(page) }
        })
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
        LeadPager::new(self.fetch(), LeadQuery::new())
    }

    pub(super) fn one_in(&self, times: usize) -> bool {
        times > 0 && self.model.lock().unwrap().rng.one_in(times)
    }
}

struct InFlightGuard(Arc<AtomicUsize>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn connection_error() -> Error {
    Error::new(Operation::ListLeads, Cause::Transport(TransportError::not_sent("unplugged")))
}

pub(super) fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

//! A service over the model, on an unreliable connection.

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
use leadapi_core::{
    http::Operation,
    model::{LeadItem, LeadQuery, Page, Window},
};

use super::model::Model;
use crate::{
    error::{Cause, Error},
    transport::TransportError,
    walk::{Fetch, Walk},
};

/// A service over a model, on an unreliable connection.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) model: Arc<Mutex<Model>>,
    /// One in this many requests fails; 0 for none.
    pub(super) fails: usize,
    /// Maximum number of polls of each wait: one before a request reaches the service, one after.
    pub(super) waits: usize,
    pub(super) asked: Arc<Mutex<Vec<Window>>>,
    pub(super) under_way: Arc<AtomicUsize>,
}

impl Line {
    pub(super) fn new(model: Model, fails: usize, waits: usize) -> Self {
        let model = Arc::new(Mutex::new(model));
        Self { model, fails, waits, asked: Arc::default(), under_way: Arc::default() }
    }

    pub(super) fn fetch(&self) -> Fetch {
        let line = self.clone();
        Arc::new(move |query| line.clone().request(query.window))
    }

    fn request(self, window: Window) -> BoxFuture<'static, Result<Page<LeadItem>, Error>> {
        self.asked.lock().unwrap().push(window);
        self.under_way.fetch_add(1, Ordering::Relaxed);
        let guard = UnderWay(self.under_way.clone());
        Box::pin(async move {
            let _guard = guard;
            self.wait().await;
            let lost = self.fails > 0 && self.model.lock().unwrap().dice.one_in(self.fails);
            // The request is lost on the way to the service, or its response on the way back.
            if lost && self.model.lock().unwrap().dice.one_in(2) {
                return Err(unplugged());
            }
            let page = self.model.lock().unwrap().answer(window);
            self.wait().await;
            if lost { Err(unplugged()) } else { Ok(page) }
        })
    }

    async fn wait(&self) {
        let mut times = self.model.lock().unwrap().dice.below(self.waits + 1);
        std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            times = times.saturating_sub(1);
            if times == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    pub(super) fn walk(&self) -> Walk {
        Walk::new(self.fetch(), LeadQuery::new())
    }

    pub(super) fn one_in(&self, times: usize) -> bool {
        times > 0 && self.model.lock().unwrap().dice.one_in(times)
    }
}

struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn unplugged() -> Error {
    Error::new(Operation::ListLeads, Cause::Transport(TransportError::not_sent("unplugged")))
}

pub(super) fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

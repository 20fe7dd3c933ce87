//! Test doubles: ports that fail or panic, a store that blocks, and an endless body that counts its bytes.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use async_trait::async_trait;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use leadapi_core::{
    BoxError,
    auth::{Author, BearerToken},
    id::{BusinessId, LeadId, TokenId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{
        Admission, Class, Created, Idempotency, Listed, RateLimiter, Store, StoreError, TokenVerifier, Updated, Verdict,
    },
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};
use tokio::sync::Semaphore;

/// The cause of each simulated failure. No response may reveal it.
pub const CAUSE: &str = "connection to 10.0.0.1:5432 refused for user leadapi";

/// A store, verifier, limiter and body on which every call fails.
#[derive(Debug, Clone, Copy)]
pub enum Broken {
    /// Each call returns an error with the text [`CAUSE`].
    Fails,
    /// Each call panics with [`CAUSE`].
    Panics,
}

impl Broken {
    fn answer<T>(self) -> Result<T, BoxError> {
        match self {
            Self::Fails => Err(CAUSE.into()),
            Self::Panics => panic!("{CAUSE}"),
        }
    }
}

#[async_trait]
impl Store for Broken {
    async fn create(
        &self,
        _: &BusinessId,
        _: &Author,
        _: NewLeadMeta,
        _: LeadDraft,
        _: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn get(&self, _: &BusinessId, _: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn update(&self, _: &BusinessId, _: &Author, _: &LeadId, _: &LeadEdit) -> Result<Updated, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn delete(&self, _: &BusinessId, _: &Author, _: &LeadId) -> Result<bool, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn list(&self, _: &BusinessId, _: &LeadQuery) -> Result<Listed, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn pipelines(&self, _: &BusinessId, _: Window) -> Result<Page<Pipeline>, StoreError> {
        self.answer().map_err(StoreError::backend)
    }

    async fn clients(&self, _: &BusinessId, _: Window) -> Result<Page<ClientAccount>, StoreError> {
        self.answer().map_err(StoreError::backend)
    }
}

#[async_trait]
impl TokenVerifier for Broken {
    async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
        self.answer()
    }
}

#[async_trait]
impl RateLimiter for Broken {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        self.answer()
    }
}

/// A body that never ends. It can declare a length, and counts the bytes read from it.
#[derive(Debug, Clone, Default)]
pub struct EndlessBody {
    /// The length that the body declares, if any.
    pub claimed: Option<u64>,
    /// The number of bytes read so far.
    pub read: Arc<AtomicUsize>,
}

impl Body for EndlessBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        const CHUNK: &[u8] = &[b' '; 1024];
        self.read.fetch_add(CHUNK.len(), Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(CHUNK)))))
    }

    fn size_hint(&self) -> SizeHint {
        self.claimed.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Body for Broken {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Poll::Ready(Some(self.answer()))
    }
}

/// A store that blocks each call until [`Gated::open()`] releases it.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "trait objects have no Debug output")]
pub struct Gated {
    store: Arc<dyn Store>,
    arrived: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gated {
    /// Wraps a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, arrived: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) }
    }

    /// Waits until `calls` more calls have arrived.
    pub async fn arrived(&self, calls: u32) {
        self.arrived.acquire_many(calls).await.unwrap().forget();
    }

    /// Releases the next `calls` calls.
    pub fn open(&self, calls: usize) {
        self.open.add_permits(calls);
    }

    async fn through(&self) -> &dyn Store {
        self.arrived.add_permits(1);
        self.open.acquire().await.unwrap().forget();
        &*self.store
    }
}

#[async_trait]
impl Store for Gated {
    async fn create(
        &self,
        business: &BusinessId,
        author: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        once: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        self.through().await.create(business, author, meta, draft, once).await
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        self.through().await.get(business, id).await
    }

    async fn update(
        &self,
        business: &BusinessId,
        author: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        self.through().await.update(business, author, id, edit).await
    }

    async fn delete(&self, business: &BusinessId, author: &Author, id: &LeadId) -> Result<bool, StoreError> {
        self.through().await.delete(business, author, id).await
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        self.through().await.list(business, query).await
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        self.through().await.pipelines(business, window).await
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        self.through().await.clients(business, window).await
    }
}

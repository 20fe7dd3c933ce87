//! Parts of a host that fail in every way, and a body that counts what is read of it.

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
    auth::BearerToken,
    id::{BusinessId, LeadId, TokenId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{Admission, Class, Created, Idempotency, Listed, RateLimiter, Store, TokenVerifier, Updated, Verdict},
    validate::{LeadDraft, LeadEdit, Stamp},
};

/// What must never be seen by a caller.
pub const CAUSE: &str = "connection to 10.0.0.1:5432 refused for user leadapi";

/// Fails at whatever it is asked.
#[derive(Debug, Clone, Copy)]
pub enum Broken {
    /// Answers with an error that holds [`CAUSE`].
    Fails,
    /// Panics with [`CAUSE`].
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
        _: Stamp,
        _: LeadDraft,
        _: Option<&Idempotency>,
    ) -> Result<Created, BoxError> {
        self.answer()
    }

    async fn get(&self, _: &BusinessId, _: &LeadId) -> Result<Option<Arc<Lead>>, BoxError> {
        self.answer()
    }

    async fn update(&self, _: &BusinessId, _: &LeadId, _: &LeadEdit) -> Result<Updated, BoxError> {
        self.answer()
    }

    async fn remove(&self, _: &BusinessId, _: &LeadId) -> Result<bool, BoxError> {
        self.answer()
    }

    async fn list(&self, _: &BusinessId, _: &LeadQuery) -> Result<Listed, BoxError> {
        self.answer()
    }

    async fn pipelines(&self, _: &BusinessId, _: Window) -> Result<Page<Pipeline>, BoxError> {
        self.answer()
    }

    async fn clients(&self, _: &BusinessId, _: Window) -> Result<Page<ClientAccount>, BoxError> {
        self.answer()
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

/// A body without an end, which may claim a length, and counts the bytes that were taken from it.
#[derive(Debug, Clone, Default)]
pub struct Endless {
    /// What it says its length is.
    pub claimed: Option<u64>,
    /// How much of it was read.
    pub read: Arc<AtomicUsize>,
}

impl Body for Endless {
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

//! Store metrics: a wrapper that records the duration and errors of store calls.

use std::{sync::Arc, time::Instant};

use async_trait::async_trait;
use leadapi_core::{
    auth::Author,
    id::{BusinessId, LeadId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};

use super::Metrics;

/// A store that records the duration and the errors of all calls.
#[derive(Debug)]
pub struct InstrumentedStore<S> {
    store: S,
    metrics: Arc<Metrics>,
}

impl<S> InstrumentedStore<S> {
    /// Wraps a store.
    pub const fn new(store: S, metrics: Arc<Metrics>) -> Self {
        Self { store, metrics }
    }

    async fn measure<T>(
        &self,
        call: &str,
        result: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let start = Instant::now();
        let result = result.await;
        self.metrics.store_seconds.with_label_values(&[call]).observe(start.elapsed().as_secs_f64());
        // A refused token is not a failure of the store.
        if result.as_ref().is_err_and(|error| !matches!(error, StoreError::Unauthorized(_))) {
            self.metrics.store_errors.with_label_values(&[call]).inc();
        }
        result
    }
}

#[async_trait]
impl<S: Store> Store for InstrumentedStore<S> {
    async fn create(
        &self,
        business: &BusinessId,
        author: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        idempotency: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        self.measure("create", self.store.create(business, author, meta, draft, idempotency)).await
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        self.measure("get", self.store.get(business, id)).await
    }

    async fn update(
        &self,
        business: &BusinessId,
        author: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        self.measure("update", self.store.update(business, author, id, edit)).await
    }

    async fn delete(&self, business: &BusinessId, author: &Author, id: &LeadId) -> Result<bool, StoreError> {
        self.measure("remove", self.store.delete(business, author, id)).await
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        self.measure("list", self.store.list(business, query)).await
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        self.measure("pipelines", self.store.pipelines(business, window)).await
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        self.measure("clients", self.store.clients(business, window)).await
    }
}

//! The [`Store`] implementation for both databases.

use std::sync::Arc;

use async_trait::async_trait;
use leadapi_core::{
    auth::Author,
    id::{BusinessId, LeadId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};

use super::{
    SqlStore, lead, lead_statement, read,
    session::query,
    write::{LeadWrite, Write, WriteOutcome},
};

#[async_trait]
impl Store for SqlStore {
    async fn create(
        &self,
        business: &BusinessId,
        author: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        idempotency: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        let operation = LeadWrite::Create { meta, draft, idempotency: idempotency.cloned() };
        match self.database.write(business, Write { author: author.clone(), operation }).await? {
            WriteOutcome::Created(created) => Ok(created),
            other => Err(unexpected_outcome(&other)),
        }
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        Ok(self.database.row(Some(business), query!(&lead_statement::SELECT, business, id), lead::read).await?)
    }

    async fn update(
        &self,
        business: &BusinessId,
        author: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        let operation = LeadWrite::Update { id: id.clone(), edit: edit.clone() };
        match self.database.write(business, Write { author: author.clone(), operation }).await? {
            WriteOutcome::Updated(updated) => Ok(updated),
            other => Err(unexpected_outcome(&other)),
        }
    }

    async fn delete(&self, business: &BusinessId, author: &Author, id: &LeadId) -> Result<bool, StoreError> {
        let operation = LeadWrite::Delete { id: id.clone() };
        match self.database.write(business, Write { author: author.clone(), operation }).await? {
            WriteOutcome::Deleted(deleted) => Ok(deleted),
            other => Err(unexpected_outcome(&other)),
        }
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        Ok(self.database.list(business, query).await?)
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        let mut list = read::Pipelines::default();
        let query = read::Pipelines::query(business, window);
        self.database.rows(Some(business), query, |row| list.read(row)).await?;
        Ok(list.page(window))
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        let mut list = read::Clients::default();
        self.database.rows(Some(business), read::Clients::query(business, window), |row| list.read(row)).await?;
        Ok(list.page(window))
    }
}

fn unexpected_outcome(outcome: &WriteOutcome) -> StoreError {
    StoreError::backend(format!("the store returned the outcome of another write: {outcome:?}"))
}

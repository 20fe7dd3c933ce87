//! The copy of an API that a dry run calls.

use std::sync::Arc;

use async_trait::async_trait;
use leadapi_client::Client;
use leadapi_core::{
    auth::Author,
    clock::SystemClock,
    dataset::Directory as Records,
    id::{BusinessId, LeadId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};

use crate::{directory::Directory, error::ImportError, in_process::in_process};

/// Returns a client for a copy of an API. The copy has the API's client accounts and pipelines, but no leads.
pub(crate) fn copy_without_leads(directory: &Directory) -> Result<Client, ImportError> {
    let id = BusinessId::parse("copy").map_err(|error| ImportError::Setup(error.into()))?;
    let store = CheckOnly(Records::new(&directory.clients, &directory.pipelines));
    in_process(store, SystemClock, id).map_err(ImportError::Setup)
}

/// A store that checks the references of a lead and does not keep the lead, so that a large file needs no memory.
struct CheckOnly(Records);

#[async_trait]
impl Store for CheckOnly {
    async fn create(
        &self,
        _: &BusinessId,
        _: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        _: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        let references = self.0.look_up(draft.required_lookups());
        let lead = draft.into_lead(meta, &references);
        Ok(lead.map_or_else(Created::Refused, |lead| Created::New(Arc::new(lead))))
    }

    async fn get(&self, _: &BusinessId, _: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        Ok(None)
    }

    async fn update(&self, _: &BusinessId, _: &Author, _: &LeadId, _: &LeadEdit) -> Result<Updated, StoreError> {
        Ok(Updated::Missing)
    }

    async fn delete(&self, _: &BusinessId, _: &Author, _: &LeadId) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn list(&self, _: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        Ok(Listed::Page(Page::new(Vec::new(), 0, query.window)))
    }

    async fn pipelines(&self, _: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        Ok(Page::new(Vec::new(), 0, window))
    }

    async fn clients(&self, _: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        Ok(Page::new(Vec::new(), 0, window))
    }
}

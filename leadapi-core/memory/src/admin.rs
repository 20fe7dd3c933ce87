//! The administration of the in-memory stores.

use std::sync::Arc;

use async_trait::async_trait;

use leadapi_core::{
    admin::{Admin, AdminError, Business, MemberChange, NewBusiness, RemovedMember},
    dataset::MemberSeed,
    form::FormRecord,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Pipeline, Stage, Timestamp},
};

use crate::{MemorySettings, MemoryStore};

/// The [`Admin`] of a [`MemoryStore`] and the [`MemorySettings`] of the same businesses.
///
/// ```
/// use std::sync::Arc;
/// use leadapi_core::{admin::*, dataset::{Dataset, SAMPLE}};
/// use leadapi_memory::{MemoryAdmin, MemorySettings, MemoryStore};
///
/// # futures_executor::block_on(async {
/// let dataset = Dataset::parse(SAMPLE)?;
/// let settings = MemorySettings::new(&dataset);
/// let admin = MemoryAdmin::new(Arc::new(MemoryStore::new(dataset)), settings);
/// let businesses = admin.businesses().await?;
/// let first = businesses.first().ok_or("no business")?;
/// assert_eq!(admin.admin(&first.id).clients().list().await?.len(), 4);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct MemoryAdmin {
    store: Arc<MemoryStore>,
    settings: MemorySettings,
}

impl MemoryAdmin {
    /// Creates the administration of two stores that were created from one data set.
    pub const fn new(store: Arc<MemoryStore>, settings: MemorySettings) -> Self {
        Self { store, settings }
    }
}

#[async_trait]
impl Admin for MemoryAdmin {
    async fn businesses(&self) -> Result<Vec<Business>, AdminError> {
        Ok(self.store.businesses())
    }

    async fn add_business(&self, new: &NewBusiness) -> Result<(), AdminError> {
        let (business, owner) = (new.business(), new.owner());
        let add_owner = || self.settings.insert_member(&business.id, &business.name, owner);
        Ok(self.store.add_business(business, add_owner)?)
    }

    async fn rename_business(&self, business: &BusinessId, name: &str) -> Result<Business, AdminError> {
        Ok(self.store.rename_business(business, name, || self.settings.rename_business(business, name))?)
    }

    async fn delete_business(&self, business: &BusinessId, with_leads: bool) -> Result<u64, AdminError> {
        Ok(self.store.delete_business(business, with_leads, || self.settings.delete_business(business))?)
    }

    async fn members(&self, business: &BusinessId) -> Result<Vec<MemberSeed>, AdminError> {
        self.store.with_business(business, |_| Ok(self.settings.members_of(business)))
    }

    async fn add_member(&self, business: &BusinessId, member: &MemberSeed, at: Timestamp) -> Result<(), AdminError> {
        self.store.with_business(business, |info| self.settings.add_member(business, &info.name, member, at))
    }

    async fn change_member(
        &self,
        business: &BusinessId,
        email: &str,
        change: &MemberChange,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError> {
        self.store.with_business(business, |_| self.settings.change_member(business, email, change, at))
    }

    async fn delete_member(
        &self,
        business: &BusinessId,
        email: &str,
        revoke_tokens: bool,
        at: Timestamp,
    ) -> Result<RemovedMember, AdminError> {
        self.store.with_business(business, |_| self.settings.delete_member(business, email, revoke_tokens, at))
    }

    async fn all_clients(&self, business: &BusinessId) -> Result<Vec<ClientAccount>, AdminError> {
        self.store.view(business, |records| Ok(records.clients.clone()))
    }

    async fn add_client(&self, business: &BusinessId, client: &ClientAccount) -> Result<(), AdminError> {
        self.store.change(business, |records| records.add_client(client))
    }

    async fn rename_client(
        &self,
        business: &BusinessId,
        id: &ClientId,
        name: &str,
    ) -> Result<ClientAccount, AdminError> {
        self.store.change(business, |records| records.rename_client(id, name))
    }

    async fn delete_client(&self, business: &BusinessId, id: &ClientId, with_leads: bool) -> Result<u64, AdminError> {
        self.store.change(business, |records| records.delete_client(id, with_leads))
    }

    async fn all_pipelines(&self, business: &BusinessId) -> Result<Vec<Pipeline>, AdminError> {
        self.store.view(business, |records| Ok(records.pipelines.clone()))
    }

    async fn add_pipeline(&self, business: &BusinessId, pipeline: &Pipeline) -> Result<(), AdminError> {
        self.store.change(business, |records| records.add_pipeline(pipeline))
    }

    async fn rename_pipeline(
        &self,
        business: &BusinessId,
        id: &PipelineId,
        name: &str,
    ) -> Result<Pipeline, AdminError> {
        self.store.change(business, |records| records.rename_pipeline(id, name))
    }

    async fn delete_pipeline(&self, business: &BusinessId, id: &PipelineId) -> Result<Pipeline, AdminError> {
        self.store.change(business, |records| records.delete_pipeline(id))
    }

    async fn add_stage(
        &self,
        business: &BusinessId,
        pipeline: &PipelineId,
        id: &StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        self.store.change(business, |records| records.add_stage(pipeline, id, name, position))
    }

    async fn change_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        name: Option<&str>,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        self.store.change(business, |records| records.change_stage(id, name, position))
    }

    async fn delete_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        move_to: Option<&StageId>,
    ) -> Result<u64, AdminError> {
        self.store.change(business, |records| records.delete_stage(id, move_to))
    }

    async fn forms(&self, business: &BusinessId) -> Result<Vec<FormRecord>, AdminError> {
        self.store.view(business, |records| Ok(records.forms()))
    }

    async fn form(&self, business: &BusinessId, id: &FormId) -> Result<FormRecord, AdminError> {
        self.store.view(business, |records| records.form(id))
    }

    async fn add_form(&self, business: &BusinessId, record: &FormRecord) -> Result<FormId, AdminError> {
        self.store.change(business, |records| records.add_form(record))
    }

    async fn rename_form(&self, business: &BusinessId, id: &FormId, name: &str) -> Result<(), AdminError> {
        self.store.change(business, |records| records.rename_form(id, name))
    }

    async fn delete_form(&self, business: &BusinessId, id: &FormId) -> Result<(), AdminError> {
        self.store.change(business, |records| records.delete_form(id))
    }
}

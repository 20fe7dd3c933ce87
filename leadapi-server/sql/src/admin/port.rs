//! The [`Admin`] implementation for both databases.

use async_trait::async_trait;
use leadapi_core::{
    admin::{Admin, AdminError, Business, MemberChange, NewBusiness, RemovedMember},
    dataset::MemberSeed,
    form::FormRecord,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Pipeline, Stage, Timestamp},
};

use super::{business, client, form, member, pipeline, stage};
use crate::{Database, SqlStore};

#[async_trait]
impl Admin for SqlStore {
    async fn businesses(&self) -> Result<Vec<Business>, AdminError> {
        Ok(self.database.rows(None, business::list(), business::read).await?)
    }

    async fn add_business(&self, new: &NewBusiness) -> Result<(), AdminError> {
        Ok(self.database.work(None, business::Add(new.clone())).await?)
    }

    async fn rename_business(&self, business: &BusinessId, name: &str) -> Result<Business, AdminError> {
        self.admin_write(business, business::Rename(name.to_owned())).await
    }

    async fn delete_business(&self, business: &BusinessId, with_leads: bool) -> Result<u64, AdminError> {
        let of_this_database = match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => Some(crate::postgres::DELETE_COMMIT_IDS),
        };
        self.admin_write(business, business::Delete { with_leads, of_this_database }).await
    }

    async fn members(&self, business: &BusinessId) -> Result<Vec<MemberSeed>, AdminError> {
        self.admin_read(business, member::List).await
    }

    async fn add_member(&self, business: &BusinessId, member: &MemberSeed, at: Timestamp) -> Result<(), AdminError> {
        self.admin_write(business, member::Add { member: member.clone(), at }).await
    }

    async fn change_member(
        &self,
        business: &BusinessId,
        email: &str,
        change: &MemberChange,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError> {
        self.admin_write(business, member::Change { email: email.to_owned(), to: change.clone(), at }).await
    }

    async fn delete_member(
        &self,
        business: &BusinessId,
        email: &str,
        revoke_tokens: bool,
        at: Timestamp,
    ) -> Result<RemovedMember, AdminError> {
        self.admin_write(business, member::Delete { email: email.to_owned(), revoke_tokens, at }).await
    }

    async fn all_clients(&self, business: &BusinessId) -> Result<Vec<ClientAccount>, AdminError> {
        self.admin_read(business, client::List).await
    }

    async fn add_client(&self, business: &BusinessId, client: &ClientAccount) -> Result<(), AdminError> {
        self.admin_write(business, client::Add(client.clone())).await
    }

    async fn rename_client(
        &self,
        business: &BusinessId,
        id: &ClientId,
        name: &str,
    ) -> Result<ClientAccount, AdminError> {
        self.admin_write(business, client::Rename { id: id.clone(), name: name.to_owned() }).await
    }

    async fn delete_client(&self, business: &BusinessId, id: &ClientId, with_leads: bool) -> Result<u64, AdminError> {
        self.admin_write(business, client::Delete { id: id.clone(), with_leads }).await
    }

    async fn all_pipelines(&self, business: &BusinessId) -> Result<Vec<Pipeline>, AdminError> {
        self.admin_read(business, pipeline::List).await
    }

    async fn add_pipeline(&self, business: &BusinessId, pipeline: &Pipeline) -> Result<(), AdminError> {
        self.admin_write(business, pipeline::Add(pipeline.clone())).await
    }

    async fn rename_pipeline(
        &self,
        business: &BusinessId,
        id: &PipelineId,
        name: &str,
    ) -> Result<Pipeline, AdminError> {
        self.admin_write(business, pipeline::Rename { id: id.clone(), name: name.to_owned() }).await
    }

    async fn delete_pipeline(&self, business: &BusinessId, id: &PipelineId) -> Result<Pipeline, AdminError> {
        self.admin_write(business, pipeline::Delete(id.clone())).await
    }

    async fn add_stage(
        &self,
        business: &BusinessId,
        pipeline: &PipelineId,
        id: &StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        let (pipeline, id, name) = (pipeline.clone(), id.clone(), name.to_owned());
        self.admin_write(business, stage::Add { pipeline, id, name, position }).await
    }

    async fn change_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        name: Option<&str>,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        let name = name.map(str::to_owned);
        self.admin_write(business, stage::Change { id: id.clone(), name, position }).await
    }

    async fn delete_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        move_to: Option<&StageId>,
    ) -> Result<u64, AdminError> {
        self.admin_write(business, stage::Delete { id: id.clone(), move_to: move_to.cloned() }).await
    }

    async fn forms(&self, business: &BusinessId) -> Result<Vec<FormRecord>, AdminError> {
        self.admin_read(business, form::List).await
    }

    async fn form(&self, business: &BusinessId, id: &FormId) -> Result<FormRecord, AdminError> {
        self.admin_read(business, form::Find(id.clone())).await
    }

    async fn add_form(&self, business: &BusinessId, record: &FormRecord) -> Result<FormId, AdminError> {
        self.admin_write(business, form::Add(record.clone())).await
    }

    async fn rename_form(&self, business: &BusinessId, id: &FormId, name: &str) -> Result<(), AdminError> {
        self.admin_write(business, form::Rename { id: id.clone(), name: name.to_owned() }).await
    }

    async fn delete_form(&self, business: &BusinessId, id: &FormId) -> Result<(), AdminError> {
        self.admin_write(business, form::Delete(id.clone())).await
    }
}

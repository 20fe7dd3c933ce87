//! The administration of one business.

use super::{
    Admin, AdminError, AdminRefusal, Business, MemberChange, RemovedMember,
    port::{checked_email, checked_name},
};
use crate::{
    auth::Role,
    dataset::MemberSeed,
    form::FormRecord,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Pipeline, Stage, Timestamp},
};

/// Starts the administration of one business.
pub trait AdminExt: Admin {
    /// Returns the administration of a business. Its methods trim and check names and email addresses.
    fn admin<'a>(&'a self, business: &'a BusinessId) -> BusinessAdmin<'a, Self> {
        BusinessAdmin { store: self, business }
    }
}

impl<A: Admin + ?Sized> AdminExt for A {}

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])*
        ///
        /// Each method returns an [`AdminError`] if the store rejects the change or fails.
        #[derive(Debug)]
        pub struct $name<'a, A: ?Sized> {
            store: &'a A,
            business: &'a BusinessId,
        })*
    };
}

parts! {
    /// The administration of one business.
    BusinessAdmin
    /// The members of one business.
    MembersAdmin
    /// The client accounts of one business.
    ClientsAdmin
    /// The pipelines of one business.
    PipelinesAdmin
    /// The stages of one business.
    StagesAdmin
    /// The form records of one business.
    FormsAdmin
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<'a, A: Admin + ?Sized> BusinessAdmin<'a, A> {
    /// Renames the business.
    pub async fn rename(&self, name: &str) -> Result<Business, AdminError> {
        self.store.rename_business(self.business, &checked_name(name)?).await
    }

    /// Removes the business with all its records, including its tokens, its audit log and, if `with_leads` is true, its
    /// leads. Returns the number of removed leads.
    pub async fn delete(&self, with_leads: bool) -> Result<u64, AdminError> {
        self.store.delete_business(self.business, with_leads).await
    }

    /// Returns the administration of the members.
    pub const fn members(&self) -> MembersAdmin<'a, A> {
        MembersAdmin { store: self.store, business: self.business }
    }

    /// Returns the administration of the client accounts.
    pub const fn clients(&self) -> ClientsAdmin<'a, A> {
        ClientsAdmin { store: self.store, business: self.business }
    }

    /// Returns the administration of the pipelines.
    pub const fn pipelines(&self) -> PipelinesAdmin<'a, A> {
        PipelinesAdmin { store: self.store, business: self.business }
    }

    /// Returns the administration of the stages.
    pub const fn stages(&self) -> StagesAdmin<'a, A> {
        StagesAdmin { store: self.store, business: self.business }
    }

    /// Returns the administration of the form records.
    pub const fn forms(&self) -> FormsAdmin<'a, A> {
        FormsAdmin { store: self.store, business: self.business }
    }
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<A: Admin + ?Sized> MembersAdmin<'_, A> {
    /// Returns the members, ordered by email address.
    pub async fn list(&self) -> Result<Vec<MemberSeed>, AdminError> {
        self.store.members(self.business).await
    }

    /// Adds a member, and an entry to the audit log. The first member must be an owner.
    pub async fn add(&self, email: &str, role: Role, at: Timestamp) -> Result<MemberSeed, AdminError> {
        let member = MemberSeed::new(checked_email(email)?, role);
        self.store.add_member(self.business, &member, at).await?;
        Ok(member)
    }

    /// Changes a member's email address, role, or both, and adds an entry to the audit log for each. The tokens that
    /// the member created get the new address. The business must still have an owner afterwards.
    pub async fn change(
        &self,
        email: &str,
        new_email: Option<&str>,
        role: Option<Role>,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError> {
        let change = MemberChange::new(new_email.map(checked_email).transpose()?, role);
        self.store.change_member(self.business, email, &change, at).await
    }

    /// Removes a member, and adds an entry to the audit log. Also revokes the member's valid tokens if `revoke_tokens`
    /// is true, with an entry for each. The business must still have an owner afterwards.
    pub async fn delete(&self, email: &str, revoke_tokens: bool, at: Timestamp) -> Result<RemovedMember, AdminError> {
        self.store.delete_member(self.business, email, revoke_tokens, at).await
    }
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<A: Admin + ?Sized> ClientsAdmin<'_, A> {
    /// Returns the client accounts, ordered by name, then by id.
    pub async fn list(&self) -> Result<Vec<ClientAccount>, AdminError> {
        self.store.all_clients(self.business).await
    }

    /// Adds a client account.
    pub async fn add(&self, mut client: ClientAccount) -> Result<ClientAccount, AdminError> {
        client.name = checked_name(&client.name)?;
        self.store.add_client(self.business, &client).await?;
        Ok(client)
    }

    /// Renames a client account.
    pub async fn rename(&self, id: &ClientId, name: &str) -> Result<ClientAccount, AdminError> {
        self.store.rename_client(self.business, id, &checked_name(name)?).await
    }

    /// Removes a client account and, if `with_leads` is true, its leads. Returns the number of removed leads. No form
    /// may refer to the client account.
    pub async fn delete(&self, id: &ClientId, with_leads: bool) -> Result<u64, AdminError> {
        self.store.delete_client(self.business, id, with_leads).await
    }
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<A: Admin + ?Sized> PipelinesAdmin<'_, A> {
    /// Returns the pipelines with their stages, ordered by creation time, then by id.
    pub async fn list(&self) -> Result<Vec<Pipeline>, AdminError> {
        self.store.all_pipelines(self.business).await
    }

    /// Adds a pipeline with at least one stage. The order of the stages determines their positions.
    pub async fn add(&self, mut pipeline: Pipeline) -> Result<Pipeline, AdminError> {
        pipeline.name = checked_name(&pipeline.name)?;
        if pipeline.stages.is_empty() {
            return Err(AdminRefusal::NoStages.into());
        }
        for stage in &mut pipeline.stages {
            stage.name = checked_name(&stage.name)?;
        }
        super::rules::renumber(&mut pipeline.stages);
        self.store.add_pipeline(self.business, &pipeline).await?;
        Ok(pipeline)
    }

    /// Renames a pipeline.
    pub async fn rename(&self, id: &PipelineId, name: &str) -> Result<Pipeline, AdminError> {
        self.store.rename_pipeline(self.business, id, &checked_name(name)?).await
    }

    /// Removes a pipeline with its stages. The pipeline must have no leads, and no form may send leads to it.
    pub async fn delete(&self, id: &PipelineId) -> Result<Pipeline, AdminError> {
        self.store.delete_pipeline(self.business, id).await
    }
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<A: Admin + ?Sized> StagesAdmin<'_, A> {
    /// Adds a stage to a pipeline, at `position` or at the end. The stages at and after that position shift by one.
    pub async fn add(
        &self,
        pipeline: &PipelineId,
        id: &StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        self.store.add_stage(self.business, pipeline, id, &checked_name(name)?, position).await
    }

    /// Changes the name of a stage, its position in the pipeline, or both. The other stages shift accordingly.
    pub async fn change(&self, id: &StageId, name: Option<&str>, position: Option<u32>) -> Result<Stage, AdminError> {
        let name = name.map(checked_name).transpose()?;
        self.store.change_stage(self.business, id, name.as_deref(), position).await
    }

    /// Removes a stage, and moves its leads to a different stage, in any pipeline. Returns the number of moved leads.
    /// The last stage of a pipeline cannot be removed. If the stage has no leads, `move_to` can be `None`.
    pub async fn delete(&self, id: &StageId, move_to: Option<&StageId>) -> Result<u64, AdminError> {
        self.store.delete_stage(self.business, id, move_to).await
    }
}

#[expect(clippy::missing_errors_doc, reason = "the documentation of the type describes the errors of all methods")]
impl<A: Admin + ?Sized> FormsAdmin<'_, A> {
    /// Returns the form records, ordered by id.
    pub async fn list(&self) -> Result<Vec<FormRecord>, AdminError> {
        self.store.forms(self.business).await
    }

    /// Returns a form record as it was added, except for later renames.
    pub async fn get(&self, id: &FormId) -> Result<FormRecord, AdminError> {
        self.store.form(self.business, id).await
    }

    /// Adds a form record, and returns its id. The client account and the pipeline that it refers to must exist.
    pub async fn add(&self, record: &FormRecord) -> Result<FormId, AdminError> {
        self.store.add_form(self.business, record).await
    }

    /// Renames a form.
    pub async fn rename(&self, id: &FormId, name: &str) -> Result<(), AdminError> {
        self.store.rename_form(self.business, id, &checked_name(name)?).await
    }

    /// Removes a form.
    pub async fn delete(&self, id: &FormId) -> Result<(), AdminError> {
        self.store.delete_form(self.business, id).await
    }
}

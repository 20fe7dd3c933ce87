//! The port that a store implements.

use async_trait::async_trait;
use serde::Serialize;

use super::{AdminError, AdminRefusal};
use crate::{
    auth::Role,
    dataset::MemberSeed,
    form::FormRecord,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Pipeline, Stage, Timestamp},
    port::TokenRecord,
    validate::{check_email, check_name},
};

/// A business, without the records that belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Business {
    /// The id of the business.
    pub id: BusinessId,
    /// The display name.
    pub name: String,
    /// The creation time.
    pub created_at: Timestamp,
}

impl Business {
    /// Creates a business without validating it.
    ///
    /// ```
    /// # use leadapi_core::admin::Business;
    /// let business = Business::new("b1".parse()?, "Sol Marketing", "2026-05-04T12:00:00Z".parse()?);
    /// assert_eq!(business.name, "Sol Marketing");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(id: BusinessId, name: impl Into<String>, created_at: Timestamp) -> Self {
        Self { id, name: name.into(), created_at }
    }
}

/// A checked new business with its first owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBusiness {
    business: Business,
    owner: MemberSeed,
}

impl NewBusiness {
    /// Trims and checks the name of a business and the email address of its owner.
    ///
    /// ```
    /// # use leadapi_core::admin::NewBusiness;
    /// let at = "2026-05-04T12:00:00Z".parse()?;
    /// let new = NewBusiness::new("b1".parse()?, " Sol Marketing ", "owner@sol.example", at)?;
    /// assert_eq!(new.business().name, "Sol Marketing");
    /// assert!(NewBusiness::new("b1".parse()?, "", "owner@sol.example", at).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the address is invalid.
    pub fn new(id: BusinessId, name: &str, owner: &str, created_at: Timestamp) -> Result<Self, AdminRefusal> {
        let business = Business::new(id, checked_name(name)?, created_at);
        Ok(Self { business, owner: MemberSeed::new(checked_email(owner)?, Role::Owner) })
    }

    /// Returns the business.
    pub const fn business(&self) -> &Business {
        &self.business
    }

    /// Returns the first owner.
    pub const fn owner(&self) -> &MemberSeed {
        &self.owner
    }
}

/// A change to a member. `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberChange {
    /// The new email address.
    pub email: Option<String>,
    /// The new role.
    pub role: Option<Role>,
}

impl MemberChange {
    /// Creates a change without validating it.
    ///
    /// ```
    /// # use leadapi_core::{admin::MemberChange, auth::Role};
    /// assert_eq!(MemberChange::new(None, Some(Role::Admin)).role, Some(Role::Admin));
    /// ```
    pub const fn new(email: Option<String>, role: Option<Role>) -> Self {
        Self { email, role }
    }
}

/// The result of removing a member.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemovedMember {
    /// The former member.
    pub member: MemberSeed,
    /// The tokens that the member had created and that were valid.
    pub tokens: Vec<TokenRecord>,
    /// Whether these tokens were revoked. Otherwise they are still valid.
    pub are_revoked: bool,
}

impl RemovedMember {
    /// Creates the result of a removal.
    pub const fn new(member: MemberSeed, tokens: Vec<TokenRecord>, are_revoked: bool) -> Self {
        Self { member, tokens, are_revoked }
    }
}

/// Changes the businesses of a store and their records.
///
/// The host's administration calls these methods, usually through [`AdminExt::admin`](super::AdminExt::admin), which
/// trims and checks names and email addresses. The service never calls them. Each call is one atomic unit of work that
/// excludes other writes to the business. A rejected call changes nothing.
///
/// If the business does not exist, a call fails with [`AdminRefusal::NoSuchBusiness`]. Only `businesses` and
/// `add_business` have no `business` argument.
#[async_trait]
pub trait Admin: Send + Sync {
    /// Returns all businesses, ordered by creation time, then by id.
    async fn businesses(&self) -> Result<Vec<Business>, AdminError>;

    /// Adds a business with its first owner.
    async fn add_business(&self, new: &NewBusiness) -> Result<(), AdminError>;

    /// Renames a business.
    async fn rename_business(&self, business: &BusinessId, name: &str) -> Result<Business, AdminError>;

    /// Removes a business with all its records. Returns the number of removed leads. Fails if the business has leads
    /// and `with_leads` is false.
    async fn delete_business(&self, business: &BusinessId, with_leads: bool) -> Result<u64, AdminError>;

    /// Returns the members, ordered by email address.
    async fn members(&self, business: &BusinessId) -> Result<Vec<MemberSeed>, AdminError>;

    /// Adds a member, and an entry to the audit log ([`rules::add_member`](super::rules::add_member)).
    async fn add_member(&self, business: &BusinessId, member: &MemberSeed, at: Timestamp) -> Result<(), AdminError>;

    /// Changes a member, and adds entries to the audit log ([`rules::change_member`](super::rules::change_member)). If
    /// the address changes, the member's sessions end, and the tokens that the member created get the new address.
    async fn change_member(
        &self,
        business: &BusinessId,
        email: &str,
        change: &MemberChange,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError>;

    /// Removes a member, ends the member's sessions, and adds an entry to the audit log
    /// ([`rules::remove_member`](super::rules::remove_member)). Also revokes the member's valid tokens if
    /// `revoke_tokens` is true, with an entry for each ([`rules::token_revoked`](super::rules::token_revoked)).
    async fn delete_member(
        &self,
        business: &BusinessId,
        email: &str,
        revoke_tokens: bool,
        at: Timestamp,
    ) -> Result<RemovedMember, AdminError>;

    /// Returns the client accounts, ordered by name, then by id.
    async fn all_clients(&self, business: &BusinessId) -> Result<Vec<ClientAccount>, AdminError>;

    /// Adds a client account.
    async fn add_client(&self, business: &BusinessId, client: &ClientAccount) -> Result<(), AdminError>;

    /// Renames a client account.
    async fn rename_client(
        &self,
        business: &BusinessId,
        id: &ClientId,
        name: &str,
    ) -> Result<ClientAccount, AdminError>;

    /// Removes a client account and its leads. Returns the number of removed leads. Fails if a form refers to the
    /// client account, or if the client account has leads and `with_leads` is false.
    async fn delete_client(&self, business: &BusinessId, id: &ClientId, with_leads: bool) -> Result<u64, AdminError>;

    /// Returns the pipelines with their stages, ordered by creation time, then by id.
    async fn all_pipelines(&self, business: &BusinessId) -> Result<Vec<Pipeline>, AdminError>;

    /// Adds a pipeline with its stages, which have consecutive positions.
    async fn add_pipeline(&self, business: &BusinessId, pipeline: &Pipeline) -> Result<(), AdminError>;

    /// Renames a pipeline.
    async fn rename_pipeline(&self, business: &BusinessId, id: &PipelineId, name: &str)
    -> Result<Pipeline, AdminError>;

    /// Removes a pipeline with its stages. Fails if the pipeline has leads, or if a form sends leads to it.
    async fn delete_pipeline(&self, business: &BusinessId, id: &PipelineId) -> Result<Pipeline, AdminError>;

    /// Adds a stage to a pipeline ([`rules::insert_stage`](super::rules::insert_stage)).
    async fn add_stage(
        &self,
        business: &BusinessId,
        pipeline: &PipelineId,
        id: &StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminError>;

    /// Changes the name of a stage, its position in the pipeline, or both.
    async fn change_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        name: Option<&str>,
        position: Option<u32>,
    ) -> Result<Stage, AdminError>;

    /// Removes a stage, and moves its leads to a different stage, in any pipeline. Returns the number of moved leads.
    /// Fails if the stage has leads and `move_to` is `None`.
    async fn delete_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        move_to: Option<&StageId>,
    ) -> Result<u64, AdminError>;

    /// Returns the form records, ordered by id.
    async fn forms(&self, business: &BusinessId) -> Result<Vec<FormRecord>, AdminError>;

    /// Returns a form record as it was added, except for later renames.
    async fn form(&self, business: &BusinessId, id: &FormId) -> Result<FormRecord, AdminError>;

    /// Adds a form record, and returns its id. Fails if the record refers to a client account or a pipeline that the
    /// business does not have ([`rules::form_references`](super::rules::form_references)).
    async fn add_form(&self, business: &BusinessId, record: &FormRecord) -> Result<FormId, AdminError>;

    /// Renames a form.
    async fn rename_form(&self, business: &BusinessId, id: &FormId, name: &str) -> Result<(), AdminError>;

    /// Removes a form.
    async fn delete_form(&self, business: &BusinessId, id: &FormId) -> Result<(), AdminError>;
}

/// Trims and checks a name.
pub(super) fn checked_name(text: &str) -> Result<String, AdminRefusal> {
    let name = text.trim();
    check_name(name).map_err(AdminRefusal::Name)?;
    Ok(name.to_owned())
}

/// Trims and checks an email address.
pub(super) fn checked_email(text: &str) -> Result<String, AdminRefusal> {
    let email = text.trim();
    check_email(email).map_err(AdminRefusal::Email)?;
    Ok(email.to_owned())
}

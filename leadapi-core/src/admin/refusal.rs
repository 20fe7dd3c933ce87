//! Why an administrative change was not made.

use std::fmt;

use crate::{
    BoxError,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    port::StoreError,
    validate::{InvalidEmail, InvalidName},
};

/// An error from the administration of a store.
///
/// If the cause is [`StoreError::UnknownOutcome`], the change may have taken effect. Otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The change is not allowed.
    #[error(transparent)]
    Refused(#[from] AdminRefusal),
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

impl AdminError {
    /// Wraps a storage error that no variant of [`StoreError`] describes.
    ///
    /// ```
    /// # use leadapi_core::admin::AdminError;
    /// assert_eq!(AdminError::backend("the disk is full").to_string(), "the disk is full");
    /// ```
    pub fn backend(error: impl Into<BoxError>) -> Self {
        Self::Failed(StoreError::backend(error))
    }
}

/// Why an administrative change is not allowed. The message is for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdminRefusal {
    /// A name is invalid.
    #[error("name {0}")]
    Name(InvalidName),
    /// An email address is invalid.
    #[error("email {0}")]
    Email(InvalidEmail),
    /// There is no such business.
    #[error("no such business: {0}")]
    NoSuchBusiness(BusinessId),
    /// The id of a new business is taken.
    #[error("the business {0} already exists")]
    BusinessExists(BusinessId),
    /// The change requires an empty store, but the store already has a business.
    #[error("the store already has a business")]
    NotEmpty,
    /// The business has no member with this email address.
    #[error("no such member of this business: {0}")]
    NoSuchMember(String),
    /// The business already has a member with this email address, ignoring case.
    #[error("{0} is already a member of this business")]
    MemberExists(String),
    /// The first member of a business is not an owner.
    #[error("the first member of a business must be an owner")]
    FirstMember,
    /// The change would leave the business without an owner.
    #[error("the last owner of a business cannot be removed or demoted: make another member an owner first")]
    LastOwner,
    /// The business has no such client account.
    #[error("no such client account in this business: {0}")]
    NoSuchClient(ClientId),
    /// The id of a new client account is taken.
    #[error("a client account with the id {0} already exists")]
    ClientExists(ClientId),
    /// The business has no such pipeline.
    #[error("no such pipeline in this business: {0}")]
    NoSuchPipeline(PipelineId),
    /// The id of a new pipeline is taken.
    #[error("a pipeline with the id {0} already exists")]
    PipelineExists(PipelineId),
    /// A new pipeline has no stages.
    #[error("a pipeline must have at least one stage")]
    NoStages,
    /// The business has no such stage.
    #[error("no such stage in this business: {0}")]
    NoSuchStage(StageId),
    /// The id of a new stage is taken.
    #[error("a stage with the id {0} already exists")]
    StageExists(StageId),
    /// The position of a stage is outside its pipeline.
    #[error("position must be from 1 to {last}")]
    Position {
        /// The last valid position.
        last: usize,
    },
    /// The stage is the only stage of its pipeline.
    #[error("the last stage of a pipeline cannot be removed: remove the pipeline instead")]
    LastStage,
    /// The leads of a removed stage cannot move to the same stage.
    #[error("leads cannot be moved to the stage that is being removed")]
    SameStage,
    /// A record with leads cannot be removed unless its leads are removed or moved.
    #[error("the {of} has {}", count_leads(*.leads))]
    HasLeads {
        /// The kind of record that has the leads.
        of: LeadOwner,
        /// The number of leads.
        leads: u64,
    },
    /// Forms refer to a client account or a pipeline.
    #[error("a form refers to it: remove or change the form first ({})", .0.join(", "))]
    Referenced(Vec<String>),
    /// The business has no such form.
    #[error("no such form in this business: {0}")]
    NoSuchForm(FormId),
    /// The id of a new form is taken.
    #[error("a form with the id {0} already exists")]
    FormExists(FormId),
    /// A form record cannot be stored. The string names the member of the record and the rule.
    #[error("{0}")]
    Form(String),
}

/// A kind of record that leads belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeadOwner {
    /// A business.
    Business,
    /// A client account.
    Client,
    /// A pipeline.
    Pipeline,
    /// A stage.
    Stage,
}

impl fmt::Display for LeadOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Business => "business",
            Self::Client => "client account",
            Self::Pipeline => "pipeline",
            Self::Stage => "stage",
        })
    }
}

fn count_leads(leads: u64) -> String {
    if leads == 1 { "1 lead".to_owned() } else { format!("{leads} leads") }
}

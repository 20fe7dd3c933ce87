//! The rules that place a lead in a pipeline and a stage (contract D6), implemented once for all stores.

use super::{FieldError, FieldErrors, reference::Reference, text};
use crate::{
    id::{ClientId, PipelineId, StageId},
    model::{Change, Lead},
};

/// The placement that a request specifies, before any lookup.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(super) enum Target {
    Pipeline(Reference<PipelineId>),
    Stage(Reference<StageId>),
    Both(Reference<PipelineId>, Reference<StageId>),
}

impl Target {
    /// Combines the `pipeline_id` and `stage_id` of a request. Adds an error if one is `null` and the other has a
    /// value.
    pub(super) fn read(pipeline: &Change<String>, stage: &Change<String>, errors: &mut FieldErrors) -> Change<Self> {
        let pipeline = read_id("pipeline_id", pipeline, errors);
        let stage = read_id("stage_id", stage, errors);
        match (pipeline, stage) {
            (Change::Keep, Change::Keep) => Change::Keep,
            (Change::Keep | Change::Clear, Change::Keep | Change::Clear) => Change::Clear,
            (Change::Set(pipeline), Change::Keep) => Change::Set(Self::Pipeline(Reference::parse(pipeline))),
            (Change::Keep, Change::Set(stage)) => Change::Set(Self::Stage(Reference::parse(stage))),
            (Change::Set(pipeline), Change::Set(stage)) => {
                Change::Set(Self::Both(Reference::parse(pipeline), Reference::parse(stage)))
            }
            (Change::Clear, Change::Set(_)) => {
                contradiction("pipeline_id", "must not be null while stage_id is set", errors)
            }
            (Change::Set(_), Change::Clear) => {
                contradiction("stage_id", "must not be null while pipeline_id is set", errors)
            }
        }
    }

    /// Returns the new placement, or the error for an invalid reference. `current` is the lead's placement before the
    /// change.
    pub(super) fn find(
        &self,
        current: Option<&Placement>,
        references: &LookupResult,
    ) -> Result<Placement, InvalidReference> {
        // Results that the request did not require are ignored.
        let pipeline = self.pipeline().zip(references.first_stage.as_ref());
        let stage = self.stage().zip(references.stage_pipeline.as_ref());
        match (self, pipeline, stage) {
            (Self::Pipeline(_), None, _) | (Self::Both(..), None, Some(_)) => Err(InvalidReference::Pipeline),
            (Self::Stage(_), _, None) | (Self::Both(..), Some(_), None) => Err(InvalidReference::Stage),
            (Self::Pipeline(_), Some((pipeline_id, first)), _) => match current {
                Some(current) if current.pipeline_id == *pipeline_id => Ok(current.clone()),
                _ => Ok(Placement::new(pipeline_id, first)),
            },
            (Self::Stage(_), _, Some((stage_id, home))) => Ok(Placement::new(home, stage_id)),
            (Self::Both(..), None, None) => Err(InvalidReference::PipelineAndStage),
            (Self::Both(..), Some((pipeline_id, _)), Some((_, home))) if home != pipeline_id => {
                Err(InvalidReference::Mismatch)
            }
            (Self::Both(..), Some((pipeline_id, _)), Some((stage_id, _))) => Ok(Placement::new(pipeline_id, stage_id)),
        }
    }

    /// Returns the pipeline to look up, if any.
    pub(super) const fn pipeline(&self) -> Option<&PipelineId> {
        match self {
            Self::Pipeline(pipeline) | Self::Both(pipeline, _) => pipeline.id(),
            Self::Stage(_) => None,
        }
    }

    /// Returns the stage to look up, if any.
    pub(super) const fn stage(&self) -> Option<&StageId> {
        match self {
            Self::Stage(stage) | Self::Both(_, stage) => stage.id(),
            Self::Pipeline(_) => None,
        }
    }
}

fn read_id<'a>(field: &'static str, change: &'a Change<String>, errors: &mut FieldErrors) -> Change<&'a str> {
    match change {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(text) => text::id(field, text, errors).into(),
    }
}

fn contradiction(field: &'static str, rule: &'static str, errors: &mut FieldErrors) -> Change<Target> {
    errors.push(FieldError::new(field, rule));
    Change::Keep
}

/// A pipeline and one of its stages. A lead in a pipeline always has a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    /// The pipeline.
    pub(super) pipeline_id: PipelineId,
    /// A stage of that pipeline.
    pub(super) stage_id: StageId,
}

impl Placement {
    fn new(pipeline_id: &PipelineId, stage_id: &StageId) -> Self {
        Self { pipeline_id: pipeline_id.clone(), stage_id: stage_id.clone() }
    }

    pub(super) fn of(lead: &Lead) -> Option<Self> {
        let (pipeline_id, stage_id) = lead.pipeline_id.clone().zip(lead.stage_id.clone())?;
        Some(Self { pipeline_id, stage_id })
    }
}

/// The records that a request refers to. A store looks them up in the caller's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RequiredLookups<'a> {
    /// The client account, if the request names one by a valid id. An update never names a client account.
    pub client: Option<&'a ClientId>,
    /// The pipeline, if the request names one by a valid id.
    pub pipeline: Option<&'a PipelineId>,
    /// The stage, if the request names one by a valid id.
    pub stage: Option<&'a StageId>,
}

/// The result of looking up [`RequiredLookups`] in the caller's business, read in the same transaction as the write.
///
/// A record of another business counts as missing. A store starts from the default value, in which no record was found,
/// and sets the ids of the records that it finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LookupResult {
    /// The id of the requested client account, as read from its record. `None` if the client account does not exist.
    pub client: Option<ClientId>,
    /// The first stage (by position) of the requested pipeline. `None` if the pipeline does not exist.
    pub first_stage: Option<StageId>,
    /// The pipeline of the requested stage. `None` if the stage does not exist.
    pub stage_pipeline: Option<PipelineId>,
}

/// The error for a reference that matches no record of the caller's business, or for contradictory references (contract
/// D1 step 7, D3, D6).
///
/// The service sends the text of the error to the caller, who can list the valid ids with `GET /clients` or
/// `GET /pipelines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidReference {
    /// No such client account in the business: 403.
    #[error("client_id: no such client account in this business")]
    Client,
    /// No such pipeline in the business: 400.
    #[error("pipeline_id: no such pipeline")]
    Pipeline,
    /// No such stage in the business: 400.
    #[error("stage_id: no such stage")]
    Stage,
    /// No such pipeline and no such stage in the business: 400.
    #[error("pipeline_id: no such pipeline; stage_id: no such stage")]
    PipelineAndStage,
    /// The pipeline and the stage exist, but the stage belongs to a different pipeline: 400.
    #[error("stage_id belongs to another pipeline than pipeline_id")]
    Mismatch,
}

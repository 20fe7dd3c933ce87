//! The pipeline and the stage of leads, as the form, its endings and its rules name them.

use leadapi_model::id::{PipelineId, StageId};

use super::non_blank;
use crate::Field;

/// A pipeline, a stage, or both. A store puts a lead with only a stage into the pipeline of the stage.
#[derive(Debug)]
pub(crate) struct Placement {
    pub pipeline: Option<PipelineId>,
    pub stage: Option<StageId>,
}

impl Placement {
    /// Returns `None` if both ids are absent or malformed.
    pub(super) fn new(pipeline: &Field<String>, stage: &Field<String>) -> Option<Self> {
        let pipeline = non_blank(pipeline).and_then(|id| PipelineId::parse(id.trim()).ok());
        let stage = non_blank(stage).and_then(|id| StageId::parse(id.trim()).ok());
        (pipeline.is_some() || stage.is_some()).then_some(Self { pipeline, stage })
    }
}

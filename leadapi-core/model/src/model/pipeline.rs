//! Pipelines and their stages (contract 2.2 and D2).

use serde::{Deserialize, Serialize};

use super::Timestamp;
use crate::id::{PipelineId, StageId};

/// A pipeline and its stages. All client accounts of a business share its pipelines.
///
/// ```
/// use leadapi_model::model::Pipeline;
///
/// let pipeline: Pipeline = serde_json::from_str(
///     r#"{"id":"p1","name":"Sales","stages":[{"id":"s1","name":"New","position":1}],"created_at":"2026-01-12T09:30:00.000Z"}"#,
/// )?;
/// assert_eq!(pipeline.stages.first().map(|stage| stage.name.as_str()), Some("New"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "openapi",
    schemars(description = "A pipeline of the business. All its client accounts share the pipeline.")
)]
#[non_exhaustive]
pub struct Pipeline {
    /// Identifier of the pipeline.
    pub id: PipelineId,
    /// The display name.
    pub name: String,
    /// The stages, sorted by position. A pipeline always has at least one stage.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub stages: Vec<Stage>,
    /// The time at which the pipeline was created.
    pub created_at: Timestamp,
}

impl Pipeline {
    /// Creates a pipeline without validating it.
    ///
    /// ```
    /// # use leadapi_model::{id::{PipelineId, StageId}, model::{Pipeline, Stage}};
    /// let stages = vec![Stage::new(StageId::parse("s1")?, "New", 1)];
    /// let pipeline = Pipeline::new(PipelineId::parse("p1")?, "Sales", stages, "2026-01-12T09:30:00.000Z".parse()?);
    /// assert_eq!(pipeline.name, "Sales");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(id: PipelineId, name: impl Into<String>, stages: Vec<Stage>, created_at: Timestamp) -> Self {
        Self { id, name: name.into(), stages, created_at }
    }
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Stage {
    /// Identifier of the stage.
    pub id: StageId,
    /// The display name.
    pub name: String,
    /// The position of the stage in its pipeline, starting at 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub position: u32,
}

impl Stage {
    /// Creates a stage without validating it.
    ///
    /// ```
    /// # use leadapi_model::{id::StageId, model::Stage};
    /// assert_eq!(Stage::new(StageId::parse("s1")?, "New", 1).position, 1);
    /// # Ok::<(), leadapi_model::id::InvalidId>(())
    /// ```
    pub fn new(id: StageId, name: impl Into<String>, position: u32) -> Self {
        Self { id, name: name.into(), position }
    }
}

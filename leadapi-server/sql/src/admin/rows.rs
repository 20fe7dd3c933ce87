//! Reads and writes the rows of pipelines and their stages.

use leadapi_core::{
    admin::AdminRefusal,
    id::{BusinessId, PipelineId, StageId},
    model::{Pipeline, Stage},
};

use super::{shared, statement};
use crate::{
    error::SqlError,
    row::Row,
    session::{Session, query},
};

/// Reads a pipeline with its stages. Fails if the pipeline does not exist.
pub(super) async fn find_pipeline(
    session: &mut dyn Session,
    business: &BusinessId,
    id: &PipelineId,
) -> Result<Pipeline, SqlError> {
    let not_found = || SqlError::from(AdminRefusal::NoSuchPipeline(id.clone()));
    let read = |mut row: Row<'_>| Ok(Pipeline::new(id.clone(), row.take::<String>()?, Vec::new(), row.take()?));
    let mut pipeline = session.row(query!(statement::PIPELINE, business, id), read).await?.ok_or_else(not_found)?;
    let read = |mut row: Row<'_>| Ok(Stage::new(row.take()?, row.take::<String>()?, row.take()?));
    pipeline.stages = session.rows(query!(statement::STAGES_OF, business, id), read).await?;
    Ok(pipeline)
}

/// Adds a stage. Fails if its id is taken.
pub(super) async fn insert_stage(
    session: &mut dyn Session,
    business: &BusinessId,
    pipeline: &PipelineId,
    stage: &Stage,
) -> Result<(), SqlError> {
    let Stage { id, name, position, .. } = stage;
    if session.finds(query!(shared::PIPELINE_OF_STAGE, business, id)).await? {
        return Err(AdminRefusal::StageExists(id.clone()).into());
    }
    session.execute(query!(shared::INSERT_STAGE, business, id, pipeline, name, *position)).await
}

/// Deletes a stage that has no leads.
pub(super) async fn delete_stage(
    session: &mut dyn Session,
    business: &BusinessId,
    id: &StageId,
) -> Result<(), SqlError> {
    session.execute(query!(statement::DELETE_STAGE_COUNTS, business, id)).await?;
    session.execute(query!(statement::DELETE_STAGE, business, id)).await
}

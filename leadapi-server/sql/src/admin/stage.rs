//! The stages of a pipeline. Their positions are always consecutive, starting at 1.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminRefusal, LeadOwner, rules},
    id::{BusinessId, PipelineId, StageId},
    model::{Pipeline, Stage},
};

use super::{Task, rows, shared, statement};
use crate::{
    error::SqlError,
    idempotency, lead_statement, read,
    session::{Session, query},
};

/// Returns the id of the pipeline that a stage belongs to. Fails if the stage does not exist.
async fn pipeline_of(session: &mut dyn Session, business: &BusinessId, id: &StageId) -> Result<PipelineId, SqlError> {
    let not_found = || SqlError::from(AdminRefusal::NoSuchStage(id.clone()));
    session.row(query!(shared::PIPELINE_OF_STAGE, business, id), |mut row| row.take()).await?.ok_or_else(not_found)
}

/// Returns a stage, and the other stages of its pipeline in order.
async fn remove_stage(
    session: &mut dyn Session,
    business: &BusinessId,
    id: &StageId,
) -> Result<(Stage, Vec<Stage>), SqlError> {
    let pipeline = pipeline_of(session, business, id).await?;
    let Pipeline { mut stages, .. } = rows::find_pipeline(session, business, &pipeline).await?;
    let stage = rules::remove_stage(&mut stages, id)?;
    Ok((stage, stages))
}

/// Writes the stages, and returns the one with the id `wanted`.
async fn write(
    session: &mut dyn Session,
    business: &BusinessId,
    stages: Vec<Stage>,
    wanted: &StageId,
) -> Result<Option<Stage>, SqlError> {
    let mut found = None;
    for stage in stages {
        session.execute(query!(statement::CHANGE_STAGE, &stage.name, stage.position, business, &stage.id)).await?;
        if stage.id == *wanted {
            found = Some(stage);
        }
    }
    Ok(found)
}

fn missing_stage() -> SqlError {
    SqlError::other("the requested stage is missing from the written stages")
}

pub(super) struct Add {
    pub(super) pipeline: PipelineId,
    pub(super) id: StageId,
    pub(super) name: String,
    pub(super) position: Option<u32>,
}

#[async_trait]
impl Task for Add {
    type Output = Stage;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Stage, SqlError> {
        let mut stages = rows::find_pipeline(session, business, &self.pipeline).await?.stages;
        let stage = Stage::new(self.id.clone(), &self.name, 0);
        rows::insert_stage(session, business, &self.pipeline, &stage).await?;
        rules::insert_stage(&mut stages, stage, self.position)?;
        write(session, business, stages, &self.id).await?.ok_or_else(missing_stage)
    }
}

pub(super) struct Change {
    pub(super) id: StageId,
    pub(super) name: Option<String>,
    pub(super) position: Option<u32>,
}

#[async_trait]
impl Task for Change {
    type Output = Stage;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Stage, SqlError> {
        let (stage, mut stages) = remove_stage(session, business, &self.id).await?;
        let position = self.position.unwrap_or(stage.position);
        let name = self.name.clone().unwrap_or(stage.name);
        rules::insert_stage(&mut stages, Stage::new(stage.id, name, position), Some(position))?;
        write(session, business, stages, &self.id).await?.ok_or_else(missing_stage)
    }
}

pub(super) struct Delete {
    pub(super) id: StageId,
    pub(super) move_to: Option<StageId>,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let id = &self.id;
        let (_, others) = remove_stage(session, business, id).await?;
        if others.is_empty() {
            return Err(AdminRefusal::LastStage.into());
        }
        let leads = read::count(session, query!(shared::TOTAL, business, "", id)).await?;
        match &self.move_to {
            Some(target) if target == id => return Err(AdminRefusal::SameStage.into()),
            Some(target) => move_leads(session, business, id, target).await?,
            None if leads > 0 => return Err(AdminRefusal::HasLeads { of: LeadOwner::Stage, leads }.into()),
            None => {}
        }
        rows::delete_stage(session, business, id).await?;
        write(session, business, others, id).await?;
        Ok(leads)
    }
}

async fn move_leads(
    session: &mut dyn Session,
    business: &BusinessId,
    from: &StageId,
    to: &StageId,
) -> Result<(), SqlError> {
    let pipeline = pipeline_of(session, business, to).await?;
    idempotency::preserve_all(session, business, &lead_statement::WITH_KEY_OF_STAGE, from.as_ref()).await?;
    session.execute(query!(statement::MERGE_STAGE_COUNTS, to, business, from)).await?;
    session.execute(query!(statement::DELETE_STAGE_COUNTS, business, from)).await?;
    session.execute(query!(statement::MOVE_LEADS, &pipeline, to, business, from)).await
}

//! The stages of a pipeline. Their positions are always consecutive, starting at 1.

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, PipelineId, StageId},
    model::{Pipeline, Stage},
};

use super::{Task, checked_name, lead_count, rows, shared, statement};
use crate::{
    AdminError, SqlStore,
    error::SqlError,
    idempotency, lead_statement, read,
    session::{Session, query},
};

impl SqlStore {
    /// Adds a stage to a pipeline, at `position` or at the end. The stages at and after that position shift by one.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the pipeline does not exist, the position is out of range, the id is
    /// taken, or the database fails.
    pub async fn add_stage(
        &self,
        business: &BusinessId,
        pipeline: &PipelineId,
        id: StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        self.admin_write(business, Add { pipeline: pipeline.clone(), id, name: checked_name(name)?, position }).await
    }

    /// Changes the name of a stage, its position in the pipeline, or both. The other stages shift accordingly.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the stage does not exist, the position is out of range, or the database
    /// fails.
    pub async fn change_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        name: Option<&str>,
        position: Option<u32>,
    ) -> Result<Stage, AdminError> {
        let name = name.map(checked_name).transpose()?;
        self.admin_write(business, Change { id: id.clone(), name, position }).await
    }

    /// Removes a stage, and moves its leads to another stage of any pipeline. Returns the number of moved leads.
    ///
    /// # Errors
    ///
    /// Returns an error if the stage does not exist or is the only stage of its pipeline, or if the database fails.
    /// Also returns an error if the stage has leads and `move_to` is `None`, or if `move_to` is not another stage of
    /// the business.
    pub async fn delete_stage(
        &self,
        business: &BusinessId,
        id: &StageId,
        move_to: Option<&StageId>,
    ) -> Result<u64, AdminError> {
        self.admin_write(business, Delete { id: id.clone(), move_to: move_to.cloned() }).await
    }
}

/// Returns the id of the pipeline that a stage belongs to. Fails if the stage does not exist.
async fn pipeline_of(session: &mut dyn Session, business: &BusinessId, id: &StageId) -> Result<PipelineId, SqlError> {
    let not_found = || SqlError::refused(format!("no such stage in this business: {id}"));
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
    let at = stages.iter().position(|stage| stage.id == *id);
    let at = at.ok_or_else(|| SqlError::other("a stage is missing from its pipeline"))?;
    Ok((stages.remove(at), stages))
}

/// Inserts a stage into a list, at a position or at the end.
fn insert_stage_at(stages: &mut Vec<Stage>, stage: Stage, position: Option<u32>) -> Result<(), SqlError> {
    let last = stages.len() + 1;
    let position = position.map_or(Ok(last), usize::try_from).map_err(SqlError::other)?;
    if !(1..=last).contains(&position) {
        return Err(SqlError::refused(format!("position must be from 1 to {last}")));
    }
    stages.insert(position - 1, stage);
    Ok(())
}

/// Writes the stages, with positions that follow the order of the list, and returns the stage with the id `wanted`.
async fn write(
    session: &mut dyn Session,
    business: &BusinessId,
    stages: Vec<Stage>,
    wanted: &StageId,
) -> Result<Option<Stage>, SqlError> {
    let mut found = None;
    for (position, stage) in (1..).zip(stages) {
        session.execute(query!(statement::CHANGE_STAGE, &stage.name, position, business, &stage.id)).await?;
        if stage.id == *wanted {
            found = Some(Stage::new(stage.id, stage.name, position));
        }
    }
    Ok(found)
}

fn missing_stage() -> SqlError {
    SqlError::other("the requested stage is missing from the written stages")
}

struct Add {
    pipeline: PipelineId,
    id: StageId,
    name: String,
    position: Option<u32>,
}

#[async_trait]
impl Task for Add {
    type Output = Stage;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Stage, SqlError> {
        let mut stages = rows::find_pipeline(session, business, &self.pipeline).await?.stages;
        let stage = Stage::new(self.id.clone(), &self.name, 0);
        rows::insert_stage(session, business, &self.pipeline, &stage).await?;
        insert_stage_at(&mut stages, stage, self.position)?;
        write(session, business, stages, &self.id).await?.ok_or_else(missing_stage)
    }
}

struct Change {
    id: StageId,
    name: Option<String>,
    position: Option<u32>,
}

#[async_trait]
impl Task for Change {
    type Output = Stage;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Stage, SqlError> {
        let (stage, mut stages) = remove_stage(session, business, &self.id).await?;
        let position = self.position.unwrap_or(stage.position);
        let name = self.name.clone().unwrap_or(stage.name);
        insert_stage_at(&mut stages, Stage::new(stage.id, name, position), Some(position))?;
        write(session, business, stages, &self.id).await?.ok_or_else(missing_stage)
    }
}

struct Delete {
    id: StageId,
    move_to: Option<StageId>,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let id = &self.id;
        let (_, others) = remove_stage(session, business, id).await?;
        if others.is_empty() {
            return Err(SqlError::refused(
                "the last stage of a pipeline cannot be removed: remove the pipeline instead",
            ));
        }
        let leads = read::count(session, query!(shared::TOTAL, business, "", id)).await?;
        match &self.move_to {
            Some(target) if target == id => {
                return Err(SqlError::refused("leads cannot be moved to the stage that is being removed"));
            }
            Some(target) => move_leads(session, business, id, target).await?,
            None if leads > 0 => {
                let (leads, them) = lead_count(leads);
                return Err(SqlError::refused(format!("the stage has {leads}: move {them} with --move-to STAGE")));
            }
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

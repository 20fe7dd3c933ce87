//! The pipelines of a business.

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, PipelineId},
    model::{Pipeline, Stage},
};

use super::{Task, checked_name, form, lead_count, rows, shared, statement};
use crate::{
    AdminError, SqlStore,
    error::SqlError,
    export, read,
    session::{Session, query},
};

impl SqlStore {
    /// Returns the pipelines of a business with their stages, ordered by creation time, then by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the business does not exist or the database fails.
    pub async fn all_pipelines(&self, business: &BusinessId) -> Result<Vec<Pipeline>, AdminError> {
        self.admin_read(business, List).await
    }

    /// Adds a pipeline with its stages. The order of the stages determines their positions.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is invalid, there are no stages, an id is taken, the business does not exist, or the
    /// database fails.
    pub async fn add_pipeline(&self, business: &BusinessId, mut pipeline: Pipeline) -> Result<Pipeline, AdminError> {
        pipeline.name = checked_name(&pipeline.name)?;
        if pipeline.stages.is_empty() {
            return Err(AdminError::Refused("a pipeline must have at least one stage".to_owned()));
        }
        for (position, stage) in (1..).zip(&mut pipeline.stages) {
            *stage = Stage::new(stage.id.clone(), checked_name(&stage.name)?, position);
        }
        self.admin_write(business, Add(pipeline)).await
    }

    /// Renames a pipeline.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the pipeline does not exist, or the database fails.
    pub async fn rename_pipeline(
        &self,
        business: &BusinessId,
        id: &PipelineId,
        name: &str,
    ) -> Result<Pipeline, AdminError> {
        self.admin_write(business, Rename { id: id.clone(), name: checked_name(name)? }).await
    }

    /// Removes a pipeline with its stages.
    ///
    /// # Errors
    ///
    /// Returns an error if the pipeline does not exist or has leads, a form sends leads to it, or the database fails.
    pub async fn delete_pipeline(&self, business: &BusinessId, id: &PipelineId) -> Result<Pipeline, AdminError> {
        self.admin_write(business, Delete(id.clone())).await
    }
}

struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<Pipeline>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<Pipeline>, SqlError> {
        export::pipelines(session, business).await
    }
}

pub(super) struct Add(pub(super) Pipeline);

#[async_trait]
impl Task for Add {
    type Output = Pipeline;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Pipeline, SqlError> {
        let Pipeline { id, name, stages, created_at, .. } = &self.0;
        if session.finds(query!(statement::PIPELINE, business, id)).await? {
            return Err(SqlError::refused(format!("a pipeline with the id {id} already exists")));
        }
        session.execute(query!(shared::INSERT_PIPELINE, business, id, name, *created_at)).await?;
        for stage in stages {
            rows::insert_stage(session, business, id, stage).await?;
        }
        Ok(self.0.clone())
    }
}

struct Rename {
    id: PipelineId,
    name: String,
}

#[async_trait]
impl Task for Rename {
    type Output = Pipeline;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Pipeline, SqlError> {
        let mut pipeline = rows::find_pipeline(session, business, &self.id).await?;
        pipeline.name.clone_from(&self.name);
        session.execute(query!(statement::RENAME_PIPELINE, &self.name, business, &self.id)).await?;
        Ok(pipeline)
    }
}

struct Delete(PipelineId);

#[async_trait]
impl Task for Delete {
    type Output = Pipeline;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Pipeline, SqlError> {
        let pipeline = rows::find_pipeline(session, business, &self.0).await?;
        form::refuse_if_referenced(session, business, |form| &form.target_pipeline_id, self.0.as_str()).await?;
        let leads = read::count(session, query!(statement::LEADS_IN_PIPELINE, business, &self.0)).await?;
        if leads > 0 {
            let (leads, them) = lead_count(leads);
            let rule = format!("move {them} first, to a stage of another pipeline");
            return Err(SqlError::refused(format!("the pipeline has {leads}: {rule}")));
        }
        for stage in &pipeline.stages {
            rows::delete_stage(session, business, &stage.id).await?;
        }
        session.execute(query!(statement::DELETE_PIPELINE, business, &self.0)).await?;
        Ok(pipeline)
    }
}

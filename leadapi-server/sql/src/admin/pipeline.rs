//! The pipelines of a business.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminRefusal, LeadOwner, rules},
    id::{BusinessId, PipelineId},
    model::Pipeline,
};

use super::{Task, rows, shared, statement};
use crate::{
    error::SqlError,
    export, read,
    session::{Session, query},
};

pub(super) struct List;

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
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let Pipeline { id, name, stages, created_at, .. } = &self.0;
        if session.finds(query!(statement::PIPELINE, business, id)).await? {
            return Err(AdminRefusal::PipelineExists(id.clone()).into());
        }
        session.execute(query!(shared::INSERT_PIPELINE, business, id, name, *created_at)).await?;
        for stage in stages {
            rows::insert_stage(session, business, id, stage).await?;
        }
        Ok(())
    }
}

pub(super) struct Rename {
    pub(super) id: PipelineId,
    pub(super) name: String,
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

pub(super) struct Delete(pub(super) PipelineId);

#[async_trait]
impl Task for Delete {
    type Output = Pipeline;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Pipeline, SqlError> {
        let pipeline = rows::find_pipeline(session, business, &self.0).await?;
        rules::check_pipeline_unused(&export::forms(session, business).await?, &self.0)?;
        let leads = read::count(session, query!(statement::LEADS_IN_PIPELINE, business, &self.0)).await?;
        if leads > 0 {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Pipeline, leads }.into());
        }
        for stage in &pipeline.stages {
            rows::delete_stage(session, business, &stage.id).await?;
        }
        session.execute(query!(statement::DELETE_PIPELINE, business, &self.0)).await?;
        Ok(pipeline)
    }
}

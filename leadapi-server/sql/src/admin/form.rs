//! The form records of a business (contract D11), stored as they were added, except for renames. The client account and
//! the pipeline that a new record refers to must exist.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminRefusal, rules, rules::FormReferences},
    form::FormRecord,
    id::{BusinessId, FormId},
};

use super::{Task, shared, statement};
use crate::{
    error::SqlError,
    export,
    session::{Session, query},
};

fn not_found(id: &FormId) -> SqlError {
    AdminRefusal::NoSuchForm(id.clone()).into()
}

async fn find(session: &mut dyn Session, business: &BusinessId, id: &FormId) -> Result<FormRecord, SqlError> {
    session.row(query!(statement::FORM, business, id), export::form).await?.ok_or_else(|| not_found(id))
}

fn to_json(record: &FormRecord) -> Result<String, SqlError> {
    serde_json::to_string(record).map_err(SqlError::other)
}

pub(super) struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<FormRecord>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<FormRecord>, SqlError> {
        export::forms(session, business).await
    }
}

pub(super) struct Find(pub(super) FormId);

#[async_trait]
impl Task for Find {
    type Output = FormRecord;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<FormRecord, SqlError> {
        find(session, business, &self.0).await
    }
}

pub(super) struct Add(pub(super) FormRecord);

#[async_trait]
impl Task for Add {
    type Output = FormId;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<FormId, SqlError> {
        let FormReferences { id, client, pipeline, .. } = rules::form_references(&self.0)?;
        if session.finds(query!(statement::FORM, business, &id)).await? {
            return Err(AdminRefusal::FormExists(id).into());
        }
        if let Some(client) = client
            && !session.finds(query!(shared::CLIENT_EXISTS, business, &client)).await?
        {
            return Err(rules::no_form_client(client.as_str()).into());
        }
        if let Some(pipeline) = pipeline
            && !session.finds(query!(statement::PIPELINE, business, &pipeline)).await?
        {
            return Err(rules::no_form_pipeline(pipeline.as_str()).into());
        }
        session.execute(query!(shared::INSERT_FORM, business, &id, to_json(&self.0)?)).await?;
        Ok(id)
    }
}

pub(super) struct Rename {
    pub(super) id: FormId,
    pub(super) name: String,
}

#[async_trait]
impl Task for Rename {
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let mut record = find(session, business, &self.id).await?;
        let form = record.form.get_mut().ok_or_else(|| not_found(&self.id))?;
        form.name.set(self.name.clone());
        session.execute(query!(statement::CHANGE_FORM, to_json(&record)?, business, &self.id)).await
    }
}

pub(super) struct Delete(pub(super) FormId);

#[async_trait]
impl Task for Delete {
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let removed = session.finds(query!(statement::DELETE_FORM, business, &self.0)).await?;
        if removed { Ok(()) } else { Err(not_found(&self.0)) }
    }
}

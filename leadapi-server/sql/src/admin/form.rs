//! The form records of a business (contract D11), stored as they were added, except for renames. The client account and
//! the pipeline that a new record refers to must exist.

use async_trait::async_trait;
use leadapi_core::{
    form::{Field, Form, FormRecord},
    id::{BusinessId, ClientId, FormId, PipelineId},
};

use super::{Task, checked_name, shared, statement};
use crate::{
    AdminError, SqlStore,
    error::SqlError,
    export,
    session::{Session, query},
};

impl SqlStore {
    /// Returns the form records of a business, ordered by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the business does not exist or the database fails.
    pub async fn forms(&self, business: &BusinessId) -> Result<Vec<FormRecord>, AdminError> {
        self.admin_read(business, List).await
    }

    /// Returns a form record as it was added, except for later renames.
    ///
    /// # Errors
    ///
    /// Returns an error if the form does not exist or the database fails.
    pub async fn form(&self, business: &BusinessId, id: &FormId) -> Result<FormRecord, AdminError> {
        self.admin_read(business, Find(id.clone())).await
    }

    /// Adds a form record, and returns its id.
    ///
    /// # Errors
    ///
    /// Returns an error if the record has no valid id, the id is taken, or the database fails. Also returns an error if
    /// the record refers to a client account or a pipeline that the business does not have.
    pub async fn add_form(&self, business: &BusinessId, record: FormRecord) -> Result<FormId, AdminError> {
        self.admin_write(business, Add(record)).await
    }

    /// Renames a form.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the form does not exist, or the database fails.
    pub async fn rename_form(&self, business: &BusinessId, id: &FormId, name: &str) -> Result<(), AdminError> {
        self.admin_write(business, Rename { id: id.clone(), name: checked_name(name)? }).await
    }

    /// Removes a form.
    ///
    /// # Errors
    ///
    /// Returns an error if the form does not exist or the database fails.
    pub async fn delete_form(&self, business: &BusinessId, id: &FormId) -> Result<(), AdminError> {
        self.admin_write(business, Delete(id.clone())).await
    }
}

/// Fails if any form in the business has the id `named` in the specified field.
pub(super) async fn refuse_if_referenced(
    session: &mut dyn Session,
    business: &BusinessId,
    field: impl Fn(&Form) -> &Field<String> + Send,
    named: &str,
) -> Result<(), SqlError> {
    let records = session.rows(query!(shared::FORMS, business), export::form).await?;
    let forms = records.iter().filter_map(|record| record.form.get());
    let referring = forms.filter(|form| field(form).as_str() == Some(named)).filter_map(|form| form.id.as_str());
    let referring: Vec<&str> = referring.collect();
    if referring.is_empty() {
        return Ok(());
    }
    Err(SqlError::refused(format!("a form refers to it: remove or change the form first ({})", referring.join(", "))))
}

fn not_found(id: &FormId) -> SqlError {
    SqlError::refused(format!("no such form in this business: {id}"))
}

async fn find(session: &mut dyn Session, business: &BusinessId, id: &FormId) -> Result<FormRecord, SqlError> {
    session.row(query!(statement::FORM, business, id), export::form).await?.ok_or_else(|| not_found(id))
}

fn to_json(record: &FormRecord) -> Result<String, SqlError> {
    serde_json::to_string(record).map_err(SqlError::other)
}

struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<FormRecord>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<FormRecord>, SqlError> {
        session.rows(query!(shared::FORMS, business), export::form).await
    }
}

struct Find(FormId);

#[async_trait]
impl Task for Find {
    type Output = FormRecord;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<FormRecord, SqlError> {
        find(session, business, &self.0).await
    }
}

struct Add(FormRecord);

#[async_trait]
impl Task for Add {
    type Output = FormId;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<FormId, SqlError> {
        let wrong = |rule: &str| SqlError::refused(rule);
        let form = self.0.form.get().ok_or_else(|| wrong("form must be an object"))?;
        let id = form.id.as_str().ok_or_else(|| wrong("form.id must be a string"))?;
        let id = FormId::parse(id).map_err(|rule| SqlError::refused(format!("form.id: {rule}")))?;
        if session.finds(query!(statement::FORM, business, &id)).await? {
            return Err(SqlError::refused(format!("a form with the id {id} already exists")));
        }
        if let Some(client) = form.client_id.as_str() {
            let not_found =
                || SqlError::refused(format!("form.client_id: no such client account in this business: {client}"));
            let client = ClientId::parse(client).map_err(|_| not_found())?;
            if !session.finds(query!(shared::CLIENT_EXISTS, business, &client)).await? {
                return Err(not_found());
            }
        }
        if let Some(pipeline) = form.target_pipeline_id.as_str() {
            let not_found = || SqlError::refused(format!("form.target_pipeline_id: no such pipeline: {pipeline}"));
            let pipeline = PipelineId::parse(pipeline).map_err(|_| not_found())?;
            if !session.finds(query!(statement::PIPELINE, business, &pipeline)).await? {
                return Err(not_found());
            }
        }
        session.execute(query!(shared::INSERT_FORM, business, &id, to_json(&self.0)?)).await?;
        Ok(id)
    }
}

struct Rename {
    id: FormId,
    name: String,
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

struct Delete(FormId);

#[async_trait]
impl Task for Delete {
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let removed = session.finds(query!(statement::DELETE_FORM, business, &self.0)).await?;
        if removed { Ok(()) } else { Err(not_found(&self.0)) }
    }
}

//! Leads as rows.

use std::sync::Arc;

use leadapi_core::{id::BusinessId, model::Lead};

use super::{
    row::Row,
    session::{Query, SqlError, query},
    statement,
};

/// Reads the columns that every statement on leads selects.
pub(crate) fn read(mut row: Row) -> Result<Arc<Lead>, SqlError> {
    let mut lead = Lead::new(row.take()?, row.take()?, row.take::<String>()?, chrono::DateTime::UNIX_EPOCH.into());
    lead.email = row.take()?;
    lead.phone = row.take()?;
    lead.source = row.take()?;
    lead.notes = row.take()?;
    lead.value = row.take()?;
    lead.pipeline_id = row.take()?;
    lead.stage_id = row.take()?;
    lead.business_name = row.take()?;
    lead.created_at = row.take()?;
    Ok(Arc::new(lead))
}

pub(crate) fn insert(business: &BusinessId, lead: &Lead) -> Query {
    query!(
        statement::INSERT_LEAD,
        business,
        &lead.id,
        &lead.client_id,
        &lead.name,
        lead.email.as_deref(),
        lead.phone.as_deref(),
        lead.source.as_deref(),
        lead.notes.as_deref(),
        lead.value,
        lead.pipeline_id.as_ref(),
        lead.stage_id.as_ref(),
        lead.business_name.as_deref(),
        lead.created_at,
    )
}

pub(super) fn update(business: &BusinessId, lead: &Lead) -> Query {
    query!(
        statement::UPDATE_LEAD,
        &lead.name,
        lead.email.as_deref(),
        lead.phone.as_deref(),
        lead.source.as_deref(),
        lead.notes.as_deref(),
        lead.value,
        lead.pipeline_id.as_ref(),
        lead.stage_id.as_ref(),
        lead.business_name.as_deref(),
        business,
        &lead.id,
    )
}

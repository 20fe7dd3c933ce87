//! Converts leads from and to rows.

use std::sync::Arc;

use leadapi_core::{
    id::{BusinessId, ClientId, PipelineId, StageId},
    model::{Lead, Timestamp},
};

use super::{
    error::SqlError,
    row::Row,
    session::{Query, query},
    statement,
};

/// The number of client accounts, pipelines and stages that a `Reader` caches. Small, because the lookup is linear.
const SHARED: usize = 8;

/// Reads a lead from the columns that every lead statement selects.
pub(crate) fn read(row: Row<'_>) -> Result<Arc<Lead>, SqlError> {
    Reader::default().read(row)
}

/// Reads the leads of one result. Leads with the same client account, pipeline or stage share one copy of its id.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    clients: Vec<ClientId>,
    pipelines: Vec<PipelineId>,
    stages: Vec<StageId>,
}

impl Reader {
    pub(crate) fn of_many() -> Self {
        let (clients, pipelines) = (Vec::with_capacity(SHARED), Vec::with_capacity(SHARED));
        Self { clients, pipelines, stages: Vec::with_capacity(SHARED) }
    }

    pub(crate) fn read(&mut self, mut row: Row<'_>) -> Result<Arc<Lead>, SqlError> {
        let id = row.take()?;
        let client = row
            .take_shared(&mut self.clients)?
            .ok_or_else(|| SqlError::other("a lead of the database has no client account"))?;
        let mut lead = Lead::new(id, client, row.take::<String>()?, Timestamp::UNIX_EPOCH);
        lead.email = row.take()?;
        lead.phone = row.take()?;
        lead.source = row.take()?;
        lead.notes = row.take()?;
        lead.value = row.take()?;
        lead.pipeline_id = row.take_shared(&mut self.pipelines)?;
        lead.stage_id = row.take_shared(&mut self.stages)?;
        lead.business_name = row.take()?;
        lead.created_at = row.take()?;
        Ok(Arc::new(lead))
    }
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

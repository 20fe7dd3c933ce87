//! Converts between leads and rows.

use std::sync::Arc;

use leadapi_core::{
    id::{BusinessId, ClientId, PipelineId, StageId},
    model::Lead,
    validate::OPTIONAL_TEXTS,
};

use super::{
    error::SqlError,
    lead_statement,
    row::Row,
    session::{Query, Value, query},
};

/// The maximum number of ids of each type that a `Reader` caches. It is small because lookups are linear.
const SHARED: usize = 8;

/// Reads a lead from the columns that every lead statement selects.
pub(crate) fn read(row: Row<'_>) -> Result<Arc<Lead>, SqlError> {
    Reader::default().read(row)
}

/// A reader for the leads in a query result. Leads with the same client account, pipeline or stage share one copy of
/// its id, if the cache has room for it.
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
            .ok_or_else(|| SqlError::other("a lead in the database has no client account"))?;
        let mut lead = Lead::new(id, client, row.take::<String>()?, row.take()?);
        lead.value = row.take()?;
        lead.pipeline_id = row.take_shared(&mut self.pipelines)?;
        lead.stage_id = row.take_shared(&mut self.stages)?;
        for field in OPTIONAL_TEXTS {
            *field.get_mut(&mut lead) = row.take()?;
        }
        Ok(Arc::new(lead))
    }
}

pub(crate) fn insert(business: &BusinessId, lead: &Lead) -> Query {
    let mut insert = query!(
        &lead_statement::INSERT,
        business,
        &lead.id,
        &lead.client_id,
        &lead.name,
        lead.created_at,
        lead.value,
        lead.pipeline_id.as_ref(),
        lead.stage_id.as_ref(),
    );
    insert.params.extend(texts(lead));
    insert
}

pub(super) fn update(business: &BusinessId, lead: &Lead) -> Query {
    let mut update =
        query!(&lead_statement::UPDATE, &lead.name, lead.value, lead.pipeline_id.as_ref(), lead.stage_id.as_ref(),);
    update.params.extend(texts(lead));
    update.params.extend([business.into(), (&lead.id).into()]);
    update
}

fn texts(lead: &Lead) -> impl Iterator<Item = Value> {
    OPTIONAL_TEXTS.iter().map(|field| field.get(lead).into())
}

//! The records that writes need.

use std::sync::Arc;

use leadapi_core::{
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId, TokenId},
    model::{IdempotencyKey, Lead},
};

use super::{
    author::{self, Validity},
    error::SqlError,
    idempotency::Record,
    lead,
    lead_counts::CountBucket,
    lead_statement,
    row::Row,
    session::{Query, query},
    statement,
};

/// A record to look up. Several writes may need the same record.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lookup {
    Client(ClientId),
    Pipeline(PipelineId),
    Stage(StageId),
    Lead(LeadId),
    Key(IdempotencyKey),
    Author(TokenId),
}

/// A record that was found.
#[derive(Debug)]
pub(crate) enum Found {
    Client(ClientId),
    /// A pipeline and its first stage.
    FirstStage(PipelineId, StageId),
    Stage(StageId, PipelineId),
    Lead(Arc<Lead>),
    Record(IdempotencyKey, Record),
    Author(TokenId, Validity),
    /// The newest count bucket, which a database may look up together with the other records.
    NewestBucket(CountBucket),
}

impl Lookup {
    /// Returns the query for this record alone.
    pub(crate) fn query(&self, business: &BusinessId) -> Query {
        match self {
            Self::Client(id) => query!(statement::CLIENT_EXISTS, business, id),
            Self::Pipeline(id) => query!(statement::FIRST_STAGE, business, id),
            Self::Stage(id) => query!(statement::PIPELINE_OF_STAGE, business, id),
            Self::Lead(id) => query!(&lead_statement::SELECT, business, id),
            Self::Key(key) => query!(statement::FIND_KEY, business, key),
            Self::Author(id) => author::query(business, id),
        }
    }

    /// Reads a row of [`Self::query`].
    pub(crate) fn read(&self, mut row: Row<'_>) -> Result<Found, SqlError> {
        Ok(match self {
            Self::Client(_) => Found::Client(row.take()?),
            Self::Pipeline(id) => Found::FirstStage(id.clone(), row.take()?),
            Self::Stage(id) => Found::Stage(id.clone(), row.take()?),
            Self::Lead(_) => Found::Lead(lead::read(row)?),
            Self::Key(key) => Found::Record(key.clone(), Record::read(row)?),
            Self::Author(id) => Found::Author(id.clone(), author::read(row)?),
        })
    }
}

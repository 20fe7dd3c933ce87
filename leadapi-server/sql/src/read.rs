//! Reads lists, each from a single snapshot.

use std::collections::BTreeMap;

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, PipelineId},
    model::{ClientAccount, LeadQuery, Page, Pipeline, Stage, Timestamp, Window},
    port::Listed,
    validate::InvalidReference,
};

use super::{
    error::SqlError,
    lead,
    lead_counts::{self, PageStart},
    lead_statement,
    row::Row,
    session::{Query, Session, Value, Work, query},
    statement,
};

/// The largest offset for which a page is read with SQL `OFFSET`. Deeper pages use the count buckets to skip leads.
const SHALLOW: u64 = 256;

/// Returns whether a list uses the count buckets to find its page.
pub(super) const fn is_deep(query: &LeadQuery) -> bool {
    query.window.offset() > SHALLOW
}

/// Reads a page of leads and their total (contract D3). SQLite runs these simple statements faster than one statement
/// that combines them.
#[derive(Debug)]
pub(super) struct List {
    pub(super) business: BusinessId,
    pub(super) query: LeadQuery,
}

#[async_trait]
impl Work for List {
    type Output = Listed;

    async fn run(&self, session: &mut dyn Session) -> Result<Listed, SqlError> {
        let Self { business, query } = self;
        if let Some(id) = &query.client
            && !session.finds(query!(statement::CLIENT_EXISTS, business, id)).await?
        {
            return Ok(Listed::Refused(InvalidReference::Client));
        }
        if let Some(id) = &query.stage
            && !session.finds(query!(statement::PIPELINE_OF_STAGE, business, id)).await?
        {
            return Ok(Listed::Refused(InvalidReference::Stage));
        }
        let mut start = PageStart::at(query.window.offset());
        if is_deep(query) {
            session.rows(lead_counts::buckets(business, query), |row| start.skip_bucket(row)).await?;
        } else {
            start.total = count(session, lead_counts::total(business, query)).await?;
        }
        // A page past the end is empty, so it needs no query.
        let leads = if query.window.offset() < start.total {
            let mut reader = lead::Reader::of_many();
            session.rows(self.page(&start), |row| reader.read(row)).await?
        } else {
            Vec::new()
        };
        Ok(Listed::Page(Page::new(leads, start.total, query.window)))
    }
}

impl List {
    fn page(&self, start: &PageStart) -> Query {
        let Self { business, query } = self;
        let filters = [query.client.as_ref().map(Value::from), query.stage.as_ref().map(Value::from)];
        let (at, id) = &start.before;
        let mut params = vec![Value::from(business)];
        params.extend(filters.into_iter().flatten());
        params.extend([(*at).into(), id.into(), query.window.limit().into(), offset(start.skip)]);
        Query { sql: lead_statement::page(query), params }
    }
}

/// A page of pipelines with their stages (contract D3), read by one statement.
#[derive(Debug, Default)]
pub(super) struct Pipelines {
    total: u64,
    found: BTreeMap<(Timestamp, PipelineId), Pipeline>,
}

impl Pipelines {
    pub(super) fn query(business: &BusinessId, window: Window) -> Query {
        query!(statement::PIPELINES, business, window.limit(), offset(window.offset()))
    }

    /// Returns the query for all pipelines of a business.
    pub(super) fn all(business: &BusinessId) -> Query {
        query!(statement::PIPELINES, business, i64::MAX, 0_i64)
    }

    /// Reads a row: the total, or a stage and its pipeline. The rows may be in any order.
    pub(super) fn read(&mut self, mut row: Row<'_>) -> Result<(), SqlError> {
        if let Some(total) = row.take()? {
            self.total = total;
            return Ok(());
        }
        let (id, name, at): (PipelineId, String, Timestamp) = (row.take()?, row.take()?, row.take()?);
        let pipeline = self.found.entry((at, id.clone())).or_insert_with(|| Pipeline::new(id, name, Vec::new(), at));
        if let Some(id) = row.take()? {
            pipeline.stages.push(Stage::new(id, row.take::<String>()?, row.take()?));
        }
        Ok(())
    }

    pub(super) fn page(self, window: Window) -> Page<Pipeline> {
        let total = self.total;
        Page::new(self.into_vec(), total, window)
    }

    pub(super) fn into_vec(self) -> Vec<Pipeline> {
        let mut pipelines: Vec<Pipeline> = self.found.into_values().collect();
        for pipeline in &mut pipelines {
            pipeline.stages.sort_by_key(|stage| stage.position);
        }
        pipelines
    }
}

/// A page of client accounts (contract D3), read by one statement.
#[derive(Debug, Default)]
pub(super) struct Clients {
    total: u64,
    found: Vec<ClientAccount>,
}

impl Clients {
    pub(super) fn query(business: &BusinessId, window: Window) -> Query {
        query!(statement::CLIENTS, business, window.limit(), offset(window.offset()))
    }

    /// Returns the query for all client accounts of a business.
    pub(super) fn all(business: &BusinessId) -> Query {
        query!(statement::CLIENTS, business, i64::MAX, 0_i64)
    }

    /// Reads a row: the total, or a client account. The rows may be in any order.
    pub(super) fn read(&mut self, mut row: Row<'_>) -> Result<(), SqlError> {
        match row.take()? {
            Some(total) => self.total = total,
            None => self.found.push(ClientAccount::new(row.take()?, row.take::<String>()?, row.take()?)),
        }
        Ok(())
    }

    pub(super) fn page(self, window: Window) -> Page<ClientAccount> {
        let total = self.total;
        Page::new(self.into_vec(), total, window)
    }

    pub(super) fn into_vec(mut self) -> Vec<ClientAccount> {
        self.found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        self.found
    }
}

/// Runs a statement that returns a single count.
pub(super) async fn count(session: &mut dyn Session, query: Query) -> Result<u64, SqlError> {
    session.row(query, |mut row| row.take()).await?.ok_or_else(|| SqlError::other("a count query returned no row"))
}

/// Converts an offset to a parameter. The maximum offset fits.
pub(super) fn offset(offset: u64) -> Value {
    i64::try_from(offset).unwrap_or(i64::MAX).into()
}

//! Reads lists, each from a single snapshot.

use std::collections::HashMap;

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, PipelineId},
    model::{ClientAccount, LeadQuery, Page, Pipeline, Stage, Window},
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
const SHALLOW: u64 = 1_024;

/// A query for a page of leads and their total (contract D3).
#[derive(Debug)]
pub(super) struct List {
    pub(super) business: BusinessId,
    pub(super) query: LeadQuery,
}

/// The purpose of each statement that reads a list of leads.
enum Part {
    Client,
    Stage,
    Total,
    Buckets,
    Leads,
}

#[async_trait]
impl Work for List {
    type Output = Listed;

    async fn run(&self, session: &mut dyn Session) -> Result<Listed, SqlError> {
        let Self { business, query } = self;
        let offset = query.window.offset();
        let is_deep = offset > SHALLOW;
        let mut start = PageStart::at(offset);
        let (mut parts, mut queries) = (Vec::new(), Vec::new());
        let mut add = |part, query| {
            parts.push(part);
            queries.push(query);
        };
        if let Some(id) = &query.client {
            add(Part::Client, query!(statement::CLIENT_EXISTS, business, id));
        }
        if let Some(id) = &query.stage {
            add(Part::Stage, query!(statement::PIPELINE_OF_STAGE, business, id));
        }
        if is_deep {
            add(Part::Buckets, lead_counts::buckets(business, query));
        } else {
            add(Part::Total, lead_counts::total(business, query));
            add(Part::Leads, self.page(&start)?);
        }
        let (mut has_client, mut has_stage) = (query.client.is_none(), query.stage.is_none());
        let (mut leads, mut reader) = (Vec::new(), lead::Reader::of_many());
        let mut read = |nth, mut row: Row<'_>| {
            match parts.get(nth) {
                Some(Part::Client) => has_client = true,
                Some(Part::Stage) => has_stage = true,
                Some(Part::Total) => start.total = row.take()?,
                Some(Part::Buckets) => start.skip_bucket(row)?,
                Some(Part::Leads) => leads.push(reader.read(row)?),
                None => {}
            }
            Ok(())
        };
        session.query(queries, &mut read).await?;
        if !has_client {
            return Ok(Listed::Refused(InvalidReference::Client));
        }
        if !has_stage {
            return Ok(Listed::Refused(InvalidReference::Stage));
        }
        // A page past the end is empty, so it needs no query.
        if is_deep && offset < start.total {
            leads = session.rows(self.page(&start)?, |row| reader.read(row)).await?;
        }
        Ok(Listed::Page(Page::new(leads, start.total, query.window)))
    }
}

impl List {
    fn page(&self, start: &PageStart) -> Result<Query, SqlError> {
        let Self { business, query, .. } = self;
        let (sql, filters): (&'static str, Vec<Value>) = match (&query.client, &query.stage) {
            (None, None) => (&lead_statement::PAGE, vec![]),
            (Some(client), None) => (&lead_statement::PAGE_OF_CLIENT, vec![client.into()]),
            (None, Some(stage)) => (&lead_statement::PAGE_OF_STAGE, vec![stage.into()]),
            (Some(client), Some(stage)) => (&lead_statement::PAGE_OF_BOTH, vec![client.into(), stage.into()]),
        };
        let (at, id) = &start.before;
        let mut params = vec![Value::from(business)];
        params.extend(filters);
        params.extend([(*at).into(), id.into(), query.window.limit().into(), offset(start.skip)?]);
        Ok(Query { sql, params })
    }
}

/// A query for a page of pipelines with their stages (contract D3).
#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) business: BusinessId,
    pub(super) window: Window,
}

#[async_trait]
impl Work for Pipelines {
    type Output = Page<Pipeline>;

    async fn run(&self, session: &mut dyn Session) -> Result<Page<Pipeline>, SqlError> {
        let Self { business, window } = self;
        let (limit, offset) = (window.limit(), offset(window.offset())?);
        let queries = vec![
            query!(statement::COUNT_PIPELINES, business),
            query!(statement::PIPELINES, business, limit, offset.clone()),
            query!(statement::STAGES, business, limit, offset),
        ];
        let (mut total, mut pipelines) = (0, Vec::new());
        let mut stages: HashMap<PipelineId, Vec<Stage>> = HashMap::new();
        let mut read = |nth, mut row: Row<'_>| {
            match nth {
                0 => total = row.take()?,
                1 => pipelines.push(Pipeline::new(row.take()?, row.take::<String>()?, Vec::new(), row.take()?)),
                _ => {
                    let of_pipeline = stages.entry(row.take()?).or_default();
                    of_pipeline.push(Stage::new(row.take()?, row.take::<String>()?, row.take()?));
                }
            }
            Ok(())
        };
        session.query(queries, &mut read).await?;
        for pipeline in &mut pipelines {
            pipeline.stages = stages.remove(&pipeline.id).unwrap_or_default();
        }
        Ok(Page::new(pipelines, total, *window))
    }
}

/// A query for a page of client accounts (contract D3).
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) business: BusinessId,
    pub(super) window: Window,
}

#[async_trait]
impl Work for Clients {
    type Output = Page<ClientAccount>;

    async fn run(&self, session: &mut dyn Session) -> Result<Page<ClientAccount>, SqlError> {
        let Self { business, window } = self;
        let queries = vec![
            query!(statement::COUNT_CLIENTS, business),
            query!(statement::CLIENTS, business, window.limit(), offset(window.offset())?),
        ];
        let (mut total, mut accounts) = (0, Vec::new());
        let mut read = |nth, mut row: Row<'_>| {
            match nth {
                0 => total = row.take()?,
                _ => accounts.push(ClientAccount::new(row.take()?, row.take::<String>()?, row.take()?)),
            }
            Ok(())
        };
        session.query(queries, &mut read).await?;
        Ok(Page::new(accounts, total, *window))
    }
}

/// Runs a statement that returns a single count.
pub(super) async fn count(session: &mut dyn Session, query: Query) -> Result<u64, SqlError> {
    session.row(query, |mut row| row.take()).await?.ok_or_else(|| SqlError::other("a count query returned no row"))
}

fn offset(offset: u64) -> Result<Value, SqlError> {
    i64::try_from(offset).map(Value::from).map_err(SqlError::other)
}

#[cfg(test)]
mod tests {
    use leadapi_core::{
        dataset::{Dataset, SAMPLE},
        model::Lead,
        port::Store,
    };

    use super::*;
    use crate::SqlStore;

    /// Covers several count buckets, the offsets around each boundary, and offsets past the end.
    #[tokio::test]
    async fn a_deep_page_has_the_leads_at_its_offset() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("leads.db").display());
        let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        let mut dataset = Dataset::parse(SAMPLE).unwrap();
        let seed = &mut dataset.businesses[0];
        let (business, client, at) = (seed.id.clone(), seed.clients[0].id.clone(), seed.created_at);
        seed.leads = (0..3_000)
            .map(|nth| Lead::new(format!("lead-{nth:04}").parse().unwrap(), client.clone(), "Ann", at))
            .collect();
        let ids: Vec<String> = seed.leads.iter().rev().map(|lead| lead.id.to_string()).collect();
        store.import(dataset, |_| {}).await.unwrap();
        for query in [LeadQuery::new(), LeadQuery::new().client(client)] {
            for offset in [0, 1_023, 1_024, 1_025, 1_999, 2_047, 2_048, 2_049, 2_990, 2_999, 3_000, 9_000] {
                let window = Window::new(50, offset).unwrap();
                let listed = store.list(&business, &query.clone().window(window)).await.unwrap();
                let Listed::Page(page) = listed else { panic!("refused") };
                let found: Vec<String> = page.data.iter().map(|lead| lead.id.to_string()).collect();
                assert_eq!((&found[..], page.total), (window.slice(&ids), 3_000), "after {offset}");
            }
        }
    }
}

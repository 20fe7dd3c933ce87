//! Lists, each from one snapshot.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, PipelineId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Stage, Window},
    port::Listed,
    validate::Reference,
};

use super::{
    lead,
    row::Row,
    session::{Query, Session, SqlError, Value, Work, query},
    statement,
    tally::{self, Start},
};

/// An offset up to here is walked to; beyond it, the stretches are asked for first.
const SHALLOW: u64 = 1_024;

/// A page of leads and their total (contract D3).
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
        let (client, stage) = (query.client.as_ref(), query.stage.as_ref());
        let mut queries: Vec<Query> =
            client.map(|id| query!(statement::CLIENT_EXISTS, business, id)).into_iter().collect();
        queries.extend(stage.map(|id| query!(statement::PIPELINE_OF_STAGE, business, id)));
        let shallow = query.window.offset() <= SHALLOW;
        if shallow {
            let start =
                Start { before: (tally::END.0, tally::END.1.to_owned()), skip: query.window.offset(), total: 0 };
            queries.extend([tally::total(business, query), self.page(&start)?]);
        } else {
            queries.push(tally::stretches(business, query));
        }
        let mut answers = session.ask(queries).await?.into_iter();
        let mut answer = || answers.next().unwrap_or_default();
        if client.is_some() && answer().is_empty() {
            return Ok(Listed::Refused(Reference::Client));
        }
        if stage.is_some() && answer().is_empty() {
            return Ok(Listed::Refused(Reference::Stage));
        }
        let (total, rows) = if shallow {
            (count(answer())?, answer())
        } else {
            let start = tally::seek(answer(), query.window.offset())?;
            // Past the end there is nothing to ask for.
            let is_there = query.window.offset() < start.total;
            (start.total, if is_there { session.rows(self.page(&start)?).await? } else { Vec::new() })
        };
        let leads: Vec<Arc<Lead>> = rows.into_iter().map(lead::read).collect::<Result<_, _>>()?;
        Ok(Listed::Page(Page::new(leads, total, query.window)))
    }
}

impl List {
    fn page(&self, start: &Start) -> Result<Query, SqlError> {
        let Self { business, query } = self;
        let (sql, filters) = match (&query.client, &query.stage) {
            (None, None) => (statement::PAGE, vec![]),
            (Some(client), None) => (statement::PAGE_OF_CLIENT, vec![client.into()]),
            (None, Some(stage)) => (statement::PAGE_OF_STAGE, vec![stage.into()]),
            (Some(client), Some(stage)) => (statement::PAGE_OF_BOTH, vec![client.into(), stage.into()]),
        };
        let (at, id) = &start.before;
        let mut params = vec![Value::from(business)];
        params.extend(filters);
        params.extend([(*at).into(), id.into(), query.window.limit().into(), offset(start.skip)?]);
        Ok(Query { sql, params })
    }
}

/// Pipelines with their stages (contract D3).
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
        let mut answers = session.ask(queries).await?.into_iter();
        let mut answer = || answers.next().unwrap_or_default();
        let (total, rows) = (count(answer())?, answer());
        let mut stages: HashMap<PipelineId, Vec<Stage>> = HashMap::new();
        for mut row in answer() {
            let pipeline = row.take()?;
            let stage = Stage::new(row.take()?, row.take::<String>()?, row.take()?);
            stages.entry(pipeline).or_default().push(stage);
        }
        let mut pipelines = Vec::with_capacity(rows.len());
        for mut row in rows {
            let id: PipelineId = row.take()?;
            let stages = stages.remove(&id).unwrap_or_default();
            pipelines.push(Pipeline::new(id, row.take::<String>()?, stages, row.take()?));
        }
        Ok(Page::new(pipelines, total, *window))
    }
}

/// Client accounts (contract D3).
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
        let mut answers = session.ask(queries).await?.into_iter();
        let mut answer = || answers.next().unwrap_or_default();
        let total = count(answer())?;
        let account = |mut row: Row| Ok(ClientAccount::new(row.take()?, row.take::<String>()?, row.take()?));
        let accounts = answer().into_iter().map(account).collect::<Result<_, SqlError>>()?;
        Ok(Page::new(accounts, total, *window))
    }
}

/// The number that a statement with one row of one column counts.
pub(super) fn count(rows: Vec<Row>) -> Result<u64, SqlError> {
    rows.into_iter().next().ok_or_else(|| SqlError::other("a count has no row"))?.take()
}

fn offset(offset: u64) -> Result<Value, SqlError> {
    i64::try_from(offset).map(Value::from).map_err(SqlError::other)
}

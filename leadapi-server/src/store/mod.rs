//! Stores that keep data: SQLite in a file, PostgreSQL for many servers.
//!
//! What is done to the data stands here once, as statements that both databases take and work that a session of either
//! does; `sqlite` and `postgres` know how a transaction is begun, shared, committed and asked after.

mod lead;
mod postgres;
mod read;
mod session;
mod sqlite;
mod statement;
mod tally;
mod tokens;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::{BusinessId, LeadId},
    model::{ClientAccount, Lead, LeadQuery, Page, Pipeline, Window},
    port::{Created, Idempotency, Listed, Store, Updated},
    validate::{LeadDraft, LeadEdit, Stamp},
};

use self::{
    postgres::Postgres,
    session::{Query, Row, SqlError, Work, query},
    sqlite::Sqlite,
    write::{Write, Written},
};

/// A [`Store`] and [`TokenStore`](leadapi_core::port::TokenStore) in a database.
#[derive(Debug, Clone)]
pub struct SqlStore {
    database: Database,
}

#[derive(Debug, Clone)]
enum Database {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

impl Database {
    async fn query(&self, query: Query) -> Result<Vec<Row>, SqlError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.query(query),
            Self::Postgres(postgres) => postgres.query(query).await,
        }
    }

    async fn read<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.read(&work),
            Self::Postgres(postgres) => postgres.read(&work).await,
        }
    }

    async fn write(&self, business: &BusinessId, write: Write) -> Result<Written, SqlError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.write(business, write).await,
            Self::Postgres(postgres) => postgres.write(business, write).await,
        }
    }

    /// Does something else that writes, alone in its business; without one, in as many as it likes.
    async fn work<W: Work>(&self, business: Option<&BusinessId>, work: W) -> Result<W::Output, SqlError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.work(work).await,
            Self::Postgres(postgres) => postgres.work(business, work).await,
        }
    }
}

#[async_trait]
impl Store for SqlStore {
    async fn create(
        &self,
        business: &BusinessId,
        stamp: Stamp,
        draft: LeadDraft,
        once: Option<&Idempotency>,
    ) -> Result<Created, BoxError> {
        match self.database.write(business, Write::Create { stamp, draft, once: once.cloned() }).await? {
            Written::Created(created) => Ok(created),
            other => Err(mixed_up(&other)),
        }
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, BoxError> {
        let rows = self.database.query(query!(statement::LEAD, business, id)).await?;
        Ok(rows.into_iter().next().map(lead::read).transpose()?)
    }

    async fn update(&self, business: &BusinessId, id: &LeadId, edit: &LeadEdit) -> Result<Updated, BoxError> {
        match self.database.write(business, Write::Update { id: id.clone(), edit: edit.clone() }).await? {
            Written::Updated(updated) => Ok(updated),
            other => Err(mixed_up(&other)),
        }
    }

    async fn remove(&self, business: &BusinessId, id: &LeadId) -> Result<bool, BoxError> {
        match self.database.write(business, Write::Remove { id: id.clone() }).await? {
            Written::Removed(removed) => Ok(removed),
            other => Err(mixed_up(&other)),
        }
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, BoxError> {
        Ok(self.database.read(read::List { business: business.clone(), query: query.clone() }).await?)
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, BoxError> {
        Ok(self.database.read(read::Pipelines { business: business.clone(), window }).await?)
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, BoxError> {
        Ok(self.database.read(read::Clients { business: business.clone(), window }).await?)
    }
}

fn mixed_up(written: &Written) -> BoxError {
    format!("the outcome of another write has come back: {written:?}").into()
}

//! PostgreSQL: any number of servers on one database.

mod connect;
mod hosts;
mod migrate;
mod pooler;
mod session;
mod statement;
mod tls;
mod url;
mod writer;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use deadpool_postgres::{Object, Pool, PoolError};
use leadapi_core::{id::BusinessId, model::Timestamp};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) use connect::OpenError;
use hosts::Hosts;
use session::PgSession;
use url::Target;
pub(super) use url::shown;
use writer::Writer;

use super::{
    row::Row,
    session::{Query, Session, SqlError, Work, query},
    write::{Write, Written},
};

/// A transaction that something was in the way of is done again at most so often.
const RETRIES: u32 = 3;
/// Neither a read nor either half of a write takes longer, whatever the network does.
const LONGEST: Duration = Duration::from_secs(6);

const BEGIN: &str = "BEGIN";
/// Nothing that is read waits for anything that is written, and all of it is of one moment.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/// What is read may be handed to somebody who takes long.
const BEGIN_READING_LONG: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0";
/// Work of an administrator may take long.
const BEGIN_LONG: &str = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 60000; \
    SET LOCAL idle_in_transaction_session_timeout = 60000";

/// A database behind a pool of connections.
#[derive(Debug)]
pub(crate) struct Postgres {
    connections: Arc<Connections>,
    writer: Writer,
}

#[derive(Debug)]
struct Connections {
    pool: Pool,
    /// By which this server finds its own last transaction again.
    server_id: String,
}

impl Postgres {
    /// Connects, and brings the database to the schema of this version.
    pub(crate) async fn open(url: &str, pool_size: usize) -> Result<Self, OpenError> {
        let target = Target::parse(url)?;
        let hosts = Hosts::new(&target)?;
        pooler::refuse(&hosts).await?;
        let pool = connect::pool(target, hosts, pool_size)?;
        let mut client = pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => OpenError::Database(error),
            other => OpenError::Unreachable(other),
        })?;
        connect::check(&client).await?;
        migrate::migrate(&mut client).await?;
        drop(client);
        let connections = Arc::new(Connections { pool, server_id: Uuid::now_v7().to_string() });
        Ok(Self { writer: Writer::new(connections.clone()), connections })
    }

    /// Runs one statement that reads.
    pub(crate) async fn rows<T>(
        &self,
        query: &Query,
        read: impl Fn(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let both = async {
            match self.connections.query(query.clone()).await {
                Err(error) if error.may_pass() => self.connections.query(query.clone()).await,
                other => other,
            }
        };
        in_time(both).await?.iter().map(|row| read(Row::new(row))).collect()
    }

    /// Runs statements that read, all on one snapshot.
    pub(crate) async fn read<W: Work>(&self, work: &W) -> Result<W::Output, SqlError> {
        let both = async {
            match self.connections.read(BEGIN_READING, work).await {
                Err(error) if error.may_pass() => self.connections.read(BEGIN_READING, work).await,
                other => other,
            }
        };
        in_time(both).await
    }

    /// Runs statements that read for as long as they take, all on one snapshot.
    pub(crate) async fn read_long<W: Work>(&self, work: &W) -> Result<W::Output, SqlError> {
        self.connections.read(BEGIN_READING_LONG, work).await
    }

    pub(crate) async fn write(&self, business: &BusinessId, write: Write) -> Result<Written, SqlError> {
        self.writer.write(business, write).await
    }

    /// Does something else that writes, alone in its business.
    pub(crate) async fn work<W: Work>(&self, business: Option<&BusinessId>, work: W) -> Result<W::Output, SqlError> {
        let connections = self.connections.clone();
        let business = business.cloned();
        // In a task of its own, so that it comes to its end when nobody waits for it any longer.
        let task = tokio::spawn(async move {
            let mut attempts = Attempts::default();
            loop {
                match connections.work(business.as_ref(), &work).await {
                    Err(error) if attempts.again_after(&error).await => {}
                    other => return other,
                }
            }
        });
        task.await.map_err(SqlError::other)?
    }
}

impl Postgres {
    /// Forgets the servers that have written nothing to a business since a moment.
    pub(crate) async fn forget_servers(&self, business: &BusinessId, until: Timestamp) -> Result<(), SqlError> {
        if self.rows(&query!(statement::OLD_SERVER, business, until), |_| Ok(())).await?.is_empty() {
            return Ok(());
        }
        self.work(Some(business), ForgetServers { business: business.clone(), until }).await
    }
}

struct ForgetServers {
    business: BusinessId,
    until: Timestamp,
}

#[async_trait]
impl Work for ForgetServers {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        session.tell(query!(statement::FORGET_SERVERS, &self.business, self.until)).await
    }
}

impl Connections {
    async fn get(&self) -> Result<Object, SqlError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => SqlError::lost(error),
            // Whoever has waited long enough does not wait again.
            other => SqlError::other(other),
        })
    }

    async fn query(&self, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
        session::query(self.get().await?, query).await
    }

    async fn read<W: Work>(&self, begin: &'static str, work: &W) -> Result<W::Output, SqlError> {
        let mut session = PgSession::begin(self.get().await?, begin)?;
        let done = work.run(&mut session).await?;
        session.end_of_reading().await?;
        Ok(done)
    }

    async fn work<W: Work>(&self, business: Option<&BusinessId>, work: &W) -> Result<W::Output, SqlError> {
        let mut session = PgSession::begin(self.get().await?, BEGIN_LONG)?;
        if let Some(business) = business {
            session.tell(query!(statement::LOCK, business)).await?;
        }
        let done = work.run(&mut session).await?;
        session.commit().await.map_err(|error| match error {
            SqlError::Lost(lost) => SqlError::Unknown(Arc::new(Unanswered(lost))),
            other => other,
        })?;
        Ok(done)
    }
}

impl SqlError {
    /// Whether it may be otherwise the next time: the connection at hand may have been dead for long.
    const fn may_pass(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Retry(_))
    }
}

async fn in_time<T>(read: impl Future<Output = Result<T, SqlError>>) -> Result<T, SqlError> {
    timeout(LONGEST, read).await.unwrap_or_else(|elapsed| Err(SqlError::lost(elapsed)))
}

/// Counts how often a transaction was tried.
#[derive(Debug, Default)]
struct Attempts(u32);

impl Attempts {
    /// Whether it is to be tried again, after a moment that differs from that of whoever was in the way.
    ///
    /// A connection that was lost is no reason against it: nobody says so once a commit is on its way.
    async fn again_after(&mut self, error: &SqlError) -> bool {
        self.0 += 1;
        if !error.may_pass() || self.0 > RETRIES {
            return false;
        }
        // The last bits of a random UUID are as good as any.
        let jitter = u64::try_from(Uuid::now_v7().as_u128() % 45).unwrap_or_default();
        tokio::time::sleep(Duration::from_millis(5 + jitter)).await;
        true
    }
}

/// Whether something was done cannot be said.
#[derive(Debug, thiserror::Error)]
#[error(
    "the connection was lost while the work was committed: whether it was done is not known, so look before you try again"
)]
struct Unanswered(#[source] Arc<dyn std::error::Error + Send + Sync>);

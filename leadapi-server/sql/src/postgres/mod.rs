//! A store in PostgreSQL, which any number of servers can share.

mod attempts;
mod change;
mod clock;
mod commit_error;
mod commit_outcome;
mod commit_record;
mod connect;
mod distribute;
mod hosts;
mod housekeeping;
mod layout;
mod layout_error;
mod ledger;
mod list;
mod lookup;
mod migrate;
mod nodes;
mod patience;
mod pooler;
mod probe;
mod queue;
mod session;
mod share;
mod sql_state;
mod statement;
mod tls;
mod transaction;
mod url;
mod writer;

use std::{sync::Arc, time::Duration};

use deadpool_postgres::Pool;
use leadapi_core::id::BusinessId;
use tokio::{
    sync::Semaphore,
    time::{error::Elapsed, timeout},
};
use uuid::Uuid;

use attempts::Attempts;
use commit_error::CommitError;
use commit_record::CommitRecords;
pub(crate) use connect::OpenError;
use hosts::Hosts;
use patience::{Access, Stuck};
pub(super) use probe::Probe;
use probe::Prober;
use session::PgSession;
use share::Shares;
pub(super) use statement::DELETE_COMMIT_IDS;
use url::Target;
pub(super) use url::redacted;
use writer::Writer;

use super::{
    clock::{DatabaseClock, StoreClock},
    error::SqlError,
    row::Row,
    session::{Query, Session, Work, query},
    write::{Write, WriteOutcome},
};

/// The time limit for a short read or write, and for each phase of a group commit (prepare and commit). It applies even
/// if the network hangs.
const TIMEOUT: Duration = Duration::from_secs(6);

/// The time limit for the commit of a unit of work, whose outcome no caller can look up later. Slightly less than the
/// default request timeout.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(14);

/// Begins a write. The statement names the isolation level, because a role or a database can preset a different one,
/// whose snapshot would be taken before the business is locked.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// Begins a snapshot read, which does not wait for concurrent writes.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/// Begins a read without a time limit, because the consumer of the rows may be slow.
const BEGIN_LONG_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0";
/// Begins a unit of work that may take longer than a request, such as an administrative change. The wait for a lock is
/// limited to 10 s.
const BEGIN_LONG: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; \
    SET LOCAL lock_timeout = 10000; \
    SET LOCAL idle_in_transaction_session_timeout = 60000";

/// A PostgreSQL database behind a connection pool.
#[derive(Debug)]
pub(crate) struct Postgres {
    connections: Arc<Connections>,
    writer: Writer,
    prober: Prober,
}

#[derive(Debug)]
struct Connections {
    pool: Pool,
    hosts: Hosts,
    shares: Arc<Shares>,
    /// The permits of all writes.
    writes: Arc<Semaphore>,
    stuck: Stuck,
    /// The id of this server in the `operation` table, which records the last group commit of each server in each
    /// business.
    server_id: String,
    records: CommitRecords,
    clock: Arc<DatabaseClock>,
    /// Whether Citus distributes the database.
    is_distributed: bool,
}

impl Postgres {
    /// Connects, and migrates the schema to this version.
    pub(crate) async fn open(url: &str, pool_size: usize) -> Result<Self, OpenError> {
        let target = Target::parse(url)?;
        let hosts = Hosts::new(&target)?;
        pooler::refuse(&hosts).await?;
        let prober = Prober::new(hosts.clone());
        let pool = connect::pool(target, hosts.clone(), pool_size)?;
        let mut client = connect::first(&pool).await?;
        connect::check(&client).await?;
        layout::refuse_worker(&client).await?;
        migrate::migrate(&mut client).await?;
        let is_distributed = layout::check(&client).await?;
        if is_distributed {
            nodes::advise(&client).await;
        }
        let (clock, first_query) = clock::start(&client).await?;
        drop(client);
        let connections = Arc::new(Connections {
            pool,
            hosts,
            shares: Shares::of(pool_size),
            writes: Arc::new(Semaphore::new(pool_size - pool_size / 4)),
            stuck: Stuck::of_pool(pool_size, first_query),
            server_id: Uuid::now_v7().to_string(),
            records: CommitRecords::default(),
            clock,
            is_distributed,
        });
        tokio::spawn(clock::follow(Arc::downgrade(&connections)));
        Ok(Self { writer: Writer::new(connections.clone()), connections, prober })
    }

    /// Returns whether Citus distributes the database over several nodes.
    pub(crate) fn is_distributed(&self) -> bool {
        self.connections.is_distributed
    }

    pub(crate) fn clock(&self) -> StoreClock {
        self.connections.store_clock()
    }

    /// Runs one read statement, for a business if it belongs to one.
    pub(crate) async fn rows<T>(
        &self,
        business: Option<&BusinessId>,
        query: &Query,
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let rows = match self.connections.query(business, query.clone()).await {
            Err(error) if error.is_transient() => self.connections.query(business, query.clone()).await,
            other => other,
        };
        rows?.iter().map(|row| read(Row::new(row))).collect()
    }

    /// Runs read statements for a business against one snapshot.
    pub(crate) async fn read<W: Work>(&self, business: &BusinessId, work: &W) -> Result<W::Output, SqlError> {
        match self.connections.read(business, work).await {
            Err(error) if error.is_transient() => self.connections.read(business, work).await,
            other => other,
        }
    }

    /// Runs read statements against one snapshot, without a time limit.
    pub(crate) async fn read_long<W: Work>(&self, work: &W) -> Result<W::Output, SqlError> {
        let run = |connection| session::read(connection, BEGIN_LONG_READ, work);
        self.connections.run(Access::Read, None, run).await
    }

    pub(crate) async fn write(&self, business: &BusinessId, write: Write) -> Result<WriteOutcome, SqlError> {
        self.writer.write(business, write).await
    }

    /// Runs a unit of work that may write. If `business` is given, other writes to that business are blocked while the
    /// work runs.
    pub(crate) async fn work<W: Work>(&self, business: Option<&BusinessId>, work: W) -> Result<W::Output, SqlError> {
        let connections = self.connections.clone();
        let business = business.cloned();
        // Runs in a separate task, so the work completes even if the caller stops waiting.
        let task = tokio::spawn(async move {
            let mut attempts = Attempts::default();
            loop {
                match connections.work(BEGIN_LONG, business.as_ref(), &work).await {
                    Err(error) if attempts.should_retry(&error).await => {}
                    other => return other,
                }
            }
        });
        task.await.map_err(SqlError::other)?
    }
}

impl Postgres {
    /// Runs a short write that belongs to no business. After an error, or if the caller stops waiting, the write may or
    /// may not have been applied.
    pub(crate) async fn brief_work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        let all = async {
            let mut attempts = Attempts::default();
            loop {
                match self.connections.work(BEGIN, None, &work).await {
                    Err(error) if attempts.should_retry(&error).await => {}
                    other => return other,
                }
            }
        };
        // `Lost` rather than `Busy`, because the commit may have been applied.
        self.connections.within(TIMEOUT, all).await.unwrap_or_else(|elapsed| Err(SqlError::lost(elapsed)))
    }

    /// Checks whether the database answers reads or accepts writes. The result does not depend on the pool.
    pub(crate) async fn probe(&self, probe: Probe) -> Result<(), SqlError> {
        self.prober.run(probe).await
    }
}

impl Connections {
    fn store_clock(&self) -> StoreClock {
        StoreClock::database(self.clock.clone())
    }

    /// Waits for work with a time limit.
    ///
    /// PostgreSQL's own timeouts are shorter, so if this one expires, the host has probably failed. The idle
    /// connections are dropped, because each of them would cost another timeout, and a host that resumes could answer
    /// with old data.
    async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Result<T, Elapsed> {
        timeout(limit, work).await.inspect_err(|_| drop(self.pool.retain(|_, _| false)))
    }

    /// Like [`Self::within`], with [`TIMEOUT`] as the limit.
    async fn with_timeout<T>(&self, work: impl Future<Output = Result<T, SqlError>>) -> Result<T, SqlError> {
        self.within(TIMEOUT, work).await.unwrap_or_else(|elapsed| Err(SqlError::busy(elapsed)))
    }

    async fn query(&self, business: Option<&BusinessId>, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
        self.run(Access::Read, business, |connection| self.with_timeout(session::query(connection, query.clone())))
            .await
    }

    async fn read<W: Work>(&self, business: &BusinessId, work: &W) -> Result<W::Output, SqlError> {
        let read = |connection| self.with_timeout(session::read(connection, BEGIN_READ, work));
        self.run(Access::Read, Some(business), read).await
    }

    async fn work<W: Work>(
        &self,
        begin: &'static str,
        business: Option<&BusinessId>,
        work: &W,
    ) -> Result<W::Output, SqlError> {
        let prepare = |connection| async move {
            let mut session = PgSession::begin(connection, begin)?;
            if let Some(business) = business {
                session.execute(query!(statement::LOCK, business)).await?;
            }
            let done = work.run(&mut session).await?;
            Ok((session, done))
        };
        let (session, done) = self.run(Access::Write, business, prepare).await?;
        // No timeout of the database ends a commit that waits for a standby.
        let committed = self.within(COMMIT_TIMEOUT, session.commit()).await;
        committed.unwrap_or_else(|elapsed| Err(CommitError::Unknown(Arc::new(elapsed)))).map_err(
            |error| match error {
                CommitError::Unknown(cause) => SqlError::Unknown(Arc::new(UnknownCommitOutcome(cause))),
                CommitError::RolledBack(error) => error,
            },
        )?;
        Ok(done)
    }

    async fn commit(&self, session: PgSession) -> Result<(), CommitError> {
        let commit = self.within(TIMEOUT, session.commit()).await;
        commit.unwrap_or_else(|elapsed| Err(CommitError::Unknown(Arc::new(elapsed))))
    }
}

/// The error for a commit whose outcome is unknown.
#[derive(Debug, thiserror::Error)]
#[error("the database did not confirm the commit: check whether the change was applied before you try again")]
struct UnknownCommitOutcome(#[source] Arc<dyn std::error::Error + Send + Sync>);

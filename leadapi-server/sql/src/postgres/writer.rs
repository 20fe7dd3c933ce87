//! Group commit for the writes of a business: all pending writes share one transaction.
//!
//! The writes of one business run serially in any case, because they change the same lead counts. One task per business
//! therefore takes all writes that arrived during its last transaction, and commits them together. A lock on the
//! business's row serializes the writes of different servers.
//!
//! # Lost commit responses
//!
//! A transaction must not be applied twice, so it is retried only if it is known to have been rolled back. Each server
//! has a row for each business, created before its first transaction there, and each transaction records its id in that
//! row. When the response to a commit is lost, or is an error that does not prove a rollback, another connection locks
//! the business and *writes* to the row. The row then shows whether the first transaction was committed:
//!
//! - PostgreSQL grants the lock only after the first transaction has ended, so the row is final.
//! - A PostgreSQL-compatible database with weaker row locks has to reject one of two concurrent transactions that write
//!   the same row. Only reading the row would not be enough, because the first transaction could still be committed
//!   afterwards.
//! - No later transaction of this server can have replaced the id. Only the draining task records ids for the business,
//!   and it starts no other transaction until it knows the outcome or gives up. Other servers write their own rows.
//! - If the row is missing, it was deleted, and the outcome is unknown.
//!
//! If the outcome cannot be determined while the caller waits, it stays unknown, and nothing is retried.

use std::{sync::Arc, time::Duration};

use leadapi_core::id::BusinessId;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};
use uuid::Uuid;

use super::{
    Attempts, BEGIN, Connections, TIMEOUT, commit_error::CommitError, commit_outcome::CommitOutcome, patience::Access,
    queue::Queues, session::PgSession, share::Connection, sql_state::is_caused_by_one_write, statement,
    transaction::GroupTransaction,
};
use crate::{
    error::SqlError,
    row::Row,
    session::{Session, query},
    write::{self, Write, WriteOutcome},
};

/// The maximum number of writes in a transaction.
const MAX_BATCH: usize = 256;
/// How long to keep querying the outcome of a commit: slightly less than the default request timeout.
const OUTCOME_TIMEOUT: Duration = Duration::from_secs(14);
const OUTCOME_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub(super) struct Writer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connections: Arc<Connections>,
    pending: Queues<PendingWrite>,
}

#[derive(Debug)]
struct PendingWrite {
    write: Write,
    respond_to: oneshot::Sender<Result<WriteOutcome, SqlError>>,
}

impl Writer {
    pub(super) fn new(connections: Arc<Connections>) -> Self {
        Self(Arc::new(Inner { connections, pending: Queues::new() }))
    }

    /// Submits a write, and waits for the commit that includes it. The write continues even if the caller stops
    /// waiting.
    pub(super) async fn write(&self, business: &BusinessId, write: Write) -> Result<WriteOutcome, SqlError> {
        let (respond_to, response) = oneshot::channel();
        if self.0.pending.push(business, PendingWrite { write, respond_to }) {
            tokio::spawn(self.0.clone().drain_queue(business.clone()));
        }
        response.await.map_err(SqlError::other)?
    }
}

impl Inner {
    async fn drain_queue(self: Arc<Self>, business: BusinessId) {
        let _guard = DrainGuard { inner: &self, business: &business };
        while let Some(pending) = self.pending.take(&business, MAX_BATCH) {
            let writes: Vec<&Write> = pending.iter().map(|pending| &pending.write).collect();
            let outcomes = self.write_all(&business, &writes).await;
            for (write, outcome) in pending.into_iter().zip(outcomes) {
                // Sending fails if the caller has stopped waiting.
                write.respond_to.send(outcome).unwrap_or_default();
            }
        }
    }

    async fn write_all(&self, business: &BusinessId, writes: &[&Write]) -> Vec<Result<WriteOutcome, SqlError>> {
        match self.transaction(business, writes).await {
            Ok(outcomes) => outcomes,
            // Retries each write in its own transaction, so one rejected write does not fail the others.
            Err(error) if writes.len() > 1 && is_caused_by_one_write(&error) => {
                let mut outcomes = Vec::with_capacity(writes.len());
                for write in writes {
                    let isolated = self.transaction(business, std::slice::from_ref(write)).await;
                    outcomes
                        .push(isolated.and_then(|mut isolated| isolated.pop().unwrap_or_else(|| Err(no_outcome()))));
                }
                outcomes
            }
            Err(error) => writes.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    async fn transaction(
        &self,
        business: &BusinessId,
        writes: &[&Write],
    ) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
        let mut attempts = Attempts::default();
        loop {
            match self.attempt(business, writes).await {
                Err(error) if attempts.should_retry(&error).await => {}
                other => return other,
            }
        }
    }

    async fn attempt(
        &self,
        business: &BusinessId,
        writes: &[&Write],
    ) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
        if !self.connections.records.contains(business) {
            self.create_record(business).await?;
        }
        let operation = Uuid::now_v7().to_string();
        let prepare =
            |connection| self.connections.with_timeout(self.prepare(connection, business, writes, &operation));
        let (session, outcomes) = self.connections.run(Access::Write, Some(business), prepare).await?;
        match self.connections.commit(session).await {
            Ok(()) => Ok(outcomes),
            Err(CommitError::Unknown(cause)) => match self.outcome(business, &operation).await? {
                CommitOutcome::Committed => Ok(outcomes),
                CommitOutcome::RolledBack => Err(SqlError::Retry(cause)),
                CommitOutcome::Unknown => {
                    self.connections.records.remove(business);
                    Err(SqlError::Unknown(cause))
                }
            },
            Err(CommitError::RolledBack(error)) => Err(error),
        }
    }

    /// Creates this server's commit record in the business, or confirms that it exists. The server becomes a member, so
    /// that the others keep the record.
    async fn create_record(&self, business: &BusinessId) -> Result<(), SqlError> {
        let prepare = |connection| {
            self.connections.with_timeout(async move {
                let mut session = PgSession::begin(connection, BEGIN)?;
                session.execute(query!(statement::LOCK, business)).await?;
                session.execute(query!(statement::ADD_SERVER, &self.connections.server_id)).await?;
                let create = query!(statement::CREATE_COMMIT_RECORD, &self.connections.server_id, business);
                session.query(vec![create], &mut |_, _| Ok(())).await?;
                Ok(session)
            })
        };
        let session = self.connections.run(Access::Write, Some(business), prepare).await?;
        // The commit may wait for a standby as long as a write may wait for its outcome.
        let committed = self.connections.within(OUTCOME_TIMEOUT, session.commit()).await.map_err(SqlError::other)?;
        committed.map_err(|error| match error {
            // The write itself has not begun, so it can be retried.
            CommitError::Unknown(cause) => SqlError::Lost(cause),
            CommitError::RolledBack(error) => error,
        })?;
        self.connections.records.insert(business);
        Ok(())
    }

    /// Runs the transaction up to, but not including, the commit.
    async fn prepare(
        &self,
        connection: Connection,
        business: &BusinessId,
        writes: &[&Write],
        operation: &str,
    ) -> Result<(PgSession, Vec<Result<WriteOutcome, SqlError>>), SqlError> {
        let session = PgSession::begin(connection, BEGIN)?;
        let Connections { server_id, is_distributed, .. } = &*self.connections;
        let mut transaction = GroupTransaction { session, operation, server_id, is_distributed: *is_distributed };
        transaction.execute(query!(statement::LOCK, business)).await?;
        let outcomes = write::run(&mut transaction, business, writes, &self.connections.store_clock()).await?;
        Ok((transaction.session, outcomes))
    }

    /// Determines the outcome of a transaction whose commit was sent but not acknowledged.
    async fn outcome(&self, business: &BusinessId, operation: &str) -> Result<CommitOutcome, SqlError> {
        let deadline = Instant::now() + OUTCOME_TIMEOUT;
        loop {
            let limit = TIMEOUT.min(deadline - Instant::now());
            let fence = self.connections.within(limit, self.fence(business));
            match fence.await.unwrap_or_else(|elapsed| Err(SqlError::lost(elapsed))) {
                Ok(recorded) => return Ok(CommitOutcome::new(recorded.as_deref(), operation)),
                Err(error) if Instant::now() >= deadline => return Err(SqlError::Unknown(Arc::new(error))),
                // The database may be restarting, or the transaction may still be running.
                Err(_) => sleep(OUTCOME_INTERVAL).await,
            }
        }
    }

    /// Updates this server's record for the business, and returns the transaction id in the record.
    async fn fence(&self, business: &BusinessId) -> Result<Option<String>, SqlError> {
        let fence = |connection| async move {
            let mut session = PgSession::begin(connection, BEGIN)?;
            session.execute(query!(statement::LOCK, business)).await?;
            let fence = query!(statement::FENCE, business, &self.connections.server_id);
            let read = |mut row: Row<'_>| row.take();
            let recorded = (&mut session as &mut dyn Session).row(fence, read).await?;
            Ok((session, recorded))
        };
        let (session, recorded) = self.connections.run(Access::Write, Some(business), fence).await?;
        session.commit().await?;
        Ok(recorded)
    }
}

/// A guard held by the task that drains the pending writes of a business.
struct DrainGuard<'a> {
    inner: &'a Inner,
    business: &'a BusinessId,
}

/// If the task panics, removes the queue of the business, so that the next write starts a new task. Callers that wait
/// for the old task receive an error.
impl Drop for DrainGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.inner.pending.remove(self.business);
        }
    }
}

fn no_outcome() -> SqlError {
    SqlError::other("a write has no outcome")
}

//! Writes to a business: all that wait for it share one transaction, and each is answered with the truth.
//!
//! The writes of one business follow each other whatever the server does, because they change the same tally. So one
//! task per business takes all that has come while its last transaction was on its way, and does it at once. Between
//! servers, the lock of the business's row keeps the order.
//!
//! # A commit whose answer is lost
//!
//! A transaction must be done exactly once, so one is repeated only when it is known to have been rolled back. Each signs
//! itself in a row of its server and business. When the answer to a commit is lost, another connection takes the lock of
//! the business and *writes* to that row, and the row says whether the first transaction was committed:
//!
//! - PostgreSQL gives the lock only once the first transaction is over, so the row is final.
//! - An engine that takes row locks less seriously must refuse one of two transactions that write the same row. Reading it
//!   would not be enough there: the first could still be committed afterwards.
//! - No later transaction of this server can have replaced the signature, because the task that asks is the only one that
//!   signs for the business, and it does nothing else until it knows. Other servers sign rows of their own.
//!
//! Where the question cannot be answered for as long as a caller waits, the outcome stays unknown, and nothing is repeated.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use leadapi_core::id::BusinessId;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep, timeout},
};
use uuid::Uuid;

use super::{
    Attempts, BEGIN, Connections, LONGEST,
    session::{PgSession, is_of_one_write},
    statement,
};
use crate::store::{
    row::Row,
    session::{Session, SqlError, query},
    write::{self, Write, Written},
};

/// So many writes share a transaction at most.
const MOST_TOGETHER: usize = 256;
/// How long the outcome of a commit is asked for: almost as long as a caller waits for an answer.
const OUTCOME_TIMEOUT: Duration = Duration::from_secs(14);
const OUTCOME_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub(super) struct Writer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connections: Arc<Connections>,
    /// What waits, of each business that a task is at work for.
    waiting: Mutex<HashMap<BusinessId, Vec<Waiting>>>,
}

#[derive(Debug)]
struct Waiting {
    write: Write,
    answer: oneshot::Sender<Result<Written, SqlError>>,
}

impl Writer {
    pub(super) fn new(connections: Arc<Connections>) -> Self {
        Self(Arc::new(Inner { connections, waiting: Mutex::default() }))
    }

    /// Waits for the commit that the write is part of. A caller that does not wait any longer does not undo it.
    pub(super) async fn write(&self, business: &BusinessId, write: Write) -> Result<Written, SqlError> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { write, answer };
        let is_first = self.0.with_waiting(|all| match all.entry(business.clone()) {
            Entry::Occupied(mut entry) => {
                entry.get_mut().push(waiting);
                false
            }
            Entry::Vacant(entry) => {
                entry.insert(vec![waiting]);
                true
            }
        });
        if is_first {
            tokio::spawn(self.0.clone().work_off(business.clone()));
        }
        answered.await.map_err(SqlError::other)?
    }
}

impl Inner {
    fn with_waiting<T>(&self, work: impl FnOnce(&mut HashMap<BusinessId, Vec<Waiting>>) -> T) -> T {
        work(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn work_off(self: Arc<Self>, business: BusinessId) {
        let _post = Post { inner: &self, business: &business };
        while let Some(waiting) = self.next(&business) {
            let writes: Vec<&Write> = waiting.iter().map(|waiting| &waiting.write).collect();
            let written = self.write_all(&business, &writes).await;
            for (waiting, written) in waiting.into_iter().zip(written) {
                // Whoever asked may have gone.
                waiting.answer.send(written).unwrap_or_default();
            }
        }
    }

    /// What has come in the meantime; with nothing, the task is over.
    fn next(&self, business: &BusinessId) -> Option<Vec<Waiting>> {
        self.with_waiting(|all| {
            let waiting = all.get_mut(business)?;
            if waiting.is_empty() {
                all.remove(business);
                return None;
            }
            let rest = waiting.split_off(waiting.len().min(MOST_TOGETHER));
            Some(std::mem::replace(waiting, rest))
        })
    }

    async fn write_all(&self, business: &BusinessId, writes: &[&Write]) -> Vec<Result<Written, SqlError>> {
        match self.transaction(business, writes).await {
            Ok(written) => written,
            // Alone, the one that was refused takes nothing with it of the others.
            Err(error) if writes.len() > 1 && is_of_one_write(&error) => {
                let mut written = Vec::with_capacity(writes.len());
                for write in writes {
                    let alone = self.transaction(business, std::slice::from_ref(write)).await;
                    written.push(alone.and_then(|mut alone| alone.pop().unwrap_or_else(|| Err(no_outcome()))));
                }
                written
            }
            Err(error) => writes.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    async fn transaction(
        &self,
        business: &BusinessId,
        writes: &[&Write],
    ) -> Result<Vec<Result<Written, SqlError>>, SqlError> {
        let mut attempts = Attempts::default();
        loop {
            match self.attempt(business, writes).await {
                Err(error) if attempts.again_after(&error).await => {}
                other => return other,
            }
        }
    }

    async fn attempt(
        &self,
        business: &BusinessId,
        writes: &[&Write],
    ) -> Result<Vec<Result<Written, SqlError>>, SqlError> {
        let operation = Uuid::now_v7().to_string();
        let prepared = timeout(LONGEST, self.prepare(business, writes, &operation)).await;
        let (session, written) = prepared.map_err(SqlError::other)??;
        match timeout(LONGEST, session.commit()).await.unwrap_or_else(|elapsed| Err(SqlError::lost(elapsed))) {
            Ok(()) => Ok(written),
            Err(SqlError::Lost(lost)) => match self.outcome(business, &operation).await? {
                CommitOutcome::Committed => Ok(written),
                CommitOutcome::RolledBack => Err(SqlError::Retry(lost)),
            },
            Err(other) => Err(other),
        }
    }

    /// Everything but the commit.
    async fn prepare(
        &self,
        business: &BusinessId,
        writes: &[&Write],
        operation: &str,
    ) -> Result<(PgSession, Vec<Result<Written, SqlError>>), SqlError> {
        let mut session = PgSession::begin(self.connections.get().await?, BEGIN)?;
        session.tell(query!(statement::LOCK, business)).await?;
        let written = write::run(&mut session, business, writes).await?;
        let now = chrono::Utc::now().timestamp_millis();
        let sign = query!(statement::SIGN, &self.connections.server_id, operation, now, business);
        session.tell(sign).await?;
        Ok((session, written))
    }

    /// Establishes whether a transaction was committed whose commit was sent and not answered.
    async fn outcome(&self, business: &BusinessId, operation: &str) -> Result<CommitOutcome, SqlError> {
        let deadline = Instant::now() + OUTCOME_TIMEOUT;
        loop {
            let fence = timeout(LONGEST.min(deadline - Instant::now()), self.fence(business));
            match fence.await.unwrap_or_else(|elapsed| Err(SqlError::lost(elapsed))) {
                Ok(signed) if signed.as_deref() == Some(operation) => return Ok(CommitOutcome::Committed),
                Ok(_) => return Ok(CommitOutcome::RolledBack),
                Err(error) if Instant::now() >= deadline => return Err(SqlError::Unknown(Arc::new(error))),
                // The database may be coming back, or the transaction may still be running.
                Err(_) => sleep(OUTCOME_INTERVAL).await,
            }
        }
    }

    /// Writes to this server's signature in the business, and answers which transaction it is of.
    async fn fence(&self, business: &BusinessId) -> Result<Option<String>, SqlError> {
        let mut session = PgSession::begin(self.connections.get().await?, BEGIN)?;
        session.tell(query!(statement::LOCK, business)).await?;
        let now = chrono::Utc::now().timestamp_millis();
        let fence = query!(statement::FENCE, &self.connections.server_id, now, business);
        let read = |mut row: Row<'_>| row.take();
        let signed = (&mut session as &mut dyn Session).row(fence, read).await?;
        session.commit().await?;
        Ok(signed)
    }
}

/// Where a task stands that works off the writes of a business.
struct Post<'a> {
    inner: &'a Inner,
    business: &'a BusinessId,
}

/// A task that panics is followed by another: whoever waits for it is told that it failed.
impl Drop for Post<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.inner.with_waiting(|all| all.remove(self.business));
        }
    }
}

enum CommitOutcome {
    Committed,
    RolledBack,
}

fn no_outcome() -> SqlError {
    SqlError::other("a write has no outcome")
}

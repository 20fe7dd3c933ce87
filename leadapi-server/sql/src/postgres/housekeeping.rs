//! Deletes expired records. All servers call this periodically, but only one at a time does the work.
//!
//! A transaction locks the row of this task while it works, so the lock is released when the server or its connection
//! fails. The statements span all businesses, because their number must not grow with the number of businesses.

use async_trait::async_trait;
use leadapi_core::model::Timestamp;
use tokio_postgres::error::SqlState;

use super::{Postgres, statement};
use crate::{
    error::SqlError,
    row::Row,
    session::{Session, Work, query},
    settings,
};

/// Locks the task if no other server has locked it, and then returns a row.
const TRY_LOCK: &str = "SELECT 1 FROM exclusive_task WHERE task = 'delete_expired' FOR UPDATE SKIP LOCKED";
/// Restores the row of the task, which a restore of a part of the data may have lost.
const CREATE_TASK: &str = "INSERT INTO exclusive_task VALUES ('delete_expired') ON CONFLICT DO NOTHING";
/// Takes the advisory lock of servers that do not know the task, if none of them holds it, and then returns a row. The
/// key is "leadapi1" in ASCII.
const TRY_ADVISORY_LOCK: &str = "SELECT 1 WHERE pg_try_advisory_xact_lock(x'6c65616461706931'::bigint)";

/// Limits how long writes queue behind `lock` while a long transaction, such as a backup, uses the partition. The next
/// round tries again.
const SHORT_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = 100";

/// The statements for a partition of the `idempotency` table.
#[derive(Debug)]
struct Partition {
    newest: &'static str,
    lock: &'static str,
    truncate: &'static str,
}

macro_rules! partition {
    ($table:literal) => {
        Partition {
            newest: concat!("SELECT max(coalesce(stored_at, created_at)) FROM ", $table),
            lock: concat!("LOCK TABLE ", $table, " IN ACCESS EXCLUSIVE MODE"),
            truncate: concat!("TRUNCATE ", $table),
        }
    };
}

static PARTITIONS: [Partition; 4] = [
    partition!("idempotency_0"),
    partition!("idempotency_1"),
    partition!("idempotency_2"),
    partition!("idempotency_3"),
];

impl Postgres {
    /// Deletes expired sign-in links and sessions, and old commit records. Also truncates each partition in which all
    /// idempotency keys were created at or before the key time `until`. Returns whether a partition was truncated.
    pub(crate) async fn delete_expired(&self, now: Timestamp, until: Timestamp) -> Result<bool, SqlError> {
        self.work(None, DeleteOldRows { now }).await?;
        let mut deleted = false;
        for partition in &PARTITIONS {
            // Reads first, so that a partition with unexpired keys is not locked.
            let newest = self.rows(None, &query!(partition.newest), newest).await?;
            if has_expired(&newest, until) {
                deleted |= self.work(None, EmptyPartition { partition, until }).await.or_else(ignore_lock_timeout)?;
            }
        }
        Ok(deleted)
    }
}

fn newest(mut row: Row<'_>) -> Result<Option<i64>, SqlError> {
    row.take()
}

/// Returns whether a partition has keys, all of which have expired.
fn has_expired(newest: &[Option<i64>], until: Timestamp) -> bool {
    newest.iter().flatten().any(|newest| *newest <= until.unix_millis())
}

fn ignore_lock_timeout(error: SqlError) -> Result<bool, SqlError> {
    let SqlError::Other(cause) = &error else { return Err(error) };
    let state = cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code);
    if state == Some(&SqlState::LOCK_NOT_AVAILABLE) { Ok(false) } else { Err(error) }
}

/// Takes both locks if no other server holds either of them, and returns whether it did.
async fn try_lock(session: &mut dyn Session) -> Result<bool, SqlError> {
    if !session.finds(query!(TRY_ADVISORY_LOCK)).await? {
        return Ok(false);
    }
    if session.finds(query!(TRY_LOCK)).await? {
        return Ok(true);
    }
    session.execute(query!(CREATE_TASK)).await?;
    session.finds(query!(TRY_LOCK)).await
}

struct DeleteOldRows {
    now: Timestamp,
}

#[async_trait]
impl Work for DeleteOldRows {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        if try_lock(session).await? {
            session.execute(query!(statement::DELETE_OLD_COMMIT_IDS)).await?;
            settings::delete_expired(session, self.now).await?;
        }
        Ok(())
    }
}

struct EmptyPartition {
    partition: &'static Partition,
    until: Timestamp,
}

#[async_trait]
impl Work for EmptyPartition {
    type Output = bool;

    async fn run(&self, session: &mut dyn Session) -> Result<bool, SqlError> {
        if !try_lock(session).await? {
            return Ok(false);
        }
        session.execute(query!(SHORT_LOCK_TIMEOUT)).await?;
        session.execute(query!(self.partition.lock)).await?;
        // A key may have been added before the lock was granted.
        let expired = has_expired(&session.rows(query!(self.partition.newest), newest).await?, self.until);
        if expired {
            session.execute(query!(self.partition.truncate)).await?;
        }
        Ok(expired)
    }
}

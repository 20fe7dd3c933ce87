//! Runs work for businesses so that those whose work is stuck leave connections for the others. For example, another
//! program may hold locks on the records of several businesses, or the node with their records may not respond.
//!
//! Work is stuck if it still runs after [`PATIENCE`] while other work waits for a connection. All stuck work together
//! may use half of the pool. Work beyond that is cancelled before its commit and starts again. If work of its business
//! is repeatedly stuck, it first waits until other stuck work ends.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use deadpool_postgres::{Object, PoolError};
use leadapi_core::id::BusinessId;
use tokio::{
    sync::Semaphore,
    time::{Instant, error::Elapsed, timeout},
};

use super::{
    Connections,
    connect::POOL_WAIT,
    share::{Connection, Slot},
    sql_state::is_timeout,
};
use crate::error::SqlError;

const PATIENCE: Duration = Duration::from_millis(200);
/// How often work of a business must be stuck, with none that succeeds in between, until its work counts as stuck from
/// the beginning. More than once, because the machine may have been busy.
const STRIKES: u32 = 2;
/// How often work may be cancelled and run again.
const RUNS: usize = 3;
/// How long the strikes of a business count.
const MEMORY: Duration = Duration::from_secs(10);

/// What the work of a business needs. A lock on a business blocks its writes, but not its reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Read,
    Write,
}

type Key = (BusinessId, Access);

/// The businesses whose work is stuck.
#[derive(Debug)]
pub(super) struct Stuck {
    /// The permits of stuck work.
    slots: Arc<Semaphore>,
    /// The number of strikes, and the time of the last one.
    strikes: Mutex<HashMap<Key, (u32, Instant)>>,
}

impl Stuck {
    pub(super) fn of_pool(size: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new((size / 2).max(1))), strikes: Mutex::default() }
    }

    async fn acquire(&self) -> Result<Slot, Elapsed> {
        let permit = timeout(POOL_WAIT, self.slots.clone().acquire_owned()).await?;
        // The semaphore is never closed.
        Ok(permit.map(|permit| Arc::new(OnceLock::from(permit))).unwrap_or_default())
    }

    /// Gives work a permit unless it already has one. Returns whether it has one now.
    fn try_acquire(&self, slot: &Slot) -> bool {
        slot.get().is_some() || self.slots.clone().try_acquire_owned().is_ok_and(|permit| slot.set(permit).is_ok())
    }

    fn contains(&self, key: &Key) -> bool {
        self.lock().get(key).is_some_and(|(strikes, last)| *strikes >= STRIKES && last.elapsed() < MEMORY)
    }

    fn strike(&self, key: &Key) {
        let mut strikes = self.lock();
        strikes.retain(|_, (_, last)| last.elapsed() < MEMORY);
        let (count, last) = strikes.entry(key.clone()).or_insert((0, Instant::now()));
        (*count, *last) = (count.saturating_add(1), Instant::now());
    }

    fn forgive(&self, key: &Key) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, (u32, Instant)>> {
        self.strikes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    /// Runs work on a connection, for a business if the work belongs to one. The work may be cancelled and run again,
    /// so it must not include a commit.
    pub(super) async fn run<T, F>(
        &self,
        business: Option<(&BusinessId, Access)>,
        work: impl Fn(Connection) -> F,
    ) -> Result<T, SqlError>
    where
        F: Future<Output = Result<T, SqlError>>,
    {
        let Some((business, access)) = business else {
            return Box::pin(work(self.connection().await?)).await;
        };
        let key = (business.clone(), access);
        for _ in 0..RUNS {
            let share = self.shares.clone().acquire(business).await.map_err(SqlError::busy)?;
            let stuck = self.stuck.contains(&key);
            let slot = if stuck { self.stuck.acquire().await.map_err(SqlError::busy)? } else { Slot::default() };
            let object = self.object().await?;
            if self.stuck.contains(&key) && !self.stuck.try_acquire(&slot) {
                // The business became stuck while this work waited for the connection.
                continue;
            }
            let cancel = object.cancel_token();
            // On the heap, because it is large.
            let mut work = Box::pin(work(Connection::new(object, Some(share), slot.clone())));
            if let Some(done) = self.finish(&key, &slot, work.as_mut()).await {
                return done.map_err(|error| if is_timeout(&error) { SqlError::busy(error) } else { error });
            }
            let hosts = self.hosts.clone();
            tokio::spawn(async move { hosts.cancel(cancel).await });
        }
        Err(SqlError::busy("the work was stuck each time it ran"))
    }

    /// Waits for work. Returns `None` if the work must make room for others.
    async fn finish<T>(
        &self,
        key: &Key,
        slot: &Slot,
        mut work: Pin<&mut impl Future<Output = Result<T, SqlError>>>,
    ) -> Option<Result<T, SqlError>> {
        loop {
            if let Ok(done) = timeout(PATIENCE, &mut work).await {
                if done.is_ok() {
                    self.stuck.forgive(key);
                }
                return Some(done);
            }
            let pool = self.pool.status();
            // `waiting` includes callers whose connections are being made, so it alone does not mean that the pool is full.
            if pool.size + pool.waiting > pool.max_size {
                self.stuck.strike(key);
                if !self.stuck.try_acquire(slot) {
                    return None;
                }
            }
        }
    }

    /// Waits for a connection for work that belongs to no business.
    pub(super) async fn connection(&self) -> Result<Connection, SqlError> {
        Ok(Connection::new(self.object().await?, None, Slot::default()))
    }

    async fn object(&self) -> Result<Object, SqlError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => SqlError::lost(error),
            // Not mapped to `Lost`, because lost connections are retried, and the caller has already waited for the
            // pool.
            PoolError::Timeout(_) => SqlError::busy(error),
            _ => SqlError::other(error),
        })
    }
}

//! Runs work for businesses. Businesses whose work is stuck leave connections for the other businesses. Work can get
//! stuck, for example, if another program holds locks on the records of several businesses, or if the node with their
//! records does not respond.
//!
//! Work is stuck if it still runs after [`PATIENCE`] while other work waits for a connection. All stuck work together
//! may use half of the pool, and the stuck work of one business a quarter. Any more stuck work is cancelled before its
//! commit, and starts again. If the work of its business is repeatedly stuck, it first waits until other stuck work
//! ends.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deadpool_postgres::PoolError;
use leadapi_core::id::BusinessId;
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

use super::{
    Connections,
    connect::POOL_WAIT,
    share::{Connection, Permits, Shares, Slot},
    sql_state::is_timeout,
};
use crate::error::SqlError;

const PATIENCE: Duration = Duration::from_millis(200);
/// The maximum patience. It exceeds [`PATIENCE`] only if the connection to the database is slow.
const MAX_PATIENCE: Duration = Duration::from_secs(1);
/// If the connection to the database is slow, the patience is this multiple of the time that the first query took.
const PATIENCE_QUERIES: u32 = 10;
/// The number of times that the work of a business must get stuck, without a success in between, until its new work
/// counts as stuck from the beginning. Once is not enough, because the machine may have been busy.
const STRIKES: u32 = 2;
/// The maximum number of times that the same work is run. Each run may be cancelled.
const RUNS: usize = 3;
/// The time after which the strikes of a business no longer count.
const MEMORY: Duration = Duration::from_secs(10);

/// Whether work reads or writes. The two are counted separately, because a lock on a business blocks its writes, but
/// not its reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Read,
    Write,
}

type Key = (BusinessId, Access);

/// The businesses whose work is stuck.
#[derive(Debug)]
pub(super) struct Stuck {
    patience: Duration,
    /// The permits of all stuck work.
    slots: Arc<Semaphore>,
    /// The permits of the stuck work of each business.
    shares: Arc<Shares>,
    /// The number of strikes, and the time of the last one.
    strikes: Mutex<HashMap<Key, (u32, Instant)>>,
}

impl Stuck {
    /// Creates the limits for a pool of this size. `first_query` is the time that the first query took.
    pub(super) fn of_pool(size: usize, first_query: Duration) -> Self {
        let slots = (size / 2).max(1);
        Self {
            patience: (first_query * PATIENCE_QUERIES).clamp(PATIENCE, MAX_PATIENCE),
            slots: Arc::new(Semaphore::new(slots)),
            shares: Shares::of(slots),
            strikes: Mutex::default(),
        }
    }

    async fn acquire(&self, business: &BusinessId, slot: &Slot) {
        let share = self.shares.clone().acquire(business).await;
        // The semaphore is never closed.
        if let Ok(permit) = self.slots.clone().acquire_owned().await {
            slot.set((share, permit)).unwrap_or_default();
        }
    }

    /// Gives work a permit for stuck work unless it already has one. Returns whether it has one now.
    fn try_acquire(&self, business: &BusinessId, slot: &Slot) -> bool {
        let acquire = || {
            let share = self.shares.clone().try_acquire(business)?;
            slot.set((share, self.slots.clone().try_acquire_owned().ok()?)).ok()
        };
        slot.get().is_some() || acquire().is_some()
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
    /// Runs work on a connection, for a business if the work belongs to one. Work of a business may be cancelled and
    /// run again, so it must not include a commit.
    pub(super) async fn run<T, F>(
        &self,
        access: Access,
        business: Option<&BusinessId>,
        work: impl Fn(Connection) -> F,
    ) -> Result<T, SqlError>
    where
        F: Future<Output = Result<T, SqlError>>,
    {
        let Some(business) = business else {
            let permits = self.permits(access, None).await?;
            return Box::pin(work(self.connection(permits).await?)).await;
        };
        let key = (business.clone(), access);
        for _ in 0..RUNS {
            let permits = self.permits(access, Some(&key)).await?;
            let slot = permits.slot.clone();
            let connection = self.connection(permits).await?;
            if self.stuck.contains(&key) && !self.stuck.try_acquire(business, &slot) {
                // The business became stuck while this work waited for the connection.
                continue;
            }
            // On the heap, because it is large.
            let mut work = Box::pin(work(connection));
            if let Some(done) = self.finish(&key, &slot, work.as_mut()).await {
                return done.map_err(|error| if is_timeout(&error) { SqlError::busy(error) } else { error });
            }
        }
        Err(SqlError::busy("the work was stuck each time it ran"))
    }

    /// Waits for the permits that work needs.
    async fn permits(&self, access: Access, of_business: Option<&Key>) -> Result<Permits, SqlError> {
        let acquire = async {
            let mut permits = Permits::default();
            if let Some(key @ (business, _)) = of_business {
                permits.share = Some(self.shares.clone().acquire(business).await);
                if self.stuck.contains(key) {
                    self.stuck.acquire(business, &permits.slot).await;
                }
            }
            if access == Access::Write {
                // The semaphore is never closed.
                permits.write = self.writes.clone().acquire_owned().await.ok();
            }
            permits
        };
        timeout(POOL_WAIT, acquire).await.map_err(SqlError::busy)
    }

    /// Waits until work completes. Returns `None` if the work must be cancelled to make room for other work.
    async fn finish<T>(
        &self,
        key: &Key,
        slot: &Slot,
        mut work: Pin<&mut impl Future<Output = Result<T, SqlError>>>,
    ) -> Option<Result<T, SqlError>> {
        let (business, access) = key;
        let mut is_new = true;
        loop {
            if let Ok(done) = timeout(self.stuck.patience, &mut work).await {
                if done.is_ok() {
                    self.stuck.forgive(key);
                }
                return Some(done);
            }
            if self.others_wait(*access) {
                if std::mem::take(&mut is_new) {
                    self.stuck.strike(key);
                }
                if !self.stuck.try_acquire(business, slot) {
                    return None;
                }
            }
        }
    }

    /// Returns whether other work of this kind waits for a connection.
    fn others_wait(&self, access: Access) -> bool {
        let pool = self.pool.status();
        // `waiting` includes callers whose connections are being opened, so it alone does not show that the pool is
        // full.
        pool.size + pool.waiting > pool.max_size || access == Access::Write && self.writes.available_permits() == 0
    }

    /// Waits for a connection.
    pub(super) async fn connection(&self, permits: Permits) -> Result<Connection, SqlError> {
        let object = self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => SqlError::lost(error),
            // Not mapped to `Lost`, because lost connections are retried, and the caller has already waited for the
            // pool.
            PoolError::Timeout(_) => SqlError::busy(error),
            _ => SqlError::other(error),
        })?;
        Ok(Connection::new(object, self.hosts.clone(), permits))
    }
}

//! Returns unused permits that another server is waiting for, and the permits of idle tokens.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use leadapi_core::{BoxError, error_chain, rate_limit::AdmissionLog};
use tokio::time::sleep;
use tracing::debug;

use super::{Entry, Inner, Key, LedgerStore, Release, share::Share};

/// The interval at which a server with permits checks whether another server is waiting for permits.
const INTERVAL: Duration = Duration::from_millis(50);
/// The interval while the server receives no requests. It is shorter than the time that a claim waits.
const SLOW_INTERVAL: Duration = Duration::from_millis(200);
/// The time without requests after which a server checks less often.
const SLOW_AFTER: Duration = Duration::from_secs(1);
/// The idle time after which a token's permits are returned, if the server receives requests with other tokens.
const IDLE: Duration = Duration::from_secs(3_600);
/// The maximum number of idle shares that are returned at a time.
const MAX_IDLE_RELEASES: usize = 100;

pub(super) async fn answer_periodically<S: LedgerStore>(limiter: Weak<Inner<S>>) {
    let mut interval = INTERVAL;
    loop {
        sleep(interval).await;
        let Some(limiter) = limiter.upgrade() else { return };
        if let Err(error) = limiter.answer_recalls().await {
            // If the database is unavailable, the renewal of the lease logs a warning.
            debug!(error = error_chain(&*error), "unused permits could not be returned");
        }
        interval = if limiter.idle_time() < SLOW_AFTER { INTERVAL } else { SLOW_INTERVAL };
    }
}

impl<S: LedgerStore> Inner<S> {
    async fn answer_recalls(&self) -> Result<(), BoxError> {
        if !self.state().shares.values().any(|entry| entry.share.has_permits()) {
            return Ok(());
        }
        for key in self.store.wanted().await? {
            self.release(&key, Share::release_half).await?;
        }
        Ok(())
    }

    /// Returns the time since the last request.
    fn idle_time(&self) -> Duration {
        self.now().saturating_sub(self.state().last_used)
    }

    /// Returns the permits of idle tokens. A server without requests returns all permits when no admission is left in
    /// the window, so that it need not check whether others are waiting for them.
    pub(super) async fn release_idle_shares(&self) {
        let now = self.now();
        let idle_time = if self.idle_time() < AdmissionLog::WINDOW { IDLE } else { AdmissionLog::WINDOW };
        let is_idle = |(key, entry): (&Key, &mut Entry)| entry.share.is_idle(idle_time, now).then(|| key.clone());
        let idle: Vec<Key> = self.state().shares.iter_mut().filter_map(is_idle).take(MAX_IDLE_RELEASES).collect();
        // A request may have used a permit since then.
        let lower =
            |share: &mut Share, operation, now| share.is_idle(idle_time, now).then(|| share.release_all(operation));
        for key in idle {
            if let Err(error) = self.release(&key, lower).await {
                debug!(error = error_chain(&*error), "the permits of an idle token could not be returned");
                return;
            }
            // An entry that has permits or an operation in progress has been used in the meantime.
            let is_unused = |entry: &Entry| !entry.share.has_permits() && Arc::strong_count(&entry.operation) == 1;
            let mut state = self.state();
            if state.shares.get(&key).is_some_and(is_unused) {
                state.shares.remove(&key);
            }
        }
    }

    /// Reduces a share, and then returns the difference to the ledger. If the ledger cannot be reached, the difference
    /// stays unused until the next claim.
    async fn release(
        &self,
        key: &Key,
        lower: impl FnOnce(&mut Share, u64, Duration) -> Option<Release>,
    ) -> Result<(), BoxError> {
        let Some(operation) = self.state().shares.get(key).map(|entry| entry.operation.clone()) else { return Ok(()) };
        // A share with a claim in progress has no unused permits to return.
        let Ok(_guard) = operation.try_lock() else { return Ok(()) };
        let (server, release) = {
            let mut state = self.state();
            let server = state.lease.server().clone();
            let Some(entry) = state.shares.get_mut(key) else { return Ok(()) };
            let Some(release) = lower(&mut entry.share, self.next_operation(), self.now()) else { return Ok(()) };
            (server, release)
        };
        self.store.release(&server, key, &release).await
    }
}

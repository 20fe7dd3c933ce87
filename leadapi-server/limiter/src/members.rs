//! Renews this server's lease, and removes servers that have stopped.

use std::{sync::Weak, time::Duration};

use leadapi_core::{BoxError, error_chain};
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use super::{Inner, Lease, LedgerStore};

/// The interval between heartbeats.
const INTERVAL: Duration = Duration::from_secs(2);
/// The interval between heartbeats of a server without shares. It need not be shorter than the lease, because the next
/// request renews the lease, but it is much shorter than the time after which the others remove a server.
const IDLE_INTERVAL: Duration = Duration::from_secs(10);

pub(super) async fn renew_periodically<S: LedgerStore>(limiter: Weak<Inner<S>>) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(limiter) = limiter.upgrade() else { return };
        let interval = if limiter.state().shares.is_empty() { IDLE_INTERVAL } else { INTERVAL };
        if let Err(error) = limiter.renew_after(interval.saturating_sub(INTERVAL / 2)).await {
            warn!(error = error_chain(&*error), "the rate limiter could not renew its lease");
        }
        limiter.release_idle_shares().await;
    }
}

impl<S: LedgerStore> Inner<S> {
    /// Renews the lease for a request, unless it was renewed within the last second.
    pub(super) async fn renew(&self) -> Result<(), BoxError> {
        self.renew_after(INTERVAL / 2).await
    }

    /// Renews the lease and removes servers that have stopped, unless the lease was renewed within `age`. If this
    /// server is no longer a member, it joins with a new id and without shares.
    async fn renew_after(&self, age: Duration) -> Result<(), BoxError> {
        let _guard = self.renewal.lock().await;
        let sent = self.now();
        let server = {
            let state = self.state();
            // Another caller may have renewed the lease while this one waited for the lock.
            if state.lease.is_fresh(age, sent) {
                return Ok(());
            }
            state.lease.server().clone()
        };
        let Some(members) = self.store.beat(&server).await? else { return self.join().await };
        let stopped = {
            let mut state = self.state();
            state.lease.extend(sent);
            state.lease.observe(members, sent, self.now())
        };
        for member in stopped {
            self.store.remove(&member).await?;
        }
        Ok(())
    }

    async fn join(&self) -> Result<(), BoxError> {
        let server = {
            let mut state = self.state();
            if !state.shares.is_empty() {
                warn!("the rate limiter has lost its shares, because it did not renew its lease in time");
                state.shares.clear();
            }
            state.lease = Lease::default();
            state.lease.server().clone()
        };
        let sent = self.now();
        self.store.join(&server).await?;
        self.state().lease.extend(sent);
        Ok(())
    }
}

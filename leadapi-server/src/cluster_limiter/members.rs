//! Membership: keeps this server's lease, and removes servers that have stopped.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use leadapi_core::BoxError;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use super::{Inner, Lease, LedgerStore};

/// The interval between heartbeats.
const INTERVAL: Duration = Duration::from_secs(2);

pub(super) async fn renew_periodically<S: LedgerStore>(limiter: Weak<Inner<S>>) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(limiter) = limiter.upgrade() else { return };
        if let Err(error) = limiter.renew().await {
            warn!(%error, "the rate limiter could not renew its lease");
        }
        limiter.release_idle_shares().await;
    }
}

impl<S: LedgerStore> Inner<S> {
    /// Renews the lease, unless this was done just now. A server that is no longer a member joins again with a new id
    /// and without shares.
    pub(super) async fn renew(self: &Arc<Self>) -> Result<(), BoxError> {
        let _guard = self.renewal.lock().await;
        let sent = self.now();
        let (server, is_first) = {
            let state = self.state();
            // Requests that waited for the same renewal do not repeat it.
            if state.lease.is_fresh(INTERVAL / 2, sent) {
                return Ok(());
            }
            (state.lease.server().clone(), state.lease.is_new())
        };
        let members = if is_first { None } else { self.store.beat(&server).await? };
        let Some(members) = members else { return self.join(is_first).await };
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

    async fn join(&self, is_first: bool) -> Result<(), BoxError> {
        if !is_first {
            warn!("the rate limiter has lost its shares, because it did not renew its lease in time");
            let mut state = self.state();
            state.shares.clear();
            state.lease = Lease::default();
        }
        let sent = self.now();
        let server = self.state().lease.server().clone();
        self.store.join(&server).await?;
        self.state().lease.extend(sent);
        Ok(())
    }
}

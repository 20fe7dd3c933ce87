#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod key_time;
mod lease;
mod ledger;
mod members;
#[cfg(test)]
mod model;
mod recall;
mod share;
#[cfg(test)]
mod simulation;

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::TokenId,
    port::{Admission, Class, RateLimiter},
    rate_limit::Limits,
};
use tokio::time::{Instant, sleep};

use self::share::Share;
pub use self::{
    lease::{Lease, Member},
    ledger::{Claim, Claimed, Ledger, LedgerShare, RECALL_MILLIS, Release, ServerId},
};

/// The maximum time that a claim waits for permits from other servers.
const RECALL_TIMEOUT: Duration = Duration::from_millis(400);
/// The interval at which a waiting claim queries the ledger again.
const RECALL_INTERVAL: Duration = Duration::from_millis(25);

/// The token and class that a limit applies to.
pub type Key = (TokenId, Class);

/// The ledgers of all limits, and the servers that hold shares. Each call is one transaction.
#[async_trait]
pub trait LedgerStore: Send + Sync + 'static {
    /// Claims permits. Returns `None` if the server is not a member.
    async fn claim(&self, server: &ServerId, key: &Key, claim: &Claim) -> Result<Option<Claimed>, BoxError>;

    /// Returns permits to the ledger.
    async fn release(&self, server: &ServerId, key: &Key, release: &Release) -> Result<(), BoxError>;

    /// Returns the keys for which some server is waiting for permits.
    async fn wanted(&self) -> Result<Vec<Key>, BoxError>;

    /// Adds a new member.
    async fn join(&self, server: &ServerId) -> Result<(), BoxError>;

    /// Increments the member's heartbeat, and returns all members. Returns `None` if the server is not a member.
    async fn beat(&self, server: &ServerId) -> Result<Option<Vec<Member>>, BoxError>;

    /// Removes a member, unless its heartbeat has changed.
    async fn remove(&self, member: &Member) -> Result<(), BoxError>;
}

/// A limiter whose limits apply to all servers that share a ledger (contract D9).
///
/// Each server applies the exact window to its own share, without a round trip. When its share is used up, it claims
/// more permits. If none are free, the other servers return unused permits (recall).
pub struct ClusterLimiter<S>(Arc<Inner<S>>);

struct Inner<S> {
    limits: Limits,
    store: Arc<S>,
    start: Instant,
    /// The number of this process's last ledger operation.
    operations: AtomicU64,
    renewal: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

struct State {
    lease: Lease,
    /// This server's shares. All are dropped when the server loses its membership.
    shares: HashMap<Key, Entry>,
    /// The time of the last request.
    last_used: Duration,
}

#[derive(Default)]
struct Entry {
    share: Share,
    /// Held during ledger operations for this key, so that they are applied in order.
    operation: Arc<tokio::sync::Mutex<()>>,
}

enum Decision {
    Decided(Admission),
    LeaseExpired,
    NeedsPermits,
}

impl<S> fmt::Debug for ClusterLimiter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterLimiter").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

impl<S: LedgerStore> ClusterLimiter<S> {
    /// Joins the servers that share the ledger, and starts the tasks that renew the lease and return permits. The tasks
    /// end when the limiter is dropped.
    ///
    /// # Errors
    ///
    /// Returns the store's error if the server cannot join.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn start(limits: Limits, store: Arc<S>) -> Result<Self, BoxError> {
        let start = Instant::now();
        let state = State { lease: Lease::default(), shares: HashMap::new(), last_used: Duration::ZERO };
        let inner = Arc::new(Inner {
            limits,
            store,
            start,
            operations: AtomicU64::new(0),
            renewal: tokio::sync::Mutex::default(),
            state: Mutex::new(state),
        });
        inner.renew().await?;
        tokio::spawn(members::renew_periodically(Arc::downgrade(&inner)));
        tokio::spawn(recall::answer_periodically(Arc::downgrade(&inner)));
        Ok(Self(inner))
    }
}

#[async_trait]
impl<S: LedgerStore> RateLimiter for ClusterLimiter<S> {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        let key = (token.clone(), class);
        loop {
            match self.0.decide(&key) {
                Decision::Decided(admission) => return Ok(admission),
                Decision::LeaseExpired => self.0.renew().await?,
                // Runs in a task, so that the server records granted permits even if the caller stops waiting.
                Decision::NeedsPermits => tokio::spawn(self.0.clone().claim(key.clone())).await??,
            }
        }
    }
}

impl<S: LedgerStore> Inner<S> {
    fn decide(&self, key: &Key) -> Decision {
        let mut state = self.state();
        let now = self.now();
        state.last_used = now;
        if !state.lease.is_valid(now) {
            return Decision::LeaseExpired;
        }
        let entry = state.shares.entry(key.clone()).or_default();
        entry.share.admit(now).map_or(Decision::NeedsPermits, Decision::Decided)
    }

    /// Claims permits until the next request can be admitted or refused. Stops early if the lease is lost.
    async fn claim(self: Arc<Self>, key: Key) -> Result<(), BoxError> {
        let operation = self.state().shares.entry(key.clone()).or_default().operation.clone();
        let _guard = operation.lock().await;
        let deadline = self.now() + RECALL_TIMEOUT;
        while let Some((server, claim)) = self.next_claim(&key) {
            let Some(claimed) = self.store.claim(&server, &key, &claim).await? else {
                self.state().lease.expire(&server);
                return Ok(());
            };
            if self.apply(&server, &key, &claimed, deadline) {
                return Ok(());
            }
            sleep(RECALL_INTERVAL).await;
        }
        Ok(())
    }

    /// Returns the claim to send. Returns `None` if the share can decide the request without a claim, if the lease has
    /// expired, or if the key has no share.
    fn next_claim(&self, key: &Key) -> Option<(ServerId, Claim)> {
        let mut state = self.state();
        let now = self.now();
        let State { lease, shares, .. } = &mut *state;
        let share = &mut shares.get_mut(key)?.share;
        if !lease.is_valid(now) || share.can_decide(now) {
            return None;
        }
        let limit = self.limits.of(key.1).get();
        Some((lease.server().clone(), share.claim(self.next_operation(), limit, now)))
    }

    /// Applies the response to a claim. Returns `true` if no further claim is needed: the share can decide the next
    /// request, or is no longer valid.
    fn apply(&self, server: &ServerId, key: &Key, claimed: &Claimed, deadline: Duration) -> bool {
        let mut state = self.state();
        let now = self.now();
        // The server may have lost its membership while it waited. Its old shares must not be used.
        if state.lease.server() != server {
            return true;
        }
        let Some(Entry { share, .. }) = state.shares.get_mut(key) else { return true };
        share.claimed(claimed);
        if !share.can_decide(now) && (now >= deadline || claimed.elsewhere == 0) {
            share.refuse(claimed, now);
        }
        share.can_decide(now)
    }

    fn next_operation(&self) -> u64 {
        self.operations.fetch_add(1, Relaxed) + 1
    }

    /// Returns the time since the limiter started, truncated to microseconds, the resolution of the windows.
    fn now(&self) -> Duration {
        Duration::from_micros(self.start.elapsed().as_micros().try_into().unwrap_or(u64::MAX))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so the lock is never poisoned.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

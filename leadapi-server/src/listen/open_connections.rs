//! The open connections of a listener: their limits, and which of them a new connection replaces at a limit.
//!
//! If a listener refused new connections instead, peers that keep idle connections open would lock out all others.

use std::{
    cmp::Reverse,
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Release},
    },
};

use tokio::{sync::Notify, time::Instant};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

/// Which connections a new connection may replace. The one that has been idle longest is closed, first of all one that
/// has not sent a request yet, and then one of the address with the most connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaceable {
    /// A connection that has not sent a request yet.
    Silent,
    /// A connection without a request in flight.
    Idle,
}

/// The open connections. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct OpenConnections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: usize,
    /// `None` if there is no limit per address.
    address_limit: Option<usize>,
    replaceable: Replaceable,
    start: Instant,
    open: Mutex<Open>,
    /// Also counts replaced connections that have not ended yet.
    tracker: TaskTracker,
}

/// The address that a connection counts towards, or `None` for a Unix socket.
type Source = Option<IpAddr>;

#[derive(Debug, Default)]
struct Open {
    count: usize,
    next: u64,
    by_source: HashMap<Source, HashMap<u64, Arc<Activity>>>,
}

/// An open connection, which counts until it is dropped or replaced.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connections: OpenConnections,
    source: Source,
    number: u64,
    activity: Arc<Activity>,
    _tracked: TaskTrackerToken,
}

/// What a connection is doing.
#[derive(Debug)]
struct Activity {
    /// `BUSY`, `REPLACED`, or the value of an `IdleSince`.
    state: AtomicU64,
    replaced: Notify,
}

const BUSY: u64 = 0;
const REPLACED: u64 = u64::MAX;

/// When a connection became idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdleSince {
    pub(super) since: Instant,
    /// Whether the connection has had a request.
    pub(super) has_served: bool,
}

impl OpenConnections {
    pub(super) fn new(limit: usize, address_limit: usize, replaceable: Replaceable) -> Self {
        Self(Arc::new(Inner {
            limit,
            address_limit: Some(address_limit).filter(|limit| *limit > 0),
            replaceable,
            start: Instant::now(),
            open: Mutex::default(),
            tracker: TaskTracker::new(),
        }))
    }

    /// Opens a connection. At a limit, it replaces another one. Returns `None` if there is none to replace.
    pub(super) fn open(&self, source: Source) -> Option<OpenConnection> {
        let Inner { limit, address_limit, tracker, .. } = &*self.0;
        let mut open = self.lock();
        let same_source = open.by_source.get(&source).map_or(0, HashMap::len);
        if address_limit.is_some_and(|limit| same_source >= limit) {
            self.replace(&mut open, Some(source))?;
        } else if open.count >= *limit {
            self.replace(&mut open, None)?;
        }
        let now = IdleSince { since: Instant::now(), has_served: false };
        let activity = Arc::new(Activity { state: AtomicU64::new(self.encode(now)), replaced: Notify::new() });
        open.next += 1;
        open.count += 1;
        let number = open.next;
        open.by_source.entry(source).or_default().insert(number, activity.clone());
        Some(OpenConnection { connections: self.clone(), source, number, activity, _tracked: tracker.token() })
    }

    /// Waits until all connections have ended, including replaced ones.
    pub(crate) async fn until_unused(&self) {
        self.0.tracker.close();
        self.0.tracker.wait().await;
    }

    /// Replaces one connection, of this source only if it is given.
    fn replace(&self, open: &mut Open, only: Option<Source>) -> Option<()> {
        loop {
            let sources = open.by_source.iter().filter(|(source, _)| only.is_none_or(|only| only == **source));
            let candidates = sources.flat_map(|(source, connections)| {
                let all = connections.len();
                connections.iter().map(move |(number, activity)| (source, number, activity, all))
            });
            let (source, number, activity, state) = candidates
                .filter_map(|(source, number, activity, all)| {
                    let state = activity.state.load(Acquire);
                    let is_idle = state != BUSY && state != REPLACED;
                    let is_replaceable = is_idle && (self.0.replaceable == Replaceable::Idle || !has_served(state));
                    is_replaceable.then_some(((has_served(state), Reverse(all), state), source, number, activity))
                })
                .min_by_key(|(rank, ..)| *rank)
                .map(|((.., state), source, number, activity)| (*source, *number, activity.clone(), state))?;
            // Fails if a request has arrived in the meantime.
            if activity.state.compare_exchange(state, REPLACED, AcqRel, Acquire).is_ok() {
                activity.replaced.notify_one();
                open.remove(source, number);
                return Some(());
            }
        }
    }

    fn encode(&self, idle: IdleSince) -> u64 {
        let micros = idle.since.saturating_duration_since(self.0.start).as_micros();
        (u64::try_from(micros).unwrap_or(u64::MAX >> 2) + 1) << 1 | u64::from(idle.has_served)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn has_served(state: u64) -> bool {
    state & 1 == 1
}

impl Open {
    fn remove(&mut self, source: Source, number: u64) {
        let Some(connections) = self.by_source.get_mut(&source) else { return };
        if connections.remove(&number).is_some() {
            self.count -= 1;
        }
        if connections.is_empty() {
            self.by_source.remove(&source);
        }
    }
}

impl OpenConnection {
    /// Marks the connection as busy, so that it is not replaced. Returns `false` if it has been replaced.
    pub(super) fn begin(&self) -> bool {
        let state = self.activity.state.load(Acquire);
        match state {
            BUSY => true,
            REPLACED => false,
            idle => self.activity.state.compare_exchange(idle, BUSY, AcqRel, Acquire).is_ok(),
        }
    }

    /// Marks the connection as idle, after [`begin`](Self::begin).
    pub(super) fn idle(&self, idle: IdleSince) {
        self.activity.state.store(self.connections.encode(idle), Release);
    }

    /// Completes when a new connection has replaced this one.
    pub(super) fn replaced(&self) -> impl Future<Output = ()> + Send + use<> {
        let activity = self.activity.clone();
        async move { activity.replaced.notified().await }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.lock().remove(self.source, self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "a source may be unknown")]
    fn from(last: u8) -> Source {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn serve(connection: &OpenConnection, millis: u64) {
        assert!(connection.begin());
        let since = connection.connections.0.start + Duration::from_millis(millis);
        connection.idle(IdleSince { since, has_served: true });
    }

    fn is_replaced(connection: &OpenConnection) -> bool {
        let is_notified = connection.replaced().now_or_never().is_some();
        assert!(!is_notified || !connection.begin());
        is_notified
    }

    #[test]
    fn the_connection_that_has_been_idle_longest_is_replaced() {
        let connections = OpenConnections::new(3, 0, Replaceable::Idle);
        let [newer, older, busy] = std::array::from_fn(|_| connections.open(from(1)).unwrap());
        serve(&newer, 20);
        serve(&older, 10);
        assert!(busy.begin());
        let next = connections.open(from(1)).unwrap();
        assert!(is_replaced(&older) && !is_replaced(&newer));
        assert!(next.begin() && newer.begin());
        assert!(connections.open(from(1)).is_none());
        drop(older);
        assert!(connections.open(from(1)).is_none());
        drop(busy);
        assert!(connections.open(from(1)).is_some());
    }

    #[test]
    fn silent_connections_and_those_of_the_largest_source_are_replaced_first() {
        let connections = OpenConnections::new(4, 3, Replaceable::Idle);
        let honest = connections.open(from(1)).unwrap();
        serve(&honest, 0);
        let hostile: [_; 3] = std::array::from_fn(|_| connections.open(from(2)).unwrap());
        (0..).zip(&hostile).take(2).for_each(|(n, one)| serve(one, 10 + n));
        let silent = connections.open(from(3)).unwrap();
        assert!(is_replaced(&hostile[2]) && !is_replaced(&hostile[0]));
        serve(&silent, 5);
        let _next = connections.open(from(4)).unwrap();
        assert!(is_replaced(&hostile[0]) && !is_replaced(&honest) && !is_replaced(&silent));
        // At the limit of its address, a connection replaces only one of the same address.
        let _more = [(); 2].map(|()| connections.open(from(2)).unwrap());
        assert!(!is_replaced(&honest));
    }

    #[test]
    fn a_connection_that_has_served_is_kept_if_only_silent_ones_are_replaceable() {
        let connections = OpenConnections::new(2, 0, Replaceable::Silent);
        let served = connections.open(from(1)).unwrap();
        serve(&served, 1);
        let silent = connections.open(from(1)).unwrap();
        let next = connections.open(from(1)).unwrap();
        assert!(is_replaced(&silent) && next.begin());
        assert!(connections.open(from(1)).is_none() && !is_replaced(&served));
    }
}

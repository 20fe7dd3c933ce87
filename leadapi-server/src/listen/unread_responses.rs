//! A bound on the unread response bytes across all connections of a listener.
//!
//! Above the limit, the server closes the connections with the earliest deadlines, and starts no further requests until
//! enough memory is freed. If the server waited for peers to read instead, peers that never read would lock out all
//! others.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    task::Waker,
};

use prometheus::IntGauge;
use tokio::{
    sync::{Notify, futures::Notified},
    time::Instant,
};

#[derive(Clone)]
pub(super) struct UnreadBudget(Arc<Budget>);

struct Budget {
    limit: usize,
    /// All unread bytes, including those of cut connections whose memory has not been freed yet.
    held: AtomicUsize,
    gauge: IntGauge,
    space: Notify,
    behind: Mutex<SlowConnections>,
}

/// The connections with response bytes that their peers have not read.
#[derive(Default)]
struct SlowConnections {
    /// The total number of unread bytes of these connections, excluding connections that have been cut.
    total: usize,
    next: u64,
    connections: HashMap<u64, SlowConnection>,
}

struct SlowConnection {
    bytes: usize,
    /// The connection's next deadline, as of the last change of `bytes`.
    due: Instant,
    task: Waker,
    is_cut: Arc<AtomicBool>,
}

/// One connection's share of the budget.
pub(super) struct UnreadShare {
    budget: UnreadBudget,
    number: u64,
    reported: usize,
    is_cut: Arc<AtomicBool>,
}

impl UnreadBudget {
    /// Creates a budget that exports the number of unread bytes through `gauge`.
    pub(super) fn new(limit: usize, gauge: IntGauge) -> Self {
        let (held, space, behind) = (AtomicUsize::new(0), Notify::new(), Mutex::default());
        Self(Arc::new(Budget { limit, held, gauge, space, behind }))
    }

    pub(super) fn has_space(&self) -> bool {
        self.0.held.load(Relaxed) <= self.0.limit
    }

    /// Returns a future that completes when space becomes free.
    pub(super) fn space(&self) -> Notified<'_> {
        self.0.space.notified()
    }

    /// Records that the unread bytes of a connection changed from `before` to `now`.
    pub(super) fn change(&self, before: usize, now: usize) {
        let Budget { limit, held, gauge, space, .. } = &*self.0;
        if now > before {
            held.fetch_add(now - before, Relaxed);
            gauge.add(i64::try_from(now - before).unwrap_or_default());
        } else if now < before {
            let all = held.fetch_sub(before - now, Relaxed);
            gauge.sub(i64::try_from(before - now).unwrap_or_default());
            if all > *limit && all - (before - now) <= *limit {
                space.notify_waiters();
            }
        }
    }

    pub(super) fn share(&self) -> UnreadShare {
        let mut behind = self.behind();
        behind.next += 1;
        UnreadShare { budget: self.clone(), number: behind.next, reported: 0, is_cut: Arc::default() }
    }

    fn behind(&self) -> MutexGuard<'_, SlowConnections> {
        self.0.behind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnreadShare {
    pub(super) fn budget(&self) -> &UnreadBudget {
        &self.budget
    }

    /// Reports the connection's number of unread bytes and its next deadline. Returns whether the connection may
    /// continue. If the connection is cut later, its task is woken.
    pub(super) fn report(&mut self, bytes: usize, due: Instant, task: &Waker) -> bool {
        if bytes != self.reported && !self.is_cut() {
            self.reported = bytes;
            let mut behind = self.budget.behind();
            behind.remove(self.number);
            if bytes > 0 {
                let (task, is_cut) = (task.clone(), self.is_cut.clone());
                behind.insert(self.number, SlowConnection { bytes, due, task, is_cut });
            }
            let cut: Vec<SlowConnection> = std::iter::from_fn(|| behind.pop_over_limit(self.budget.0.limit)).collect();
            drop(behind);
            for connection in cut {
                connection.is_cut.store(true, Relaxed);
                connection.task.wake();
            }
        }
        !self.is_cut()
    }

    fn is_cut(&self) -> bool {
        self.is_cut.load(Relaxed)
    }
}

impl Drop for UnreadShare {
    fn drop(&mut self) {
        if self.reported > 0 {
            self.budget.behind().remove(self.number);
        }
    }
}

impl SlowConnections {
    fn insert(&mut self, number: u64, connection: SlowConnection) {
        self.total += connection.bytes;
        self.connections.insert(number, connection);
    }

    fn remove(&mut self, number: u64) -> Option<SlowConnection> {
        let connection = self.connections.remove(&number)?;
        self.total -= connection.bytes;
        Some(connection)
    }

    /// Removes the connection with the earliest deadline if the total exceeds the limit.
    fn pop_over_limit(&mut self, limit: usize) -> Option<SlowConnection> {
        if self.total <= limit {
            return None;
        }
        let (number, _) = self.connections.iter().min_by_key(|(_, connection)| connection.due)?;
        self.remove(*number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;

    fn budget() -> UnreadBudget {
        UnreadBudget::new(100, IntGauge::new("unread", "unread").unwrap())
    }

    #[test]
    fn above_the_limit_the_connection_with_the_earliest_deadline_is_cut() {
        let (budget, now, task) = (budget(), Instant::now(), Waker::noop());
        let due = |seconds| now + Duration::from_secs(seconds);
        let (mut first, mut second, mut third) = (budget.share(), budget.share(), budget.share());
        assert!(first.report(40, due(2), task));
        assert!(second.report(40, due(1), task));
        assert!(third.report(20, due(3), task));
        // This connection pushes the total over the limit, but its deadline is the latest.
        assert!(third.report(40, due(4), task));
        assert!(!second.report(40, due(1), task), "its deadline is the earliest");
        assert!(first.report(39, due(5), task) && third.report(40, due(4), task));
    }

    #[test]
    fn read_bytes_and_closed_connections_do_not_count() {
        let (budget, now, task) = (budget(), Instant::now(), Waker::noop());
        let (mut first, mut second) = (budget.share(), budget.share());
        for _ in 0..10 {
            assert!(first.report(100, now, task));
            assert!(first.report(0, now, task));
        }
        assert!(second.report(100, now, task));
        drop(second);
        assert!(first.report(100, now, task));
    }

    #[test]
    fn a_single_connection_over_the_limit_is_cut() {
        let mut share = budget().share();
        assert!(!share.report(101, Instant::now(), Waker::noop()));
        assert!(!share.report(0, Instant::now(), Waker::noop()));
    }

    #[test]
    fn there_is_no_space_until_memory_is_released() {
        let budget = budget();
        budget.change(0, 100);
        assert!(budget.has_space());
        budget.change(100, 150);
        assert!(!budget.has_space());
        let mut waiting = Box::pin(budget.space());
        budget.change(150, 101);
        assert!(!budget.has_space() && (&mut waiting).now_or_never().is_none());
        budget.change(101, 100);
        assert!(budget.has_space() && waiting.now_or_never().is_some());
        assert_eq!(budget.0.gauge.get(), 100);
    }
}

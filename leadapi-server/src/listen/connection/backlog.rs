//! A bound on the unread response bytes of one connection. At the bound, the connection's next request waits. This
//! limits the memory that a peer can tie up by sending requests without reading the responses.
//!
//! Bytes count as read once the kernel has accepted them into its send buffer, whose size the kernel limits.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tokio::sync::Notify;

use crate::listen::unread_responses::UnreadBudget;

pub(super) struct Backlog {
    limit: usize,
    bytes: AtomicUsize,
    /// The part of `bytes` that is already counted in the shared budget.
    counted: AtomicUsize,
    budget: UnreadBudget,
    /// HTTP/1 only: the part of `bytes` in hyper's buffer, which the next flush writes.
    buffered: AtomicUsize,
    space: Notify,
}

impl Backlog {
    pub(super) fn new(limit: usize, budget: UnreadBudget) -> Self {
        let [bytes, counted, buffered] = std::array::from_fn(|_| AtomicUsize::new(0));
        Self { limit, bytes, counted, budget, buffered, space: Notify::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Returns whether this connection and all connections together are within their limits, so that a request may
    /// start.
    pub(super) fn has_space(&self) -> bool {
        self.has_space_here() && self.budget.has_space()
    }

    /// Returns whether this connection is within its own limit. A connection without unread bytes is always within the
    /// limit, because a single response may exceed it.
    fn has_space_here(&self) -> bool {
        let bytes = self.bytes();
        bytes == 0 || bytes < self.limit
    }

    /// Waits until a request may start.
    pub(super) async fn space(&self) {
        loop {
            // Created before the check, so that a change right after the check is not missed.
            let (here, elsewhere) = (self.space.notified(), self.budget.space());
            if self.has_space() {
                return;
            }
            tokio::select! {
                () = here => {}
                () = elsewhere => {}
            }
        }
    }

    pub(super) fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Subtracts bytes that the peer has read, or that will never be sent.
    pub(super) fn remove(&self, bytes: usize) {
        let had_space = self.has_space_here();
        self.bytes.fetch_sub(bytes, Relaxed);
        if !had_space && self.has_space_here() {
            self.space.notify_waiters();
        }
    }

    /// Updates the shared budget. Most HTTP/1 responses are written before this call, so they never count towards it.
    pub(super) fn settle(&self) {
        let bytes = self.bytes();
        self.budget.change(self.counted.swap(bytes, Relaxed), bytes);
    }

    /// Records that the next flush will write these bytes.
    pub(super) fn mark_buffered(&self, bytes: usize) {
        self.buffered.fetch_add(bytes, Relaxed);
    }

    pub(super) fn flushed(&self) {
        if self.buffered.load(Relaxed) > 0 {
            self.remove(self.buffered.swap(0, Relaxed));
        }
    }
}

impl Drop for Backlog {
    fn drop(&mut self) {
        self.budget.change(*self.counted.get_mut(), 0);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use prometheus::IntGauge;

    use super::*;

    fn budget(limit: usize) -> UnreadBudget {
        UnreadBudget::new(limit, IntGauge::new("unread", "unread").unwrap())
    }

    #[test]
    fn a_request_waits_until_enough_has_been_read() {
        let backlog = Backlog::new(100, budget(1_000));
        let has_space = || backlog.space().now_or_never().is_some();
        // One response may be larger than the limit.
        assert!(has_space());
        backlog.add(300);
        assert!(!has_space());
        let mut waiting = Box::pin(backlog.space());
        assert!((&mut waiting).now_or_never().is_none());
        backlog.remove(150);
        backlog.remove(50);
        assert!(!has_space() && (&mut waiting).now_or_never().is_none());
        backlog.remove(1);
        assert!(has_space() && (&mut waiting).now_or_never().is_some());
        assert_eq!(backlog.bytes(), 99);
    }

    #[test]
    fn buffered_bytes_count_until_they_are_flushed() {
        let backlog = Backlog::new(100, budget(1_000));
        backlog.add(100);
        backlog.flushed();
        assert_eq!(backlog.bytes(), 100);
        backlog.mark_buffered(100);
        assert_eq!(backlog.bytes(), 100);
        backlog.flushed();
        assert_eq!(backlog.bytes(), 0);
        backlog.flushed();
    }

    #[test]
    fn a_limit_of_zero_admits_one_response_at_a_time() {
        let backlog = Backlog::new(0, budget(1_000));
        assert!(backlog.has_space());
        backlog.add(1);
        assert!(!backlog.has_space());
        backlog.remove(1);
        assert!(backlog.has_space());
    }

    #[test]
    fn a_request_waits_for_the_budget_of_all_connections() {
        let budget = budget(100);
        let (ours, theirs) = (Backlog::new(1_000, budget.clone()), Backlog::new(1_000, budget));
        theirs.add(101);
        assert!(ours.has_space());
        theirs.settle();
        assert!(!ours.has_space());
        let mut waiting = Box::pin(ours.space());
        assert!((&mut waiting).now_or_never().is_none());
        drop(theirs);
        assert!(ours.has_space() && waiting.now_or_never().is_some());
    }
}

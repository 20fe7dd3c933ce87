//! A limit on concurrent TLS handshakes: at the limit, a new handshake replaces the oldest.
//!
//! A normal handshake takes only a few round trips, so the oldest ones probably belong to peers that do not intend to
//! finish. If the server refused new handshakes instead, those peers would lock out all others.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

pub(super) struct Handshakes {
    limit: usize,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    next: u64,
    /// The handshakes in progress, oldest first.
    by_age: BTreeMap<u64, Arc<Notify>>,
}

/// A guard for a handshake in progress. Dropping the guard removes the handshake from the count.
pub(super) struct Handshake<'a> {
    handshakes: &'a Handshakes,
    number: u64,
    replaced: Arc<Notify>,
}

impl Handshakes {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, running: Mutex::default() }
    }

    pub(super) fn begin(&self) -> Handshake<'_> {
        let replaced = Arc::new(Notify::new());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.by_age.len() >= self.limit
            && let Some((_, oldest)) = running.by_age.pop_first()
        {
            oldest.notify_one();
        }
        running.next += 1;
        let number = running.next;
        running.by_age.insert(number, replaced.clone());
        Handshake { handshakes: self, number, replaced }
    }
}

impl Handshake<'_> {
    /// Completes when a new handshake replaces this one.
    pub(super) async fn replaced(&self) {
        self.replaced.notified().await;
    }
}

impl Drop for Handshake<'_> {
    fn drop(&mut self) {
        self.handshakes.running.lock().unwrap_or_else(PoisonError::into_inner).by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_handshake_over_the_limit_replaces_the_oldest() {
        let handshakes = Handshakes::new(2);
        let (first, second) = (handshakes.begin(), handshakes.begin());
        assert!(first.replaced().now_or_never().is_none());
        let third = handshakes.begin();
        assert!(first.replaced().now_or_never().is_some());
        drop(first);
        drop(third);
        let _fourth = handshakes.begin();
        assert!(second.replaced().now_or_never().is_none());
    }
}

//! A limit on concurrent handshakes: at the limit, a new handshake replaces the oldest.
//!
//! An honest handshake takes a few round trips, so the oldest belong to peers that never mean to finish. Refusing the
//! newest instead would let those peers keep everybody else out.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

pub(super) struct Handshakes {
    most: usize,
    turns: Mutex<Turns>,
}

#[derive(Default)]
struct Turns {
    next: u64,
    /// Oldest first.
    held: BTreeMap<u64, Arc<Notify>>,
}

/// The right to a handshake, until it is dropped or another handshake takes it.
pub(super) struct Turn<'a> {
    handshakes: &'a Handshakes,
    number: u64,
    lost: Arc<Notify>,
}

impl Handshakes {
    pub(super) fn at_most(most: usize) -> Self {
        Self { most, turns: Mutex::default() }
    }

    pub(super) fn begin(&self) -> Turn<'_> {
        let lost = Arc::new(Notify::new());
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.held.len() >= self.most
            && let Some((_, oldest)) = turns.held.pop_first()
        {
            oldest.notify_one();
        }
        turns.next += 1;
        let number = turns.next;
        turns.held.insert(number, lost.clone());
        Turn { handshakes: self, number, lost }
    }
}

impl Turn<'_> {
    /// Completes when another handshake needs the turn.
    pub(super) async fn lost(&self) {
        self.lost.notified().await;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.handshakes.turns.lock().unwrap_or_else(PoisonError::into_inner).held.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn the_oldest_goes_when_there_is_no_room() {
        let handshakes = Handshakes::at_most(2);
        let (first, second) = (handshakes.begin(), handshakes.begin());
        assert!(first.lost().now_or_never().is_none());
        let third = handshakes.begin();
        assert!(first.lost().now_or_never().is_some());
        drop(first);
        drop(third);
        let _fourth = handshakes.begin();
        assert!(second.lost().now_or_never().is_none());
    }
}

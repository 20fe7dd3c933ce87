//! The rows that are on their way.

use std::{
    collections::VecDeque,
    task::{Context, Poll},
};

use leadapi_core::model::{IdempotencyKey, Lead};

use super::settled::Settled;
use crate::{call::Running, error::Error, meta::Meta};

/// Rows that are on their way or have ended, in their order, until somebody takes them out.
pub(super) struct Flight<R> {
    slots: VecDeque<Slot<R>>,
}

struct Slot<R> {
    index: u64,
    row: R,
    key: IdempotencyKey,
    call: Running<(Lead, Meta)>,
    ended: Option<Result<(Lead, Meta), Error>>,
}

impl<R> Flight<R> {
    pub(super) const fn new() -> Self {
        Self { slots: VecDeque::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Adds a row, whose call begins when it is polled.
    pub(super) fn add(&mut self, index: u64, row: R, key: IdempotencyKey, call: Running<(Lead, Meta)>) {
        self.slots.push_back(Slot { index, row, key, call, ended: None });
    }

    /// Lets every call go on, and tells of each that ends by it.
    ///
    /// All are asked whichever of them has woken us: they are few, and it takes no set of wakers.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, mut on_end: impl FnMut(u64, Option<&Error>)) {
        for slot in self.slots.iter_mut().filter(|slot| slot.ended.is_none()) {
            if let Poll::Ready(ended) = slot.call.as_mut().poll(cx) {
                on_end(slot.index, ended.as_ref().err());
                slot.ended = Some(ended);
            }
        }
    }

    /// Takes out the first that has ended; in order, only if none before it is on its way.
    pub(super) fn take(&mut self, in_order: bool) -> Option<Settled<R>> {
        let eligible = if in_order { 1 } else { self.slots.len() };
        let at = self.slots.iter().take(eligible).position(|slot| slot.ended.is_some())?;
        let Slot { index, row, key, ended, .. } = self.slots.remove(at)?;
        let (outcome, replayed) = match ended? {
            Ok((lead, meta)) => (Ok(lead), meta.is_replayed()),
            Err(error) => (Err(error), false),
        };
        Some(Settled { index, row, key, outcome, replayed })
    }
}

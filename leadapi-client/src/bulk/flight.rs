//! The in-flight rows.

use std::{
    collections::VecDeque,
    task::{Context, Poll},
};

use leadapi_core::model::{IdempotencyKey, Lead};

use super::settled::Settled;
use crate::{call::CallFuture, error::Error, response_meta::ResponseMeta};

/// In-flight and finished rows, in input order, until `take` removes them.
pub(super) struct Flight<R> {
    slots: VecDeque<Slot<R>>,
}

struct Slot<R> {
    index: u64,
    row: R,
    key: IdempotencyKey,
    call: CallFuture<(Lead, ResponseMeta)>,
    ended: Option<Result<(Lead, ResponseMeta), Error>>,
}

impl<R> Flight<R> {
    pub(super) const fn new() -> Self {
        Self { slots: VecDeque::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Adds a row. Its call starts when it is first polled.
    pub(super) fn add(&mut self, index: u64, row: R, key: IdempotencyKey, call: CallFuture<(Lead, ResponseMeta)>) {
        self.slots.push_back(Slot { index, row, key, call, ended: None });
    }

    /// Polls all calls and reports each one that finishes.
    ///
    /// It polls every call, whichever one woke the task: there are few, and no set of wakers is needed.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, mut on_end: impl FnMut(u64, Option<&Error>)) {
        for slot in self.slots.iter_mut().filter(|slot| slot.ended.is_none()) {
            if let Poll::Ready(ended) = slot.call.as_mut().poll(cx) {
                on_end(slot.index, ended.as_ref().err());
                slot.ended = Some(ended);
            }
        }
    }

    /// Removes the first finished row; in order, only if no earlier row is in flight.
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

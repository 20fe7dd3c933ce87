//! The in-flight rows of an import.

use std::{
    collections::VecDeque,
    task::{Context, Poll},
};

use leadapi_model::model::{IdempotencyKey, Lead};

use super::row_result::RowResult;
use crate::{call::CallFuture, error::Error, response_meta::ResponseMeta};

/// The rows of an import that are in flight or finished, in input order. `take` removes finished rows.
pub(super) struct InFlight<R> {
    rows: VecDeque<InFlightRow<R>>,
}

struct InFlightRow<R> {
    index: u64,
    row: R,
    key: IdempotencyKey,
    call: CallFuture<(Lead, ResponseMeta)>,
    outcome: Option<Result<(Lead, ResponseMeta), Error>>,
}

impl<R> InFlight<R> {
    pub(super) const fn new() -> Self {
        Self { rows: VecDeque::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row. The row's call starts at the next [`poll`](Self::poll).
    pub(super) fn add(&mut self, index: u64, row: R, key: IdempotencyKey, call: CallFuture<(Lead, ResponseMeta)>) {
        self.rows.push_back(InFlightRow { index, row, key, call, outcome: None });
    }

    /// Polls all calls and reports each one that finishes.
    ///
    /// Every call is polled, regardless of which call woke the task. At most 64 calls are in flight, so a separate
    /// waker for each call is not worth its cost.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, mut on_finish: impl FnMut(u64, Option<&Error>)) {
        for row in self.rows.iter_mut().filter(|row| row.outcome.is_none()) {
            if let Poll::Ready(outcome) = row.call.as_mut().poll(cx) {
                on_finish(row.index, outcome.as_ref().err());
                row.outcome = Some(outcome);
            }
        }
    }

    /// Removes and returns the first finished row, if any. With `in_order`, returns it only if no earlier row is in
    /// flight.
    pub(super) fn take(&mut self, in_order: bool) -> Option<RowResult<R>> {
        let eligible = if in_order { 1 } else { self.rows.len() };
        let at = self.rows.iter().take(eligible).position(|row| row.outcome.is_some())?;
        let InFlightRow { index, row, key, outcome, .. } = self.rows.remove(at)?;
        let (outcome, replayed) = match outcome? {
            Ok((lead, meta)) => (Ok(lead), meta.is_replayed()),
            Err(error) => (Err(error), false),
        };
        Some(RowResult { index, row, key, outcome, replayed })
    }
}

//! What a proof may cost: work, and memory that it keeps.

use std::cell::Cell;

/// The units of work that one step of the policy's budget buys. A unit is about a condition that is asked.
const WORK: usize = 64;

/// The bytes that one step of the policy's budget buys: 50 MB for 200,000 steps.
const BYTES: usize = 256;

/// What is left of the work and of the memory. Shared by reference, because what walks the states and what keeps them
/// spend from the same budget.
#[derive(Debug)]
pub(super) struct Budget {
    work: Cell<usize>,
    bytes: Cell<usize>,
}

impl Budget {
    pub(super) fn new(steps: usize) -> Self {
        Self { work: Cell::new(steps.saturating_mul(WORK)), bytes: Cell::new(steps.saturating_mul(BYTES)) }
    }

    /// Takes units of work. Returns `None` when too few are left; from then on there are none.
    pub(super) fn spend(&self, units: usize) -> Option<()> {
        take(&self.work, units)
    }

    /// Takes bytes that are kept until the proof is done. Returns `None` when too few are left.
    pub(super) fn keep(&self, bytes: usize) -> Option<()> {
        take(&self.bytes, bytes)
    }
}

fn take(from: &Cell<usize>, amount: usize) -> Option<()> {
    let left = from.get().checked_sub(amount);
    from.set(left.unwrap_or(0));
    left.map(|_| ())
}

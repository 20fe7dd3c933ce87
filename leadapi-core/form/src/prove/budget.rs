//! The budget of a proof: work and retained memory.

use std::cell::Cell;

/// The units of work per step of the policy's budget. Evaluating a condition costs about one unit.
const WORK: usize = 64;

/// The bytes of retained memory per step of the policy's budget. The default of 200,000 steps allows about 51 MB.
const BYTES: usize = 256;

/// The remaining work and memory. It consists of cells, because several parts of a search share it by reference.
#[derive(Debug)]
pub(super) struct Budget {
    work: Cell<usize>,
    bytes: Cell<usize>,
}

impl Budget {
    pub(super) fn new(steps: usize) -> Self {
        Self { work: Cell::new(steps.saturating_mul(WORK)), bytes: Cell::new(steps.saturating_mul(BYTES)) }
    }

    /// Spends units of work. If too few units are left, sets the budget to zero and returns `None`.
    pub(super) fn spend(&self, units: usize) -> Option<()> {
        deduct(&self.work, units)
    }

    /// Reserves bytes that stay allocated until the proof ends. Returns `None` if too few are left.
    pub(super) fn allocate(&self, bytes: usize) -> Option<()> {
        deduct(&self.bytes, bytes)
    }
}

fn deduct(from: &Cell<usize>, amount: usize) -> Option<()> {
    let left = from.get().checked_sub(amount);
    from.set(left.unwrap_or(0));
    left.map(|_| ())
}

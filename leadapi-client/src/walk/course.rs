//! Where a walk is, and which window it asks for next: decided without a network.
//!
//! The list is ordered by a key that never changes, newest first (contract D3), but its windows are counted in rows, and
//! rows come and go while we walk. So the walk keeps the key of the last lead that it took, and each window begins some
//! rows before the place where the next lead is expected. An answer counts only if its first row is at or before that
//! key, or if it is the beginning of the list. Its rows are a stretch without gaps, read in one snapshot: so no lead that
//! was there can lie between the last key and the first row after it, and what is at or before the key is skipped.
//!
//! However fast others insert, the walk ends: what is created now is newer than the last key, and so behind us. The leads
//! that are left only get fewer, but for the few that turn up with an old `created_at`; what inserts cost is only to find
//! the place anew.
//!
//! Nothing is kept of the leads themselves, so the memory does not grow with them.

use leadapi_core::{
    id::LeadId,
    model::{LeadItem, Page, Timestamp, Window},
};

use super::{fault::Fault, position::Position};

/// What the list is ordered by, descending: `created_at`, then `id`.
pub(super) type Key = (Timestamp, LeadId);

/// A search that is not over after so many answers is given up. Without churn it takes some ten to find a place among
/// millions of rows.
const LONGEST_SEARCH: u32 = 64;
/// How far the first step goes when a window missed its place; each further one goes twice as far.
const FIRST_STEP: u64 = 100;
/// A window of one row could overlap or lead on, but not both.
pub(super) const LEAST_SIZE: u32 = 2;

/// A walk through the leads, newest first.
#[derive(Debug, Clone)]
pub(super) struct Course {
    size: u32,
    /// The last lead that was taken.
    last: Option<Key>,
    /// How many rows stood at or before it when it was taken: the offset of the next lead, if nothing changes.
    rank: u64,
    /// How many rows there were in all at that time.
    total_at_rank: u64,
    /// How many rows there were in all in the last answer.
    total: Option<u64>,
    /// By how many rows the place had moved, in the last four pages.
    shifts: [i64; 4],
    /// How many rows the last page had: a service may answer fewer than it is asked for.
    reach: u64,
    search: Option<Search>,
    done: bool,
}

/// The last window missed its place: it began after it, or ended before it.
#[derive(Debug, Clone, Copy)]
struct Search {
    next: u64,
    tries: u32,
    /// The place is not before this row.
    from: Option<u64>,
    /// The place is not after this row.
    to: Option<u64>,
    step: u64,
    total: u64,
    /// By how many rows the list grew while the place was ahead of each window.
    growth: Option<u64>,
}

/// What became of an answer.
#[derive(Debug)]
pub(super) enum Taken {
    /// These come next, if there are any.
    New(Vec<LeadItem>),
    /// The window missed its place; the next one is to be asked for anew.
    Missed,
}

impl Course {
    pub(super) fn new(size: u32, from: Position) -> Self {
        let size = size.clamp(LEAST_SIZE, Window::MAX_LIMIT);
        Self {
            size,
            rank: from.rank,
            total_at_rank: from.total.unwrap_or(0),
            total: from.total,
            last: from.last,
            shifts: [0; 4],
            reach: size.into(),
            search: None,
            done: false,
        }
    }

    /// Whether the end was reached.
    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    /// How many leads there were in the last answer.
    pub(super) const fn total(&self) -> Option<u64> {
        self.total
    }

    /// Where the walk stood when all but the last so many leads had been given to the caller, the last of whom was this.
    pub(super) fn position(&self, last: Option<Key>, withheld: usize) -> Position {
        let rank = self.rank.saturating_sub(withheld as u64);
        Position { last, rank, total: self.total.map(|_| self.total_at_rank) }
    }

    /// The last lead that was taken.
    pub(super) const fn last(&self) -> Option<&Key> {
        self.last.as_ref()
    }

    /// The window to ask for.
    pub(super) fn window(&self) -> Window {
        self.at(self.search.map_or_else(|| self.before(self.rank), |search| search.next))
    }

    /// The window that will likely be asked for after this one, if it is likely that there is one.
    pub(super) fn window_after(&self, window: Window) -> Option<Window> {
        let end = window.offset() + self.reach;
        let start = self.before(end).max(window.offset() + 1);
        let known = self.search.is_none() && self.total.is_some_and(|total| start + self.overlap() < total);
        known.then(|| self.at(start))
    }

    /// Whether a window that was guessed ahead may still hold the place, given how far it moved of late.
    pub(super) fn may_hold(&self, window: Window) -> bool {
        let start = window.offset();
        let latest = self.rank + self.greatest_shift().max(0).unsigned_abs();
        let earliest = self.rank.saturating_add_signed(self.least_shift().min(0));
        let held = (start < latest || start == 0) && start + self.reach > earliest;
        held && self.search.is_none() && !self.done
    }

    /// Takes the answer to a window. After a fault the course is as it was.
    pub(super) fn take(&mut self, asked: Window, page: Page<LeadItem>) -> Result<Taken, Fault> {
        let Page { data: mut rows, total, offset: start, .. } = page;
        let total = total.min(Window::MAX_OFFSET);
        if start != asked.offset() {
            return Err(Fault::AnotherPage { asked: asked.offset(), came: start });
        }
        if !rows.is_sorted_by(|one, next| key(one) > key(next)) {
            return Err(Fault::Unordered);
        }
        let seen = self.last.as_ref().map_or(0, |last| rows.partition_point(|row| key(row) >= (last.0, &last.1)));
        let (read, end) = (rows.len() as u64, start + rows.len() as u64);
        // Rows may be fewer than were asked for, or none, and yet not the last ones. The total is of the same snapshot.
        let is_end = end >= total;
        let begins_before = start == 0 || seen > 0;
        let leads_on = seen < rows.len() || is_end;
        if begins_before && leads_on {
            self.found(start + seen as u64);
            let new = rows.split_off(seen);
            self.last = new.last().map(|row| (row.created_at, row.id.clone())).or(self.last.take());
            (self.rank, self.total_at_rank, self.total) = (end, total, Some(total));
            self.done = is_end;
            if !is_end {
                self.reach = read.max(LEAST_SIZE.into());
            }
            return Ok(Taken::New(new));
        }
        let tries = self.search.map_or(0, |search| search.tries) + 1;
        if tries > LONGEST_SEARCH {
            return Err(Fault::Lost(LONGEST_SEARCH));
        }
        let search = if begins_before { self.ahead(end, total) } else { self.behind(start.min(total), total) };
        self.search = Some(Search { tries, total, ..search });
        self.total = Some(total);
        Ok(Taken::Missed)
    }

    /// Where a window should begin to hold what is the place now, once it has moved again: before it by the overlap.
    ///
    /// It moves on by what is inserted before it and back by what is deleted. The least shift of the last four pages is
    /// assumed, less half of what they differ by: a window that begins too early rereads some rows, while one that begins
    /// too late costs a request.
    fn before(&self, place: u64) -> u64 {
        let most = self.reach * 3 / 4;
        let back = (self.overlap() + self.spread()).saturating_add_signed(-self.least_shift().min(0)).min(most).max(1);
        let on = self.least_shift().max(0).unsigned_abs();
        (place + on).saturating_sub(back)
    }

    /// The rows that windows overlap by if nothing changes: one would do, and a few more save requests when little does.
    fn overlap(&self) -> u64 {
        (self.reach / 50).clamp(1, 4)
    }

    fn spread(&self) -> u64 {
        self.greatest_shift().abs_diff(self.least_shift()) / 2
    }

    fn greatest_shift(&self) -> i64 {
        self.shifts.iter().copied().max().unwrap_or(0)
    }

    fn least_shift(&self) -> i64 {
        self.shifts.iter().copied().min().unwrap_or(0)
    }

    /// The place was found at this row.
    fn found(&mut self, place: u64) {
        let shift = place.cast_signed() - self.rank.cast_signed();
        let half = (self.reach / 2).cast_signed();
        let shift = match self.search.take() {
            // The list grew with every answer, and this far ahead of where it was the place was found: it will go on so.
            Some(Search { growth: Some(growth), tries: 2.., .. }) => return self.shifts = [growth.cast_signed(); 4],
            // One great shift is most likely the last: so much of it is expected again as a window can make good.
            Some(_) => shift.clamp(-half, half),
            None => shift.max(-half),
        };
        self.shifts.rotate_left(1);
        let [.., latest] = &mut self.shifts;
        *latest = shift;
    }

    /// The window began after the place, for rows before it were deleted: back by 100 rows, by 200, by 400 …
    fn behind(&self, to: u64, total: u64) -> Search {
        let search = self.search.unwrap_or_else(|| Search::new(self.total_at_rank));
        // What the list has moved since is not known, so of two bounds that cross only the new one counts.
        let from = search.from.filter(|from| *from < to);
        let (next, step) = match from {
            Some(from) => (self.between(from, to), search.step),
            None => (to.saturating_sub(search.step), search.step.saturating_mul(2)),
        };
        Search { next, from, to: Some(to), step, total, growth: None, ..search }
    }

    /// The window ended before the place, for rows before it were inserted.
    ///
    /// Inserts make the list longer by as much as they move the place, so the total says how far to go: and if that was
    /// not far enough, because it went on growing meanwhile, how fast it grows.
    fn ahead(&self, from: u64, total: u64) -> Search {
        let search = self.search.unwrap_or_else(|| Search::new(self.total_at_rank));
        let to = search.to.filter(|to| *to > from);
        let growth = total.saturating_sub(search.total);
        let (more, step) = match search.tries {
            0 => (0, FIRST_STEP),
            1..4 => (growth, FIRST_STEP),
            // The total does not tell, for others are deleted meanwhile.
            _ => (growth.saturating_add(search.step), search.step.saturating_mul(2)),
        };
        let grown = from.max(self.rank + total.saturating_sub(self.total_at_rank));
        // The place is not after the end, and the rows before the end show whether it is there.
        let along = grown.saturating_add(more).min(total + growth).saturating_sub(self.overlap());
        let next = to.map_or(along, |to| self.between(from, to));
        Search { next, from: Some(from), to, step, total, growth: Some(growth), ..search }
    }

    /// A window between the two bounds: over both if it reaches so far, else in their middle.
    fn between(&self, from: u64, to: u64) -> u64 {
        let near = from.saturating_sub(self.overlap());
        if near + self.reach > to { near } else { from.midpoint(to) }
    }

    fn at(&self, start: u64) -> Window {
        // While the place is searched for, each window is twice as large as the one before, so that it is met sooner.
        let tries = self.search.map_or(0, |search| search.tries.min(8));
        let limit = (self.size << tries).min(Window::MAX_LIMIT);
        // Both are within their ranges; a window that is not asked for anywhere else would only cost requests.
        Window::new(limit, start.min(Window::MAX_OFFSET)).unwrap_or_default()
    }
}

impl Search {
    const fn new(total: u64) -> Self {
        Self { next: 0, tries: 0, from: None, to: None, step: FIRST_STEP, total, growth: None }
    }
}

fn key(row: &LeadItem) -> (Timestamp, &LeadId) {
    (row.created_at, &row.id)
}

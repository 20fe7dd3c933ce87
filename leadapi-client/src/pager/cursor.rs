//! The cursor, which holds the state of an iteration and chooses the next window. It does no I/O.
//!
//! The list is sorted newest first by a key that never changes (contract D3). Windows, however, are addressed by row
//! number, and rows may be inserted or deleted between requests. The cursor therefore keeps the key of the last lead
//! that it returned. Each window starts a few rows before the resume point, the row where the next lead is expected. A
//! response is usable only if its first row is at or before the last key, or if it starts at the beginning of the list.
//! The rows of a response are contiguous and come from one snapshot, so no lead can be missing between the last key and
//! the first row after that key. Rows at or before the last key are skipped.
//!
//! The iteration ends no matter how fast leads are inserted: a lead created now is newer than the last key, so the
//! cursor has already passed it. The number of remaining leads only decreases, except when leads with an old
//! `created_at` are added. The only cost of inserts is extra requests to find the resume point again.
//!
//! The cursor stores no leads, so its memory use does not grow with the list.

use leadapi_model::{
    id::LeadId,
    model::{LeadItem, Page, Timestamp, Window},
};

use super::{
    error::PagerError,
    position::{Key, Position},
};

/// The maximum number of consecutive misses before a search fails. In a list that does not change, a search among
/// millions of rows takes about ten requests.
const MAX_SEARCH_STEPS: u32 = 64;
/// The first step of a search, in rows.
const FIRST_STEP: u64 = 100;
/// The minimum page size. A window of one row could either overlap the previous window or advance, but not both.
pub(super) const MIN_PAGE_SIZE: u32 = 2;

/// The state of an iteration over the leads, newest first.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    size: u32,
    /// The key of the last lead that was returned.
    last: Option<Key>,
    /// The number of rows up to and including the last returned lead, when that lead was read. If nothing has changed,
    /// it is the offset of the next lead. A wrong rank costs requests, but no lead is missed: `advance` compares keys.
    rank: u64,
    /// The total number of rows when the last returned lead was read.
    total_at_rank: u64,
    /// The total number of rows in the last response.
    total: Option<u64>,
    /// The number of rows by which the resume point moved before each of the last four pages.
    shifts: [i64; 4],
    /// The number of rows in the last page, which may be fewer than requested.
    page_len: u64,
    search: Option<Search>,
    is_done: bool,
}

/// The state of a search for the resume point. A search starts when a window misses the resume point.
#[derive(Debug, Clone, Copy)]
struct Search {
    next: u64,
    tries: u32,
    /// A lower bound for the resume point.
    from: Option<u64>,
    /// An upper bound for the resume point.
    to: Option<u64>,
    step: u64,
    total: u64,
    /// The growth of the total since the previous response, if the resume point is ahead of the window.
    growth: Option<u64>,
}

/// The result of [`Cursor::advance`].
#[derive(Debug)]
pub(super) enum Advance {
    /// The next leads, possibly none.
    Leads(Vec<LeadItem>),
    /// The window missed the resume point; the search continues with the next window.
    Missed,
}

impl Cursor {
    pub(super) fn new(size: u32, from: Position) -> Self {
        let size = size.clamp(MIN_PAGE_SIZE, Window::MAX_LIMIT);
        Self {
            size,
            rank: from.rank,
            total_at_rank: from.total.unwrap_or(0),
            total: from.total,
            last: from.last,
            shifts: [0; 4],
            page_len: size.into(),
            search: None,
            is_done: false,
        }
    }

    pub(super) const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the total number of leads in the last response or the resumed position, or `None` if there was neither.
    pub(super) const fn total(&self) -> Option<u64> {
        self.total
    }

    /// Returns the position of a caller that has received `last`, but not yet the `withheld` leads after it.
    pub(super) fn position(&self, last: Option<Key>, withheld: usize) -> Position {
        let rank = self.rank.saturating_sub(withheld as u64);
        Position { last, rank, total: self.total.map(|_| self.total_at_rank) }
    }

    /// Returns the key of the last lead that was returned, or `None` before the first one.
    pub(super) const fn last(&self) -> Option<&Key> {
        self.last.as_ref()
    }

    pub(super) fn window(&self) -> Window {
        self.window_at(self.search.map_or_else(|| self.start_before(self.rank), |search| search.next))
    }

    /// Guesses the window that follows `window`. Returns `None` if the guessed window is probably past the end. Also
    /// returns `None` during a search and before the total is known, when a guess is impossible.
    pub(super) fn window_after(&self, window: Window) -> Option<Window> {
        let end = window.offset() + self.page_len;
        let start = self.start_before(end).max(window.offset() + 1);
        let known = self.search.is_none() && self.total.is_some_and(|total| start + self.overlap() < total);
        known.then(|| self.window_at(start))
    }

    /// Returns whether a guessed window may still contain the resume point, judging by the recent shifts of that point.
    pub(super) fn may_contain(&self, window: Window) -> bool {
        let start = window.offset();
        let latest = self.rank + self.greatest_shift().max(0).unsigned_abs();
        let earliest = self.rank.saturating_add_signed(self.least_shift().min(0));
        let contained = (start < latest || start == 0) && start + self.page_len > earliest;
        contained && self.search.is_none() && !self.is_done
    }

    /// Processes the response to the request for the window `requested`. An error leaves the cursor unchanged.
    pub(super) fn advance(&mut self, requested: Window, page: Page<LeadItem>) -> Result<Advance, PagerError> {
        let Page { data: mut rows, total, offset: start, .. } = page;
        let total = total.min(Window::MAX_OFFSET);
        if start != requested.offset() {
            return Err(PagerError::WrongOffset { requested: requested.offset(), received: start });
        }
        if !rows.is_sorted_by(|one, next| key(one) > key(next)) {
            return Err(PagerError::Unsorted);
        }
        let seen = self.last.as_ref().map_or(0, |last| rows.partition_point(|row| key(row) >= (last.0, &last.1)));
        let (read, end) = (rows.len() as u64, start + rows.len() as u64);
        // A short or empty page is not necessarily the last one, so compare with the total, which is from the same
        // snapshot.
        let is_end = end >= total;
        // Invariant: each lead that sorts before `last` was either returned, or appeared after the cursor had passed
        // its position. The rows of a page are contiguous, so a page preserves the invariant if, and only if, it starts
        // at or before `last`.
        let starts_before = start == 0 || seen > 0;
        let makes_progress = seen < rows.len() || is_end;
        if starts_before && makes_progress {
            self.set_resume_point(start + seen as u64);
            let new = rows.split_off(seen);
            self.last = new.last().map(|row| (row.created_at, row.id.clone())).or(self.last.take());
            (self.rank, self.total_at_rank, self.total) = (end, total, Some(total));
            self.is_done = is_end;
            if !is_end {
                self.page_len = read.max(MIN_PAGE_SIZE.into());
            }
            return Ok(Advance::Leads(new));
        }
        let tries = self.search.map_or(0, |search| search.tries) + 1;
        if tries > MAX_SEARCH_STEPS {
            return Err(PagerError::NoProgress(MAX_SEARCH_STEPS));
        }
        let search = if starts_before { self.ahead(end, total) } else { self.behind(start.min(total), total) };
        self.search = Some(Search { tries, total, ..search });
        self.total = Some(total);
        Ok(Advance::Missed)
    }

    /// Returns the row at which a window should start. The window then probably contains the resume point, even if that
    /// point moves again.
    ///
    /// An insert before the resume point moves it forward, and a deletion moves it back. The window starts at the
    /// resume point plus the smallest shift of the last four pages, minus half the range of these shifts, minus the
    /// overlap. A window that starts too early rereads some rows, and a window that starts too late costs a request.
    fn start_before(&self, resume_point: u64) -> u64 {
        let max = self.page_len * 3 / 4;
        let back = (self.overlap() + self.spread()).saturating_add_signed(-self.least_shift().min(0)).min(max).max(1);
        let forward = self.least_shift().max(0).unsigned_abs();
        (resume_point + forward).saturating_sub(back)
    }

    /// Returns how many rows two consecutive windows share while the list does not change. An overlap of one row would
    /// be enough, but a few more rows save requests when the list changes little.
    fn overlap(&self) -> u64 {
        (self.page_len / 50).clamp(1, 4)
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

    /// Records that the resume point was found at this row.
    fn set_resume_point(&mut self, resume_point: u64) {
        let shift = resume_point.cast_signed() - self.rank.cast_signed();
        let half = (self.page_len / 2).cast_signed();
        let shift = match self.search.take() {
            // The list grew with each response, and the resume point moved ahead by the same amount. Expect the same
            // growth again.
            Some(Search { growth: Some(growth), tries: 2.., .. }) => return self.shifts = [growth.cast_signed(); 4],
            // A large shift is unlikely to repeat, so expect at most the shift that one window can absorb.
            Some(_) => shift.clamp(-half, half),
            None => shift.max(-half),
        };
        self.shifts.rotate_left(1);
        let [.., latest] = &mut self.shifts;
        *latest = shift;
    }

    /// Steps back after a window that began after the resume point because earlier rows were deleted. The steps are
    /// 100, 200, 400 rows and so on, until a lower bound is known.
    fn behind(&self, to: u64, total: u64) -> Search {
        let search = self.search.unwrap_or_else(|| Search::new(self.total_at_rank));
        // The rows may have moved since the other bound was set. If the two bounds cross, only the new bound counts.
        let from = search.from.filter(|from| *from < to);
        let (next, step) = match from {
            Some(from) => (self.between(from, to), search.step),
            None => (to.saturating_sub(search.step), search.step.saturating_mul(2)),
        };
        Search { next, from, to: Some(to), step, total, growth: None, ..search }
    }

    /// Steps forward after a window that ended before the resume point because rows were inserted before that point.
    ///
    /// Each inserted row lengthens the list by one and moves the resume point by one, so the step is the growth of the
    /// total. If the step was too small because the list kept growing, the next step also adds the latest growth.
    fn ahead(&self, from: u64, total: u64) -> Search {
        let search = self.search.unwrap_or_else(|| Search::new(self.total_at_rank));
        let to = search.to.filter(|to| *to > from);
        let growth = total.saturating_sub(search.total);
        let (more, step) = match search.tries {
            0 => (0, FIRST_STEP),
            1..4 => (growth, FIRST_STEP),
            // The total is no longer reliable, because other rows are being deleted at the same time.
            _ => (growth.saturating_add(search.step), search.step.saturating_mul(2)),
        };
        let grown = from.max(self.rank + total.saturating_sub(self.total_at_rank));
        // The resume point cannot be beyond the end of the list, so a window over the last rows is far enough.
        let guess = grown.saturating_add(more).min(total + growth).saturating_sub(self.overlap());
        let next = to.map_or(guess, |to| self.between(from, to));
        Search { next, from: Some(from), to, step, total, growth: Some(growth), ..search }
    }

    /// Returns the start of a window between two bounds. The window covers both bounds if they fit. Otherwise it starts
    /// halfway between them.
    fn between(&self, from: u64, to: u64) -> u64 {
        let near = from.saturating_sub(self.overlap());
        if near + self.page_len > to { near } else { from.midpoint(to) }
    }

    fn window_at(&self, start: u64) -> Window {
        // During a search, each window is twice as large as the previous one, up to the maximum, so that the search
        // finds the resume point sooner.
        let tries = self.search.map_or(0, |search| search.tries.min(8));
        let limit = (self.size << tries).min(Window::MAX_LIMIT);
        // Both values are in range, so the default is never used. It would only cost extra requests.
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

//! A model of a list in the contract's order that changes between requests.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers in these tests are small"
)]

use std::collections::{HashMap, HashSet};

use leadapi_client::{
    id::{ClientId, LeadId},
    model::{Lead, LeadItem, Page, Timestamp, Window},
};

/// A seeded pseudo-random number generator (`SplitMix64`).
#[derive(Debug, Clone)]
pub(super) struct Rng(pub(super) u64);

impl Rng {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number in `0..end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.roll() % (end.max(1) as u64)) as usize
    }

    /// Returns true with probability 1 / `times`.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// The changes between two requests.
#[derive(Debug, Clone, Copy)]
pub(super) enum Churn {
    /// The numbers of leads to create at the newest end, and to delete at random positions.
    Steady(usize, usize),
    /// Randomly creates or deletes up to this number of leads. New leads are dated now, or at random times in the past.
    /// Deleted leads are scattered, consecutive, or the newest leads. Rarely, all leads are deleted.
    Wild(usize),
    /// Creates or deletes fewer leads than this number. New leads are dated now, or earlier by at most this time in
    /// milliseconds.
    Late(usize, i64),
}

/// A lead's `created_at` in milliseconds since the Unix epoch, and its id.
pub(super) type Row = (i64, u32);

#[derive(Debug)]
pub(super) struct Model {
    /// All rows, oldest first, so new rows are appended.
    pub(super) rows: Vec<Row>,
    pub(super) rng: Rng,
    churn: Churn,
    clock: i64,
    ids: u32,
    /// The maximum number of rows in a response, regardless of the requested limit.
    pub(super) max_rows: usize,
    pub(super) requests: usize,
    at_first: HashSet<u32>,
    deleted: HashSet<u32>,
    pub(super) yielded: HashMap<u32, usize>,
    last_yielded: Option<Row>,
}

impl Model {
    pub(super) fn new(leads: usize, churn: Churn, seed: u64) -> Self {
        let mut model = Self {
            rows: Vec::new(),
            rng: Rng(seed),
            churn,
            clock: 1_700_000_000_000,
            ids: 0,
            max_rows: 1_000,
            requests: 0,
            at_first: HashSet::new(),
            deleted: HashSet::new(),
            yielded: HashMap::new(),
            last_yielded: None,
        };
        model.create(leads);
        model.at_first = model.rows.iter().map(|row| row.1).collect();
        model
    }

    /// Creates a list that changes only if a test changes it.
    pub(super) fn quiet(leads: usize) -> Self {
        Self::new(leads, Churn::Steady(0, 0), 1)
    }

    /// Creates leads at the newest end. Some leads share a `created_at`, so their ids determine the order.
    pub(super) fn create(&mut self, count: usize) {
        for _ in 0..count {
            self.clock += self.rng.below(3) as i64;
            let row = (self.clock, self.id());
            let at = self.rows.partition_point(|other| *other < row);
            self.rows.insert(at, row);
        }
    }

    pub(super) fn create_at(&mut self, created_at: i64) -> u32 {
        let row = (created_at, self.id());
        let at = self.rows.partition_point(|other| *other < row);
        self.rows.insert(at, row);
        row.1
    }

    pub(super) fn delete(&mut self, at: usize, count: usize) {
        let end = (at + count).min(self.rows.len());
        for (_, id) in self.rows.drain(at.min(end)..end) {
            self.deleted.insert(id);
        }
    }

    pub(super) fn still(&mut self) {
        self.churn = Churn::Steady(0, 0);
    }

    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids.wrapping_mul(2_654_435_761)
    }

    pub(super) fn change(&mut self) {
        match self.churn {
            Churn::Steady(created, deleted) => {
                self.create(created);
                for _ in 0..deleted {
                    let at = self.rng.below(self.rows.len());
                    self.delete(at, 1);
                }
            }
            Churn::Late(most, overlap) => {
                let (count, at) = (self.rng.below(most), self.rng.below(self.rows.len()));
                match self.rng.below(8) {
                    0..2 => self.create(count),
                    2..4 => (0..count).for_each(|_| {
                        let late = self.clock - self.rng.below(overlap as usize + 1) as i64;
                        self.create_at(late);
                    }),
                    4 => self.delete(at, count),
                    _ => {}
                }
            }
            Churn::Wild(most) => {
                let count = self.rng.below(most) + 1;
                let at = self.rng.below(self.rows.len());
                match self.rng.below(16) {
                    0..4 => self.create(count),
                    4..6 => (0..count).for_each(|_| {
                        let (oldest, newest) = (self.rows.first().map_or(0, |row| row.0), self.clock);
                        let late = newest - self.rng.below((newest - oldest) as usize + 1) as i64;
                        self.create_at(late);
                    }),
                    6..8 => self.delete(at, count),
                    8 => self.delete(self.rows.len().saturating_sub(count), count),
                    9..11 => (0..count).for_each(|_| {
                        let at = self.rng.below(self.rows.len());
                        self.delete(at, 1);
                    }),
                    11 if self.rng.one_in(20) => self.delete(0, usize::MAX / 2),
                    _ => {}
                }
            }
        }
    }

    /// Changes the list, except before the first request, and returns the page for a window (contract D3).
    pub(super) fn respond(&mut self, window: Window) -> Page<LeadItem> {
        if self.requests > 0 {
            self.change();
        }
        self.requests += 1;
        let offset = window.offset() as usize;
        let limit = (window.limit() as usize).min(self.max_rows);
        let data = self.rows.iter().rev().skip(offset).take(limit).copied().map(lead).collect();
        Page::new(data, self.rows.len() as u64, window)
    }

    pub(super) fn record(&mut self, lead: &LeadItem) {
        let row = row(lead);
        assert!(self.last_yielded.is_none_or(|last| row < last), "{row:?} after {:?}", self.last_yielded);
        self.last_yielded = Some(row);
        *self.yielded.entry(row.1).or_default() += 1;
    }

    /// Returns how many leads were missed although they existed throughout, and how many times a lead was repeated.
    pub(super) fn missed_and_repeated(&self) -> (usize, usize) {
        let throughout = self.at_first.difference(&self.deleted);
        let missed = throughout.filter(|id| !self.yielded.contains_key(id)).count();
        (missed, self.yielded.values().map(|times| times.saturating_sub(1)).sum())
    }
}

pub(super) fn lead((created_at, id): Row) -> LeadItem {
    let created_at = Timestamp::from_unix_millis(created_at).unwrap();
    let id = LeadId::parse(format!("{id:08x}")).unwrap();
    Lead::new(id, ClientId::parse("c1").unwrap(), "Ann", created_at).into()
}

pub(super) fn row(lead: &LeadItem) -> Row {
    (lead.created_at.unix_millis(), u32::from_str_radix(lead.id.as_str(), 16).unwrap())
}

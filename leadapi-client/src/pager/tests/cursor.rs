//! Tests of the cursor alone, without any requests.

use std::collections::HashSet;

use leadapi_model::model::{LeadItem, Page, Window};
use proptest::prelude::*;

use super::model::{Churn, Model, lead};
use crate::pager::{
    Position,
    cursor::{Advance, Cursor},
    error::PagerError,
};

/// Reads to the end. Returns the maximum length of the cursor's debug output, and how many times it failed with `NoProgress`
/// and was resumed. The request limit prevents an endless loop.
fn read_all(model: &mut Model, size: u32, most_requests: usize) -> (usize, usize) {
    let mut cursor = Cursor::new(size, Position::default());
    let (mut longest, mut lost) = (0, 0);
    while !cursor.is_done() {
        assert!(model.requests < most_requests, "{cursor:?} after {} requests", model.requests);
        let window = cursor.window();
        match cursor.advance(window, model.respond(window)) {
            Ok(Advance::Leads(leads)) => leads.iter().for_each(|lead| model.record(lead)),
            Ok(Advance::Missed) => {}
            Err(PagerError::NoProgress(_)) => {
                lost += 1;
                cursor = Cursor::new(size, cursor.position(cursor.last().cloned(), 0));
            }
            Err(error) => panic!("{error}"),
        }
        longest = longest.max(format!("{cursor:?}").len());
    }
    (longest, lost)
}

/// Reads with a plain loop for comparison. The loop adds the limit to the offset until a page is not full.
fn plain_loop(model: &mut Model, size: u32) -> (usize, usize) {
    let mut seen = HashSet::new();
    let (mut offset, mut repeated) = (0, 0);
    loop {
        let page = model.respond(Window::new(size, offset).unwrap());
        offset += u64::from(size);
        for lead in &page.data {
            model.yielded.entry(super::model::row(lead).1).or_default();
            repeated += usize::from(!seen.insert(lead.id.clone()));
        }
        if page.data.len() < size as usize {
            return (model.missed_and_repeated().0, repeated);
        }
    }
}

/// Compares the pager with a plain loop over 100,000 leads. To print the comparison, run `cargo test … -- --nocapture`.
#[test]
fn a_hundred_thousand_leads_are_read_exactly_once_while_others_write() {
    for (created, deleted, within_percent) in
        [(0, 0, 103), (5, 5, 105), (0, 50, 120), (50, 0, 105), (100, 100, 105), (0, 300, 400)]
    {
        let churn = Churn::Steady(created, deleted);
        let mut usual = Model::new(100_000, churn, 7);
        let (missed, repeated) = plain_loop(&mut usual, 200);
        let mut model = Model::new(100_000, churn, 7);
        read_all(&mut model, 200, 5_000);
        println!(
            "created {created}, deleted {deleted}: the loop missed {missed} and repeated {repeated} in {} requests, the pager {:?} in {}",
            usual.requests,
            model.missed_and_repeated(),
            model.requests,
        );
        assert_eq!(model.missed_and_repeated(), (0, 0));
        let base = usual.requests.min(501);
        assert!(model.requests * 100 <= base * within_percent, "{} of {base}", model.requests);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn leads_that_stay_are_neither_missed_nor_repeated(
        leads in 0_usize..400, most in 1_usize..120, size in 1_u32..40, answered in 3_usize..50, seed: u64,
    ) {
        let mut model = Model::new(leads, Churn::Wild(most), seed);
        model.max_rows = answered;
        let (_, restarts) = read_all(&mut model, size, 20_000);
        prop_assert!(restarts == 0 || most * 3 > answered, "restarted {restarts} times");
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }

    #[test]
    fn steady_churn_needs_no_restart(
        leads in 0_usize..2_000, created in 0_usize..60, deleted in 0_usize..60, size in 1_u32..100, seed: u64,
    ) {
        let mut model = Model::new(leads, Churn::Steady(created, deleted), seed);
        let (_, lost) = read_all(&mut model, size, 20_000);
        prop_assert_eq!(lost, 0);
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }
}

/// A lead created now is newer than the last key, so the number of remaining leads only decreases. The cursor only has
/// to find the resume point again for every page, and the total reveals how far it has moved.
#[test]
fn the_iteration_ends_however_fast_others_insert() {
    for created in [0, 10, 199, 200, 201, 1_000, 5_000] {
        let mut model = Model::new(5_000, Churn::Steady(created, 0), 1);
        read_all(&mut model, 200, 40);
        assert_eq!(model.missed_and_repeated(), (0, 0), "{created}");
    }
}

#[test]
fn the_state_does_not_grow_with_the_list() {
    let size = |leads| read_all(&mut Model::new(leads, Churn::Steady(3, 3), 1), 200, 1_000).0;
    let (few, many) = (size(1_000), size(50_000));
    assert!(many < few + 20, "{few} and {many} characters of debug output");
}

fn page(rows: impl IntoIterator<Item = i64>, total: u64, window: Window) -> Page<LeadItem> {
    Page::new(rows.into_iter().map(|at| lead((at, 1))).collect(), total, window)
}

fn advance(cursor: &mut Cursor, page: impl FnOnce(Window) -> Page<LeadItem>) -> Option<Vec<i64>> {
    let window = cursor.window();
    match cursor.advance(window, page(window)).unwrap() {
        Advance::Leads(leads) => Some(leads.iter().map(|lead| super::model::row(lead).0).collect()),
        Advance::Missed => None,
    }
}

#[test]
fn a_window_that_starts_too_late_steps_back_by_doubling_steps() {
    let from =
        Position { last: Some((lead((5_000, 1)).created_at, lead((5_000, 1)).id)), rank: 2_000, total: Some(9_000) };
    let mut cursor = Cursor::new(200, from);
    let mut offsets = vec![];
    for _ in 0..5 {
        offsets.push(cursor.window().offset());
        assert_eq!(advance(&mut cursor, |window| page([10, 9], 9_000, window)), None);
    }
    assert_eq!(offsets, [1_996, 1_896, 1_696, 1_296, 496]);
    assert_eq!(cursor.window().offset(), 0);
    // A window at the beginning of the list cannot start too late.
    assert_eq!(advance(&mut cursor, |window| page([10, 9], 9_000, window)), Some(vec![10, 9]));
}

#[test]
fn a_short_or_empty_page_is_the_end_only_if_it_reaches_the_total() {
    let mut cursor = Cursor::new(10, Position::default());
    assert_eq!(advance(&mut cursor, |window| page([50, 40], 4, window)), Some(vec![50, 40]));
    assert!(!cursor.is_done());
    assert_eq!(cursor.window(), Window::new(10, 1).unwrap());
    // The first two rows were deleted, so the next unread row is before the window.
    assert_eq!(advance(&mut cursor, |window| page([20], 2, window)), None);
    assert!(!cursor.is_done());
    assert_eq!(advance(&mut cursor, |window| page([30, 20], 2, window)), Some(vec![30, 20]));
    assert!(cursor.is_done());
}

#[test]
fn the_iteration_ends_when_all_leads_are_deleted() {
    let mut cursor = Cursor::new(10, Position::default());
    advance(&mut cursor, |window| page(41..=50, 20, window).reversed());
    assert_eq!(advance(&mut cursor, |window| page([], 0, window)), None);
    assert_eq!(advance(&mut cursor, |window| page([], 0, window)), Some(vec![]));
    assert!(cursor.is_done());
}

trait Reversed {
    fn reversed(self) -> Self;
}

impl Reversed for Page<LeadItem> {
    fn reversed(mut self) -> Self {
        self.data.reverse();
        self
    }
}

#[test]
fn a_response_out_of_order_or_at_another_offset_is_an_error() {
    let error = |rows: &[i64]| {
        let mut cursor = Cursor::new(10, Position::default());
        let window = cursor.window();
        cursor.advance(window, page(rows.iter().copied(), 100, window)).unwrap_err()
    };
    assert_eq!(error(&[50, 49, 51]), PagerError::Unsorted);
    assert_eq!(error(&[50, 50]), PagerError::Unsorted, "the same lead twice");

    let mut cursor = Cursor::new(10, Position::default());
    let elsewhere = page([5], 100, Window::new(10, 20).unwrap());
    assert_eq!(
        cursor.advance(cursor.window(), elsewhere).unwrap_err(),
        PagerError::WrongOffset { requested: 0, received: 20 }
    );
}

#[test]
fn empty_pages_without_an_end_are_an_error() {
    let mut cursor = Cursor::new(10, Position::default());
    let error = (0..100).find_map(|_| cursor.advance(cursor.window(), page([], 7, cursor.window())).err());
    assert_eq!(error, Some(PagerError::NoProgress(64)));
}

#[test]
fn absurd_numbers_from_the_service_do_not_overflow() {
    let from = Position {
        rank: u64::from(u32::MAX),
        total: Some(0),
        last: Some((lead((50, 1)).created_at, lead((50, 1)).id)),
    };
    let mut cursor = Cursor::new(200, from);
    for at in [60, 40, 60, 60, 60, 40, 60] {
        let window = cursor.window();
        cursor.advance(window, page([at], u64::MAX, window)).ok();
    }
}

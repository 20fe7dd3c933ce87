//! Tests of the course alone, without requests.

use std::collections::HashSet;

use leadapi_core::model::{LeadItem, Page, Window};
use proptest::prelude::*;

use super::model::{Churn, Model, lead};
use crate::walk::{
    Position,
    course::{Course, Taken},
    fault::Fault,
};

/// Walks to the end. Returns the maximum size of the course and how often it failed with `Lost` and was resumed. The
/// limit of requests guards against a walk that never ends.
fn walk(model: &mut Model, size: u32, most_requests: usize) -> (usize, usize) {
    let mut course = Course::new(size, Position::default());
    let (mut longest, mut lost) = (0, 0);
    while !course.is_done() {
        assert!(model.requests < most_requests, "{course:?} after {} requests", model.requests);
        let window = course.window();
        match course.take(window, model.answer(window)) {
            Ok(Taken::New(leads)) => leads.iter().for_each(|lead| model.give(lead)),
            Ok(Taken::Missed) => {}
            Err(Fault::Lost(_)) => {
                lost += 1;
                course = Course::new(size, course.position(course.last().cloned(), 0));
            }
            Err(fault) => panic!("{fault}"),
        }
        longest = longest.max(format!("{course:?}").len());
    }
    (longest, lost)
}

/// The usual loop, for comparison: it adds the limit to the offset until a page is not full.
fn plain_loop(model: &mut Model, size: u32) -> (usize, usize) {
    let mut given = HashSet::new();
    let (mut offset, mut repeated) = (0, 0);
    loop {
        let page = model.answer(Window::new(size, offset).unwrap());
        offset += u64::from(size);
        for lead in &page.data {
            model.given.entry(super::model::row(lead).1).or_default();
            repeated += usize::from(!given.insert(lead.id.clone()));
        }
        if page.data.len() < size as usize {
            return (model.missed_and_repeated().0, repeated);
        }
    }
}

/// The cost of walking 100,000 leads. To print the comparison, run `cargo test … -- --nocapture`.
#[test]
fn a_hundred_thousand_leads_while_others_write() {
    for (created, deleted, within_percent) in
        [(0, 0, 103), (5, 5, 105), (0, 50, 120), (50, 0, 105), (100, 100, 105), (0, 300, 400)]
    {
        let churn = Churn::Steady(created, deleted);
        let mut usual = Model::new(100_000, churn, 7);
        let (missed, repeated) = plain_loop(&mut usual, 200);
        let mut model = Model::new(100_000, churn, 7);
        walk(&mut model, 200, 5_000);
        println!(
            "{created} in, {deleted} out: the loop misses {missed} and repeats {repeated} in {} requests, the walk {:?} in {}",
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
    fn nothing_that_stays_is_missed_or_repeated(
        leads in 0_usize..400, most in 1_usize..120, size in 1_u32..40, answered in 3_usize..50, seed: u64,
    ) {
        let mut model = Model::new(leads, Churn::Wild(most), seed);
        model.most = answered;
        let (_, lost) = walk(&mut model, size, 20_000);
        prop_assert!(lost == 0 || most * 3 > answered, "lost {lost} times");
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }

    #[test]
    fn steady_churn(
        leads in 0_usize..2_000, created in 0_usize..60, deleted in 0_usize..60, size in 1_u32..100, seed: u64,
    ) {
        let mut model = Model::new(leads, Churn::Steady(created, deleted), seed);
        let (_, lost) = walk(&mut model, size, 20_000);
        prop_assert_eq!(lost, 0);
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }
}

/// A lead created now is newer than the last key, so the number of remaining leads only falls. Only the resume point
/// has to be found again with every page, and the total says how far it has moved.
#[test]
fn the_end_is_reached_however_fast_others_insert() {
    for created in [0, 10, 199, 200, 201, 1_000, 5_000] {
        let mut model = Model::new(5_000, Churn::Steady(created, 0), 1);
        walk(&mut model, 200, 40);
        assert_eq!(model.missed_and_repeated(), (0, 0), "{created}");
    }
}

#[test]
fn what_it_holds_does_not_grow_with_the_leads() {
    let held = |leads| walk(&mut Model::new(leads, Churn::Steady(3, 3), 1), 200, 1_000).0;
    let (few, many) = (held(1_000), held(50_000));
    assert!(many < few + 20, "{few} and {many} characters say all of it");
}

fn page(rows: impl IntoIterator<Item = i64>, total: u64, window: Window) -> Page<LeadItem> {
    Page::new(rows.into_iter().map(|at| lead((at, 1))).collect(), total, window)
}

fn taken(course: &mut Course, page: impl FnOnce(Window) -> Page<LeadItem>) -> Option<Vec<i64>> {
    let window = course.window();
    match course.take(window, page(window)).unwrap() {
        Taken::New(leads) => Some(leads.iter().map(|lead| super::model::row(lead).0).collect()),
        Taken::Missed => None,
    }
}

#[test]
fn a_window_that_begins_too_late_goes_back_by_100_by_200_by_400() {
    let from =
        Position { last: Some((lead((5_000, 1)).created_at, lead((5_000, 1)).id)), rank: 2_000, total: Some(9_000) };
    let mut course = Course::new(200, from);
    let mut offsets = vec![];
    for _ in 0..5 {
        offsets.push(course.window().offset());
        assert_eq!(taken(&mut course, |window| page([10, 9], 9_000, window)), None);
    }
    assert_eq!(offsets, [1_996, 1_896, 1_696, 1_296, 496]);
    assert_eq!(course.window().offset(), 0);
    // At the beginning of the list there is no row before the first.
    assert_eq!(taken(&mut course, |window| page([10, 9], 9_000, window)), Some(vec![10, 9]));
}

#[test]
fn a_page_that_is_short_or_empty_is_the_end_only_if_it_reaches_the_total() {
    let mut course = Course::new(10, Position::default());
    assert_eq!(taken(&mut course, |window| page([50, 40], 4, window)), Some(vec![50, 40]));
    assert!(!course.is_done());
    assert_eq!(course.window(), Window::new(10, 1).unwrap());
    // The first two rows were deleted, so the remaining ones lie before the window.
    assert_eq!(taken(&mut course, |window| page([20], 2, window)), None);
    assert!(!course.is_done());
    assert_eq!(taken(&mut course, |window| page([30, 20], 2, window)), Some(vec![30, 20]));
    assert!(course.is_done());
}

#[test]
fn all_is_deleted() {
    let mut course = Course::new(10, Position::default());
    taken(&mut course, |window| page(41..=50, 20, window).reversed());
    assert_eq!(taken(&mut course, |window| page([], 0, window)), None);
    assert_eq!(taken(&mut course, |window| page([], 0, window)), Some(vec![]));
    assert!(course.is_done());
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
fn it_does_not_guess() {
    let fault = |rows: &[i64]| {
        let mut course = Course::new(10, Position::default());
        let window = course.window();
        course.take(window, page(rows.iter().copied(), 100, window)).unwrap_err()
    };
    assert_eq!(fault(&[50, 49, 51]), Fault::Unordered);
    assert_eq!(fault(&[50, 50]), Fault::Unordered, "the same lead twice");

    let mut course = Course::new(10, Position::default());
    let elsewhere = page([5], 100, Window::new(10, 20).unwrap());
    assert_eq!(course.take(course.window(), elsewhere).unwrap_err(), Fault::AnotherPage { asked: 0, came: 20 });
}

#[test]
fn a_service_that_answers_nothing_but_a_total() {
    let mut course = Course::new(10, Position::default());
    let fault = (0..100).find_map(|_| course.take(course.window(), page([], 7, course.window())).err());
    assert_eq!(fault, Some(Fault::Lost(64)));
}

#[test]
fn numbers_of_a_service_gone_wrong_do_not_overflow() {
    let from = Position {
        rank: u64::from(u32::MAX),
        total: Some(0),
        last: Some((lead((50, 1)).created_at, lead((50, 1)).id)),
    };
    let mut course = Course::new(200, from);
    for at in [60, 40, 60, 60, 60, 40, 60] {
        let window = course.window();
        course.take(window, page([at], u64::MAX, window)).ok();
    }
}

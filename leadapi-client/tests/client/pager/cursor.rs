//! Tests of how the pager finds the next lead in a list that changes: which windows it requests, and when it ends.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use futures_executor::block_on;
use leadapi_client::{
    Error,
    model::{LeadItem, Page, Window},
    pager::{PageStream, Position},
};
use proptest::prelude::*;

use super::{
    model::{Churn, Model, lead, row},
    unreliable::{Answers, UnreliableService, pager},
};

/// Reads to the end, one page at a time. Returns the maximum length of the stream's debug output, and how many times
/// the stream made no progress and was resumed. The request limit prevents an endless loop.
fn read_all(model: Model, size: u32, most_requests: usize) -> (Model, usize, usize) {
    let service = UnreliableService::new(model, 0, 0);
    let list = service.pager().page_size(size).prefetch(0);
    let mut pages = list.clone().pages();
    let (mut longest, mut restarts) = (0, 0);
    loop {
        let page = block_on(pages.next());
        let mut model = service.model.lock().unwrap();
        assert!(model.requests < most_requests, "{pages:?} after {} requests", model.requests);
        match page {
            Some(Ok(page)) => page.iter().for_each(|lead| model.record(lead)),
            Some(Err(error)) if error.to_string().contains("no progress in") => {
                restarts += 1;
                pages = list.clone().resume(pages.position()).pages();
            }
            Some(Err(error)) => panic!("{error}"),
            None => break,
        }
        longest = longest.max(format!("{pages:?}").len());
    }
    let mut model = service.model.lock().unwrap();
    (std::mem::replace(&mut model, Model::quiet(0)), longest, restarts)
}

/// Reads with a plain loop for comparison. The loop adds the limit to the offset until a page is not full.
fn plain_loop(model: &mut Model, size: u32) -> (usize, usize) {
    let mut seen = HashSet::new();
    let (mut offset, mut repeated) = (0, 0);
    loop {
        let page = model.respond(Window::new(size, offset).unwrap());
        offset += u64::from(size);
        for lead in &page.data {
            model.yielded.entry(row(lead).1).or_default();
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
        let (model, ..) = read_all(Model::new(100_000, churn, 7), 200, 5_000);
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
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn leads_that_stay_are_neither_missed_nor_repeated(
        leads in 0_usize..400, most in 1_usize..120, size in 1_u32..40, answered in 3_usize..50, seed: u64,
    ) {
        let mut model = Model::new(leads, Churn::Wild(most), seed);
        model.max_rows = answered;
        let (model, _, restarts) = read_all(model, size, 20_000);
        prop_assert!(restarts == 0 || most * 3 > answered, "restarted {restarts} times");
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }

    #[test]
    fn steady_churn_needs_no_restart(
        leads in 0_usize..2_000, created in 0_usize..60, deleted in 0_usize..60, size in 1_u32..100, seed: u64,
    ) {
        let (model, _, restarts) = read_all(Model::new(leads, Churn::Steady(created, deleted), seed), size, 20_000);
        prop_assert_eq!(restarts, 0);
        prop_assert_eq!(model.missed_and_repeated(), (0, 0));
    }
}

/// A lead created now is newer than the last key, so the number of remaining leads only decreases. The cursor only has
/// to find the resume point again for every page, and the total reveals how far the resume point has moved.
#[test]
fn the_iteration_ends_however_fast_others_insert() {
    for created in [0, 10, 199, 200, 201, 1_000, 5_000] {
        let (model, ..) = read_all(Model::new(5_000, Churn::Steady(created, 0), 1), 200, 40);
        assert_eq!(model.missed_and_repeated(), (0, 0), "{created}");
    }
}

#[test]
fn the_state_does_not_grow_with_the_list() {
    let size = |leads| read_all(Model::new(leads, Churn::Steady(3, 3), 1), 200, 1_000).1;
    let (few, many) = (size(1_000), size(50_000));
    assert!(many < few + 20, "{few} and {many} characters of debug output");
}

fn page(rows: impl IntoIterator<Item = i64>, total: u64, window: Window) -> Page<LeadItem> {
    Page::new(rows.into_iter().map(|at| lead((at, 1))).collect(), total, window)
}

/// Returns a stream that starts at a position, and the windows that it requests. A function computes the page for each
/// window.
fn stream(
    position: Position,
    mut answer: impl FnMut(Window) -> Page<LeadItem> + Send + 'static,
) -> (PageStream, Arc<Mutex<Vec<Window>>>) {
    let requested = Arc::new(Mutex::new(Vec::new()));
    let windows = requested.clone();
    let service = Answers::new(move |window| {
        windows.lock().unwrap().push(window);
        answer(window)
    });
    (pager(service).page_size(10).prefetch(0).resume(position).pages(), requested)
}

/// Answers each request with the next of these rows and totals.
fn script<const N: usize>(pages: [(&'static [i64], u64); N]) -> impl FnMut(Window) -> Page<LeadItem> + Send + 'static {
    let mut pages = pages.into_iter();
    move |window| {
        let (rows, total) = pages.next().unwrap();
        page(rows.iter().copied(), total, window)
    }
}

fn next(pages: &mut PageStream) -> Option<Result<Vec<i64>, Error>> {
    block_on(pages.next()).map(|page| page.map(|leads| leads.iter().map(|lead| row(lead).0).collect()))
}

fn position(created_at: i64, rank: u64, total: u64) -> Position {
    let last = lead((created_at, 1));
    let record = serde_json::json!({"version": 1, "last": [last.created_at, last.id], "rank": rank, "total": total});
    serde_json::from_value(record).unwrap()
}

#[test]
fn a_window_that_starts_too_late_steps_back_by_doubling_steps() {
    let (mut pages, requested) = stream(position(5_000, 2_000, 9_000), |window| page([10, 9], 9_000, window));
    assert_eq!(next(&mut pages).unwrap().unwrap(), [10, 9]);
    let offsets: Vec<u64> = requested.lock().unwrap().iter().map(|window| window.offset()).collect();
    // A window at the beginning of the list cannot start too late.
    assert_eq!(offsets, [1_999, 1_899, 1_699, 1_299, 499, 0]);
}

#[test]
fn a_short_or_empty_page_is_the_end_only_if_it_reaches_the_total() {
    // The first two rows are deleted after the first page, so the next unread row is before the second window.
    let answers = script([(&[50, 40], 4), (&[20], 2), (&[30, 20], 2)]);
    let (mut pages, requested) = stream(Position::default(), answers);
    assert_eq!(next(&mut pages).unwrap().unwrap(), [50, 40]);
    assert_eq!(next(&mut pages).unwrap().unwrap(), [30, 20]);
    assert_eq!(requested.lock().unwrap().get(1), Some(&Window::new(10, 1).unwrap()));
    assert!(next(&mut pages).is_none());
}

#[test]
fn the_iteration_ends_when_all_leads_are_deleted() {
    let answers = script([(&[50, 49, 48, 47, 46, 45, 44, 43, 42, 41], 20), (&[], 0), (&[], 0)]);
    let (mut pages, requested) = stream(Position::default(), answers);
    assert_eq!(next(&mut pages).unwrap().unwrap().len(), 10);
    assert!(next(&mut pages).is_none());
    assert_eq!(requested.lock().unwrap().len(), 3);
}

#[test]
fn a_response_out_of_order_or_at_another_offset_is_an_error() {
    let error =
        |answer: fn(Window) -> Page<LeadItem>| next(&mut stream(Position::default(), answer).0).unwrap().unwrap_err();
    let unsorted = "the leads are not sorted newest first";
    let elsewhere = "the response is not the requested page: offset 20 instead of 0";
    assert!(error(|window| page([50, 49, 51], 100, window)).to_string().contains(unsorted));
    assert!(error(|window| page([50, 50], 100, window)).to_string().contains(unsorted), "the same lead twice");
    assert!(error(|_| page([5], 100, Window::new(10, 20).unwrap())).to_string().contains(elsewhere));
}

#[test]
fn empty_pages_without_an_end_are_an_error() {
    let (mut pages, requested) = stream(Position::default(), |window| page([], 7, window));
    let error = next(&mut pages).unwrap().unwrap_err().to_string();
    assert!(error.contains("no progress in 64 consecutive pages"), "{error}");
    assert_eq!(requested.lock().unwrap().len(), 65);
}

#[test]
fn absurd_numbers_from_the_service_do_not_overflow() {
    let mut times = [60, 40, 60, 60, 60, 40].into_iter();
    let answer = move |window| page([times.next().unwrap_or(60)], u64::MAX, window);
    let (mut pages, requested) = stream(position(50, u32::MAX.into(), 0), answer);
    for _ in 0..7 {
        drop(next(&mut pages));
    }
    assert!(requested.lock().unwrap().len() >= 7);
}

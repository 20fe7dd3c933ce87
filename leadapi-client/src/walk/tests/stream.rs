//! Streams over the model, with requests that wait, fail and are dropped.

use std::{
    sync::{Arc, atomic::Ordering},
    task::Poll,
};

use futures_core::Stream;
use leadapi_core::model::{LeadQuery, Page, Window};
use proptest::prelude::*;

use super::{
    line::{Line, once},
    model::{Churn, Model},
};
use crate::walk::{Fetch, LeadStream, Position, Walk};

/// Serializes and parses a position, as if another process resumed it.
fn through_json(position: &Position) -> Position {
    serde_json::from_str(&serde_json::to_string(position).unwrap()).unwrap()
}

/// Walks to the end, dropping every future after one poll. One in `resumes` leads, it resumes from its position in a
/// new stream. Returns the maximum number of leads held.
fn by_leads(line: &Line, walk: &Walk, resumes: usize) -> usize {
    let mut leads = walk.clone().stream();
    let (mut held, mut certain) = (0, 0);
    loop {
        if line.one_in(resumes) {
            leads = walk.clone().resume(through_json(&leads.position())).stream();
            certain = 0;
        }
        let hint = leads.size_hint();
        assert!(hint.0 >= certain, "{certain} leads were certain to come, and now {hint:?}");
        match once(leads.next()) {
            Poll::Pending => assert_eq!(hint.0, 0, "what is certain to come need not be waited for"),
            Poll::Ready(Some(Ok(lead))) => {
                line.model.lock().unwrap().give(&lead);
                certain = hint.0.saturating_sub(1);
                assert_ne!(hint.1, Some(0));
            }
            Poll::Ready(Some(Err(error))) => assert!(error.to_string().contains("could not be sent"), "{error}"),
            Poll::Ready(None) => {
                assert_eq!(leads.size_hint(), (0, Some(0)));
                assert_eq!(line.under_way.load(Ordering::Relaxed), 0, "{leads:?}");
                assert!(matches!(once(leads.next()), Poll::Ready(None)), "it has ended");
                return held;
            }
        }
        held = held.max(leads.rows_held());
        assert!(line.model.lock().unwrap().requests < 50_000, "{leads:?}");
    }
}

fn by_pages(line: &Line, walk: &Walk, resumes: usize) {
    let mut pages = walk.clone().pages();
    loop {
        if line.one_in(resumes) {
            pages = walk.clone().resume(through_json(&pages.position())).pages();
        }
        match once(pages.next()) {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(page))) => {
                assert!(!page.is_empty());
                for lead in &page {
                    line.model.lock().unwrap().give(lead);
                }
            }
            Poll::Ready(Some(Err(error))) => assert!(error.to_string().contains("could not be sent"), "{error}"),
            Poll::Ready(None) => return assert_eq!(pages.size_hint(), (0, Some(0))),
        }
        assert!(line.model.lock().unwrap().requests < 50_000, "{pages:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_missed_or_repeated_on_a_bad_line(
        leads in 0_usize..300, most in 1_usize..60, size in 1_u32..40, prefetch in 0_usize..6, fails in 0_usize..12,
        waits in 0_usize..6, resumes in 0_usize..40, whole_pages: bool, seed: u64,
    ) {
        // If every request fails, the walk never ends.
        let fails = if fails == 1 { 0 } else { fails };
        let line = Line::new(Model::new(leads, Churn::Wild(most), seed), fails, waits);
        let walk = line.walk().page_size(size).prefetch(prefetch);
        if whole_pages {
            by_pages(&line, &walk, if resumes == 1 { 0 } else { resumes });
        } else {
            by_leads(&line, &walk, if resumes == 1 { 0 } else { resumes });
        }
        prop_assert_eq!(line.model.lock().unwrap().missed_and_repeated(), (0, 0));
        prop_assert_eq!(line.under_way.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_hundred_thousand_leads_with_several_requests_at_once() {
    for prefetch in [0, 1, 4, 8] {
        for (created, deleted) in [(0, 0), (5, 5), (0, 50), (50, 0), (100, 100)] {
            let line = Line::new(Model::new(100_000, Churn::Steady(created, deleted), 7), 0, 3);
            let held = by_leads(&line, &line.walk().prefetch(prefetch), 0);
            let model = line.model.lock().unwrap();
            println!("prefetch {prefetch}: {created} in, {deleted} out: {} requests", model.requests);
            assert_eq!(model.missed_and_repeated(), (0, 0));
            assert!(held <= 200 * (prefetch + 1), "{held}");
            assert!(model.requests < 640, "guesses that do not hold are not made for ever");
        }
    }
}

fn quiet(leads: usize) -> Line {
    Line::new(Model::new(leads, Churn::Steady(0, 0), 1), 0, 0)
}

fn take(leads: &mut LeadStream, count: usize) {
    for _ in 0..count {
        assert!(matches!(once(leads.next()), Poll::Ready(Some(Ok(_)))));
    }
}

#[test]
fn pages_are_asked_for_ahead_as_far_as_was_said() {
    for (prefetch, begun) in [(0, 1), (1, 2), (3, 4)] {
        let line = quiet(100);
        let mut leads = line.walk().page_size(10).prefetch(prefetch).stream();
        assert!(line.asked.lock().unwrap().is_empty(), "nothing is asked before the first poll");
        take(&mut leads, 1);
        assert_eq!(line.asked.lock().unwrap().len(), begun);
        take(&mut leads, 9);
        assert_eq!(line.asked.lock().unwrap().len(), begun, "while the page is read no more is asked for");
        assert_eq!(leads.total(), Some(100));
        take(&mut leads, 90);
        assert!(matches!(once(leads.next()), Poll::Ready(None)));
        // Pages of ten overlap by one.
        assert_eq!(line.asked.lock().unwrap().len(), 11);
    }
}

#[test]
fn a_page_that_failed_is_asked_for_again() {
    for prefetch in [0, 1, 4] {
        let mut line = quiet(100);
        let mut leads = line.walk().page_size(10).prefetch(0).stream();
        take(&mut leads, 10);
        let position = leads.position();
        line.fails = 1;
        let mut leads = line.walk().page_size(10).prefetch(prefetch).resume(position.clone()).stream();
        line.asked.lock().unwrap().clear();
        for _ in 0..5 {
            assert!(matches!(once(leads.next()), Poll::Ready(Some(Err(_)))));
            assert_eq!(leads.position(), position);
            let asked = std::mem::take(&mut *line.asked.lock().unwrap());
            assert_eq!(asked.first(), Some(&Window::new(10, 9).unwrap()));
        }
    }
}

#[test]
fn the_next_page_is_on_its_way_while_the_caller_has_one() {
    let line = quiet(100);
    let mut pages = line.walk().page_size(10).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(page))) if page.len() == 10));
    assert_eq!(line.asked.lock().unwrap().len(), 2);
}

#[test]
fn a_request_that_takes_long_is_sent_once() {
    let line = Line { waits: 50, ..quiet(95) };
    for prefetch in [0, 1, 4] {
        by_leads(&line, &line.walk().page_size(10).prefetch(prefetch), 0);
        assert_eq!(std::mem::take(&mut *line.asked.lock().unwrap()).len(), 11);
        *line.model.lock().unwrap() = Model::new(95, Churn::Steady(0, 0), 1);
    }
}

#[test]
fn a_position_within_a_page_goes_on_there() {
    let line = quiet(100);
    let mut leads = line.walk().page_size(20).prefetch(0).stream();
    take(&mut leads, 7);
    let mut rest = line.walk().page_size(20).prefetch(0).resume(leads.position()).stream();
    take(&mut rest, 1);
    assert_eq!(line.asked.lock().unwrap().last(), Some(&Window::new(20, 6).unwrap()));
}

#[test]
fn a_position_at_the_end_gives_no_more() {
    let line = quiet(20);
    let mut pages = line.walk().page_size(10).prefetch(0).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(page))) if page.len() == 10));
    // Delete all leads that were not yielded yet, so that the last page is empty.
    line.model.lock().unwrap().delete(0, 10);
    assert!(matches!(once(pages.next()), Poll::Ready(None)));
    let mut rest = line.walk().resume(through_json(&pages.position())).stream();
    assert!(matches!(once(rest.next()), Poll::Ready(None)));
}

#[test]
fn its_requests_go_with_it() {
    let line = Line { waits: 50, ..quiet(1_000) };
    for _ in 0..20 {
        let mut leads = line.walk().page_size(10).prefetch(4).stream();
        while once(leads.next()).is_pending() {}
        assert!(matches!(once(leads.next()), Poll::Ready(Some(Ok(_)))));
        drop(leads);
        assert_eq!(line.under_way.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn after_a_fault_it_has_ended() {
    let fetch: Fetch = Arc::new(|query| {
        let rows = [(1, 1), (2, 2)].map(super::model::lead).into();
        Box::pin(std::future::ready(Ok(Page::new(rows, 100, query.window))))
    });
    let mut leads = Walk::new(fetch, LeadQuery::new()).stream();
    let Poll::Ready(Some(Err(error))) = once(leads.next()) else { panic!("{leads:?}") };
    assert!(error.to_string().starts_with("GET /leads: the leads are not in order"), "{error}");
    assert!(!error.is_retryable());
    assert_eq!(leads.size_hint(), (0, Some(0)));
    assert!(matches!(once(leads.next()), Poll::Ready(None)));
}

#[test]
fn a_fault_takes_the_guesses_with_it() {
    let line = Line { waits: 1_000, ..quiet(100) };
    let (first, guesses) = (Model::new(100, Churn::Steady(0, 0), 1), line.clone());
    let first = Arc::new(std::sync::Mutex::new(first));
    let fetch: Fetch = Arc::new(move |query| match query.window.offset() {
        offset @ (0 | 9) => {
            let mut page = first.lock().unwrap().answer(query.window);
            if offset == 9 {
                page.data.reverse();
            }
            Box::pin(std::future::ready(Ok(page)))
        }
        _ => (guesses.fetch())(query),
    });
    let mut pages = Walk::new(fetch, LeadQuery::new()).page_size(10).prefetch(3).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(_)))));
    assert_eq!(line.under_way.load(Ordering::Relaxed), 2);
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Err(_)))));
    assert_eq!(line.under_way.load(Ordering::Relaxed), 0);
    assert!(matches!(once(pages.next()), Poll::Ready(None)));
}

#[test]
fn a_position_is_small_and_says_its_version() {
    let line = quiet(1_000);
    let mut leads = line.walk().stream();
    take(&mut leads, 777);
    let written = serde_json::to_string(&leads.position()).unwrap();
    assert!(written.starts_with(r#"{"version":1,"last":["#) && written.len() < 150, "{written}");
    let later = written.replace(r#""version":1"#, r#""version":2"#);
    let error = serde_json::from_str::<Position>(&later).unwrap_err();
    assert_eq!(error.to_string(), "this is version 2 of a position, and only 1 can be read");
    let wild = r#"{"version":1,"last":null,"rank":18446744073709551615,"total":18446744073709551615}"#;
    let mut leads = line.walk().resume(serde_json::from_str(wild).unwrap()).stream();
    take(&mut leads, 1_000);
}

#[test]
fn streams_can_be_sent_to_other_threads() {
    fn sendable<T: Send + Unpin>(_: &T) {}
    sendable(&quiet(1).walk().stream());
    sendable(&quiet(1).walk().pages());
    sendable(&quiet(1).walk());
}

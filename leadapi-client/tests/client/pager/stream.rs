//! Tests of streams over the model, with requests that wait, fail or are dropped.

use std::{sync::atomic::Ordering, task::Poll};

use bytes::Bytes;
use futures_core::Stream;
use http::{Request, Response};
use leadapi_client::{
    model::{Page, Window},
    pager::{LeadPager, LeadStream, Position},
    transport::{Transport, TransportError},
};
use proptest::prelude::*;

use super::{
    model::{Churn, Model, lead},
    unreliable::{Answers, UnreliableService, once, pager, response, window},
};

/// Serializes and parses a position, as if another process resumed it.
fn through_json(position: &Position) -> Position {
    serde_json::from_str(&serde_json::to_string(position).unwrap()).unwrap()
}

/// Reads to the end, dropping every future after one poll. On average, one in `resumes` iterations resumes from the
/// current position in a new stream.
fn by_leads(service: &UnreliableService, prefetch: usize, size: u32, resumes: usize) {
    let pager = service.pager().page_size(size).prefetch(prefetch);
    let mut leads = pager.clone().stream();
    let mut certain = 0;
    loop {
        if service.one_in(resumes) {
            leads = pager.clone().resume(through_json(&leads.position())).stream();
            certain = 0;
        }
        let hint = leads.size_hint();
        assert!(hint.0 >= certain, "{certain} leads were certain, but the hint is {hint:?}");
        match once(leads.next()) {
            Poll::Pending => assert_eq!(hint.0, 0, "a buffered lead is ready immediately"),
            Poll::Ready(Some(Ok(lead))) => {
                service.model.lock().unwrap().record(&lead);
                certain = hint.0.saturating_sub(1);
                assert_ne!(hint.1, Some(0));
            }
            Poll::Ready(Some(Err(error))) => assert!(error.to_string().contains("could not be sent"), "{error}"),
            Poll::Ready(None) => {
                assert_eq!(leads.size_hint(), (0, Some(0)));
                assert_eq!(service.in_flight.load(Ordering::Relaxed), 0, "{leads:?}");
                assert!(matches!(once(leads.next()), Poll::Ready(None)), "the stream has ended");
                return;
            }
        }
        assert!(service.in_flight.load(Ordering::Relaxed) <= prefetch + 1, "{leads:?}");
        assert!(service.model.lock().unwrap().requests < 50_000, "{leads:?}");
    }
}

fn by_pages(service: &UnreliableService, list: &LeadPager, resumes: usize) {
    let mut pages = list.clone().pages();
    loop {
        if service.one_in(resumes) {
            pages = list.clone().resume(through_json(&pages.position())).pages();
        }
        match once(pages.next()) {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(page))) => {
                assert!(!page.is_empty());
                for lead in &page {
                    service.model.lock().unwrap().record(lead);
                }
            }
            Poll::Ready(Some(Err(error))) => assert!(error.to_string().contains("could not be sent"), "{error}"),
            Poll::Ready(None) => return assert_eq!(pages.size_hint(), (0, Some(0))),
        }
        assert!(service.model.lock().unwrap().requests < 50_000, "{pages:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_lead_is_missed_or_repeated_over_a_bad_connection(
        leads in 0_usize..300, most in 1_usize..60, size in 1_u32..40, prefetch in 0_usize..6, fails in 0_usize..12,
        waits in 0_usize..6, resumes in 0_usize..40, whole_pages: bool, seed: u64,
    ) {
        // If every request failed, the iteration would never end.
        let fails = if fails == 1 { 0 } else { fails };
        let service = UnreliableService::new(Model::new(leads, Churn::Wild(most), seed), fails, waits);
        // If every iteration resumed, the iteration would never end.
        let resumes = if resumes == 1 { 0 } else { resumes };
        if whole_pages {
            by_pages(&service, &service.pager().page_size(size).prefetch(prefetch), resumes);
        } else {
            by_leads(&service, prefetch, size, resumes);
        }
        prop_assert_eq!(service.model.lock().unwrap().missed_and_repeated(), (0, 0));
        prop_assert_eq!(service.in_flight.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn prefetching_reads_each_of_100_000_leads_once() {
    for prefetch in [1, 8] {
        for (created, deleted) in [(0, 0), (5, 5), (0, 50), (50, 0), (100, 100)] {
            let service = UnreliableService::new(Model::new(100_000, Churn::Steady(created, deleted), 7), 0, 3);
            by_leads(&service, prefetch, 200, 0);
            let model = service.model.lock().unwrap();
            println!("prefetch {prefetch}, created {created}, deleted {deleted}: {} requests", model.requests);
            assert_eq!(model.missed_and_repeated(), (0, 0));
            assert!(model.requests < 640, "too many wrong guesses: {} requests", model.requests);
        }
    }
}

fn take(leads: &mut LeadStream, count: usize) {
    for _ in 0..count {
        assert!(matches!(once(leads.next()), Poll::Ready(Some(Ok(_)))));
    }
}

#[test]
fn the_stream_prefetches_the_configured_number_of_pages() {
    for (prefetch, begun) in [(0, 1), (1, 2), (3, 4)] {
        let service = UnreliableService::quiet(100);
        let mut leads = service.pager().page_size(10).prefetch(prefetch).stream();
        assert!(service.requested.lock().unwrap().is_empty(), "no request before the first poll");
        take(&mut leads, 1);
        assert_eq!(service.requested.lock().unwrap().len(), begun);
        take(&mut leads, 9);
        assert_eq!(service.requested.lock().unwrap().len(), begun, "no further request while the page is consumed");
        assert_eq!(leads.total(), Some(100));
        take(&mut leads, 90);
        assert!(matches!(once(leads.next()), Poll::Ready(None)));
        // Pages of ten rows overlap by one row.
        assert_eq!(service.requested.lock().unwrap().len(), 11);
    }
}

#[test]
fn a_failed_page_is_requested_again() {
    for prefetch in [0, 1, 4] {
        let mut service = UnreliableService::quiet(100);
        let mut leads = service.pager().page_size(10).prefetch(0).stream();
        take(&mut leads, 10);
        let position = leads.position();
        service.fails = 1;
        let mut leads = service.pager().page_size(10).prefetch(prefetch).resume(position.clone()).stream();
        service.requested.lock().unwrap().clear();
        for _ in 0..5 {
            assert!(matches!(once(leads.next()), Poll::Ready(Some(Err(_)))));
            assert_eq!(leads.position(), position);
            let requested = std::mem::take(&mut *service.requested.lock().unwrap());
            assert_eq!(requested.first(), Some(&Window::new(10, 9).unwrap()));
        }
    }
}

#[test]
fn the_next_page_is_in_flight_while_the_caller_processes_one() {
    let service = UnreliableService::quiet(100);
    let mut pages = service.pager().page_size(10).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(page))) if page.len() == 10));
    assert_eq!(service.requested.lock().unwrap().len(), 2);
}

#[test]
fn a_slow_request_is_sent_once() {
    let service = UnreliableService { waits: 50, ..UnreliableService::quiet(95) };
    for prefetch in [0, 1, 4] {
        by_leads(&service, prefetch, 10, 0);
        assert_eq!(std::mem::take(&mut *service.requested.lock().unwrap()).len(), 11);
        *service.model.lock().unwrap() = Model::new(95, Churn::Steady(0, 0), 1);
    }
}

#[test]
fn a_position_within_a_page_resumes_there() {
    let service = UnreliableService::quiet(100);
    let mut leads = service.pager().page_size(20).prefetch(0).stream();
    take(&mut leads, 7);
    let mut rest = service.pager().page_size(20).prefetch(0).resume(leads.position()).stream();
    take(&mut rest, 1);
    assert_eq!(service.requested.lock().unwrap().last(), Some(&Window::new(20, 6).unwrap()));
}

#[test]
fn a_position_at_the_end_yields_nothing() {
    let service = UnreliableService::quiet(20);
    let mut pages = service.pager().page_size(10).prefetch(0).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(page))) if page.len() == 10));
    // Delete all leads that were not yielded yet, so the last page is empty.
    service.model.lock().unwrap().delete(0, 10);
    assert!(matches!(once(pages.next()), Poll::Ready(None)));
    let mut rest = service.pager().resume(through_json(&pages.position())).stream();
    assert!(matches!(once(rest.next()), Poll::Ready(None)));
}

#[test]
fn dropping_the_stream_cancels_its_requests() {
    let service = UnreliableService { waits: 50, ..UnreliableService::quiet(1_000) };
    for _ in 0..20 {
        let mut leads = service.pager().page_size(10).prefetch(4).stream();
        while once(leads.next()).is_pending() {}
        assert!(matches!(once(leads.next()), Poll::Ready(Some(Ok(_)))));
        drop(leads);
        assert_eq!(service.in_flight.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn the_stream_ends_after_a_paging_error() {
    let mut leads = pager(Answers::new(|window| Page::new([(1, 1), (2, 2)].map(lead).into(), 100, window))).stream();
    let Poll::Ready(Some(Err(error))) = once(leads.next()) else { panic!("{leads:?}") };
    assert!(error.to_string().starts_with("GET /leads: the leads are not sorted"), "{error}");
    assert!(!error.is_retryable());
    assert_eq!(leads.size_hint(), (0, Some(0)));
    assert!(matches!(once(leads.next()), Poll::Ready(None)));
}

/// Answers requests for the first two pages immediately, and other requests only after many polls. The second page is
/// in the wrong order.
struct SecondUnsorted(UnreliableService);

#[async_trait::async_trait]
impl Transport for SecondUnsorted {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let window = window(request.uri());
        let offset @ (0 | 9) = window.offset() else { return self.0.send(request).await };
        let mut page = self.0.model.lock().unwrap().respond(window);
        if offset == 9 {
            page.data.reverse();
        }
        Ok(response(&page))
    }
}

#[test]
fn a_paging_error_cancels_prefetched_requests() {
    let service = UnreliableService { waits: 1_000, ..UnreliableService::quiet(100) };
    let mut pages = pager(SecondUnsorted(service.clone())).page_size(10).prefetch(3).pages();
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Ok(_)))));
    assert_eq!(service.in_flight.load(Ordering::Relaxed), 2);
    assert!(matches!(once(pages.next()), Poll::Ready(Some(Err(_)))));
    assert_eq!(service.in_flight.load(Ordering::Relaxed), 0);
    assert!(matches!(once(pages.next()), Poll::Ready(None)));
}

#[test]
fn a_position_is_small_and_has_a_version() {
    let service = UnreliableService::quiet(1_000);
    let mut leads = service.pager().stream();
    take(&mut leads, 777);
    let saved = serde_json::to_string(&leads.position()).unwrap();
    assert!(saved.starts_with(r#"{"version":1,"last":["#) && saved.len() < 150, "{saved}");
    let later = saved.replace(r#""version":1"#, r#""version":2"#);
    let error = serde_json::from_str::<Position>(&later).unwrap_err();
    assert_eq!(error.to_string(), "unsupported position version 2 (supported: 1)");
    let absurd = r#"{"version":1,"last":null,"rank":18446744073709551615,"total":18446744073709551615}"#;
    let mut leads = service.pager().resume(serde_json::from_str(absurd).unwrap()).stream();
    take(&mut leads, 1_000);
}

#[test]
fn streams_are_send_and_unpin() {
    fn is_send_and_unpin<T: Send + Unpin>(_: &T) {}
    is_send_and_unpin(&UnreliableService::quiet(1).pager().stream());
    is_send_and_unpin(&UnreliableService::quiet(1).pager().pages());
    is_send_and_unpin(&UnreliableService::quiet(1).pager());
}

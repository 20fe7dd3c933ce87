//! Imports whose requests and responses get lost, and imports that are interrupted.

use std::{
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll, Waker},
};

use futures_core::Stream;
use leadapi_client::RetryPolicy;

use super::{
    each_once, patient, rows,
    world::{Fault, Woken, World, world},
};

fn every_kind(number: u64) -> Fault {
    match number % 11 {
        1 => Fault::NotSent,
        3 => Fault::RequestLost,
        5 => Fault::AnswerLost,
        7 => Fault::ServerError,
        9 => Fault::BadGatewayAfterwards,
        _ => Fault::None,
    }
}

#[test]
fn whatever_gets_lost_each_row_is_one_lead() {
    let world = World { fault: every_kind, ..world() };
    let mut creates = world.client().leads().create_many(rows(300)).retry(patient());
    let (results, stopped) = world.all(&mut creates);
    assert_eq!((results.len(), stopped), (300, None));
    let progress = creates.progress();
    assert_eq!((progress.succeeded(), progress.finished()), (300, 300), "{progress:?}");
    assert!(progress.replayed > 10, "those whose answer was lost");
    assert_eq!(world.leads(), each_once(300));
}

#[test]
fn what_is_not_in_is_told_and_is_in_after_another_run() {
    let world = World { fault: every_kind, ..world() };
    let run = |retry| {
        let mut creates = world.client().leads().create_many(rows(100)).named("import-7").unwrap().retry(retry);
        assert_eq!(world.all(&mut creates).1, None);
        creates.progress()
    };
    let first = run(RetryPolicy::none());
    assert!(first.failed > 5 && first.unknown > 15 && first.refused == 0, "{first:?}");
    let second = run(patient());
    assert_eq!(second.succeeded(), 100);
    assert!(second.replayed >= first.created, "{second:?}");
    assert_eq!(world.leads(), each_once(100));
}

#[test]
fn a_run_that_breaks_off_is_made_again() {
    for until in [0, 1, 7, 8, 20, 39, 40] {
        let world = World { fault: every_kind, ..world() };
        let mut first = world.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(patient());
        for _ in 0..until {
            world.run(first.next()).unwrap().unwrap();
        }
        drop(first);
        let mut second = world.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(patient());
        world.all(&mut second);
        assert_eq!(second.progress().succeeded(), 40, "after {until}");
        assert!(second.progress().replayed >= until, "after {until}: {:?}", second.progress());
        assert_eq!(world.leads(), each_once(40), "after {until}");
    }
}

#[test]
fn dropped_at_any_poll_it_loses_and_doubles_nothing() {
    for in_order in [false, true] {
        let mut whole = false;
        for until in 0.. {
            let world = World { fault: every_kind, polls: |body| body.len() % 3, ..world() };
            let creates = world.client().leads().create_many(rows(20)).named("import-7").unwrap().in_flight(4);
            let mut first = if in_order { creates.in_order() } else { creates };
            let waker = Waker::from(Arc::new(Woken::default()));
            for _ in 0..until {
                match Pin::new(&mut first).poll_next(&mut Context::from_waker(&waker)) {
                    Poll::Ready(None) => whole = true,
                    Poll::Ready(Some(result)) => _ = result.unwrap(),
                    Poll::Pending => _ = world.clock.leap(),
                }
            }
            drop(first);
            assert_eq!(world.seen.under_way.load(Ordering::Relaxed), 0, "all are cancelled");
            let before: usize = world.leads().values().sum();
            let mut second = world.client().leads().create_many(rows(20)).named("import-7").unwrap().retry(patient());
            world.all(&mut second);
            assert_eq!(world.leads(), each_once(20), "at poll {until}");
            assert_eq!(second.progress().succeeded(), 20, "at poll {until}");
            assert!(second.progress().replayed >= before as u64, "at poll {until}");
            if whole {
                assert!(until > 20, "{until} polls");
                break;
            }
        }
    }
}

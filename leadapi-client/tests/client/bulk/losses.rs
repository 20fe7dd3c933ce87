//! Tests of imports that lose requests and responses, and of imports that are interrupted.

use std::{
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll, Waker},
};

use futures_core::Stream;
use leadapi_client::RetryPolicy;

use super::{
    each_once, many_attempts, rows,
    simulation::{Fault, Simulation, Woken, simulation},
};

fn every_kind(number: u64) -> Fault {
    match number % 11 {
        1 => Fault::NotSent,
        3 => Fault::RequestLost,
        5 => Fault::ResponseLost,
        7 => Fault::ServerError,
        9 => Fault::BadGatewayAfterwards,
        _ => Fault::None,
    }
}

#[test]
fn each_row_becomes_one_lead_despite_losses() {
    let simulation = Simulation { fault: every_kind, ..simulation() };
    let mut creates = simulation.client().leads().create_many(rows(300)).retry(many_attempts());
    let (results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!((results.len(), stopped), (300, None));
    let progress = creates.progress();
    assert_eq!((progress.succeeded(), progress.finished()), (300, 300), "{progress:?}");
    assert!(progress.replayed > 10, "rows must be replayed after a lost response");
    assert_eq!(simulation.leads(), each_once(300));
}

#[test]
fn failed_rows_succeed_in_a_second_run() {
    let simulation = Simulation { fault: every_kind, ..simulation() };
    let run = |retry| {
        let mut creates = simulation.client().leads().create_many(rows(100)).named("import-7").unwrap().retry(retry);
        assert_eq!(simulation.run_to_end(&mut creates).1, None);
        creates.progress()
    };
    let first = run(RetryPolicy::none());
    assert!(first.failed > 5 && first.unknown > 15 && first.refused == 0, "{first:?}");
    let second = run(many_attempts());
    assert_eq!(second.succeeded(), 100);
    assert!(second.replayed >= first.created, "{second:?}");
    assert_eq!(simulation.leads(), each_once(100));
}

#[test]
fn an_interrupted_run_can_be_repeated() {
    for until in [0, 1, 7, 8, 20, 39, 40] {
        let simulation = Simulation { fault: every_kind, ..simulation() };
        let mut first =
            simulation.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(many_attempts());
        for _ in 0..until {
            simulation.run(first.next()).unwrap().unwrap();
        }
        drop(first);
        let mut second =
            simulation.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(many_attempts());
        simulation.run_to_end(&mut second);
        assert_eq!(second.progress().succeeded(), 40, "after {until}");
        assert!(second.progress().replayed >= until, "after {until}: {:?}", second.progress());
        assert_eq!(simulation.leads(), each_once(40), "after {until}");
    }
}

#[test]
fn dropping_the_stream_at_any_poll_loses_and_duplicates_no_row() {
    for in_order in [false, true] {
        let mut whole = false;
        for until in 0.. {
            let simulation = Simulation { fault: every_kind, polls: |body| body.len() % 3, ..simulation() };
            let creates = simulation.client().leads().create_many(rows(20)).named("import-7").unwrap().in_flight(4);
            let mut first = if in_order { creates.in_order() } else { creates };
            let waker = Waker::from(Arc::new(Woken::default()));
            for _ in 0..until {
                match Pin::new(&mut first).poll_next(&mut Context::from_waker(&waker)) {
                    Poll::Ready(None) => whole = true,
                    Poll::Ready(Some(result)) => _ = result.unwrap(),
                    Poll::Pending => _ = simulation.clock.advance_to_next(),
                }
            }
            drop(first);
            assert_eq!(simulation.seen.in_flight.load(Ordering::Relaxed), 0, "all requests are cancelled");
            let before: usize = simulation.leads().values().sum();
            let mut second =
                simulation.client().leads().create_many(rows(20)).named("import-7").unwrap().retry(many_attempts());
            simulation.run_to_end(&mut second);
            assert_eq!(simulation.leads(), each_once(20), "at poll {until}");
            assert_eq!(second.progress().succeeded(), 20, "at poll {until}");
            assert!(second.progress().replayed >= before as u64, "at poll {until}");
            if whole {
                assert!(until > 20, "{until} polls");
                break;
            }
        }
    }
}

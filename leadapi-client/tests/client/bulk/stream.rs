//! Tests of the result stream: its order, its limits and its rate.

use std::{
    collections::BTreeSet,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_core::Stream;
use leadapi_client::{Pacing, auth::Scopes, bulk::CreateMany, model::NewLead, timer::Timer};

use super::{
    counts, each_once, indices, row, rows,
    simulation::{Simulation, Woken, simulation, simulation_with},
};

#[test]
fn a_result_has_the_index_the_key_and_the_row() {
    let simulation = simulation();
    let rows = rows(30);
    let client = simulation.client();
    let mut creates = client.leads().create_many(&rows).named("import-7").unwrap();
    let (mut results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!((stopped, counts(creates.progress())), (None, [30, 0, 0, 0, 0]));
    results.sort_by_key(|result| result.index);
    for (at, result) in results.iter().enumerate() {
        assert_eq!(result.index, at as u64);
        assert!(std::ptr::eq(result.row, &raw const rows[at]));
        assert_eq!(result.key.as_str(), format!("import-7/row-{at}"));
        assert_eq!(Some(&result.outcome.as_ref().unwrap().name), rows[at].name.as_ref());
        assert!(!result.replayed);
    }
    assert_eq!(results.len(), 30);
    assert_eq!(simulation.leads(), each_once(30));
}

/// Returns a number of polls that is smaller for later rows, so that the service answers them sooner.
fn the_last_first(body: &str) -> usize {
    let number: String = body.chars().skip_while(|c| *c != 'R').filter(char::is_ascii_digit).collect();
    100 - number.parse::<usize>().unwrap()
}

#[test]
fn results_come_in_completion_order_or_in_input_order() {
    let simulation = Simulation { polls: the_last_first, ..simulation() };
    let mut creates = simulation.client().leads().create_many(rows(20)).in_flight(5);
    let as_they_end = indices(&simulation.run_to_end(&mut creates).0);
    assert_eq!(as_they_end[..2], [4, 3], "{as_they_end:?}");
    assert_eq!(as_they_end.iter().copied().collect::<BTreeSet<_>>(), (0..20).collect());

    let mut creates = simulation.client().leads().create_many(rows(20)).in_flight(5).in_order();
    assert_eq!(indices(&simulation.run_to_end(&mut creates).0), (0..20).collect::<Vec<_>>());
}

#[test]
fn rows_are_taken_only_up_to_the_limit() {
    for in_order in [false, true] {
        for (requested, in_flight) in [(0, 1), (1, 1), (8, 8), (64, 64), (10_000, 64)] {
            let simulation = Simulation { polls: |_| 100, ..simulation() };
            let taken = AtomicU64::new(0);
            let endless = (0..).map(row).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed));
            let creates = simulation.client().leads().create_many(endless).in_flight(requested);
            let mut creates = if in_order { creates.in_order() } else { creates };
            assert_eq!(taken.load(Ordering::Relaxed), 0);
            for returned in 0..300 {
                simulation.run(creates.next()).unwrap().unwrap().outcome.unwrap();
                let taken = taken.load(Ordering::Relaxed);
                assert!(
                    (returned + 1..=returned + in_flight).contains(&taken),
                    "{taken} taken, {returned} returned before"
                );
            }
            assert_eq!(simulation.seen.max_in_flight.load(Ordering::Relaxed) as u64, in_flight);
        }
    }
}

#[test]
fn the_default_limit_is_eight_rows_in_flight() {
    let simulation = simulation();
    simulation.run_to_end(&mut simulation.client().leads().create_many(rows(50)));
    assert_eq!(simulation.seen.max_in_flight.load(Ordering::Relaxed), 8);
}

#[test]
fn rows_wait_for_the_rate_limit_up_to_their_timeout() {
    let paced = Simulation { pacing: Pacing::default(), ..simulation_with(Scopes::Both, 60) };
    let mut creates = paced.client().leads().create_many(rows(600));
    let (results, _) = paced.run_to_end(&mut creates);
    assert_eq!(creates.progress().created, 600);
    assert_eq!(paced.seen.requests.load(Ordering::Relaxed), 600, "no request was refused");
    assert!((540..600).contains(&paced.clock.now().as_secs()), "{:?}", paced.clock.now());
    drop(results);

    // Simulates other programs that use up the token's rate limit, except for one request per 60 s. The last rows then
    // wait longer than a call's default timeout.
    let slow = simulation_with(Scopes::Both, 1);
    let mut creates = slow.client().leads().create_many(rows(12));
    assert_eq!(slow.run_to_end(&mut creates).1, None);
    assert_eq!(creates.progress().created, 12, "{:?}", creates.progress());
    assert!(slow.clock.now() > Duration::from_secs(600));

    let mut creates = slow.client().leads().create_many(rows(12)).timeout(Duration::from_secs(100));
    slow.run_to_end(&mut creates);
    assert!(creates.progress().failed > 5, "{:?}", creates.progress());
}

/// A stream of rows that the test provides.
#[derive(Clone, Default)]
struct RowQueue(Arc<Mutex<(Vec<NewLead>, bool)>>);

impl Stream for RowQueue {
    type Item = NewLead;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<NewLead>> {
        let mut state = self.0.lock().unwrap();
        match state.0.pop() {
            Some(row) => Poll::Ready(Some(row)),
            None if state.1 => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

#[test]
fn a_result_is_returned_while_the_row_stream_is_pending() {
    let simulation = simulation();
    let queue = RowQueue::default();
    let mut creates = simulation.client().leads().create_many_from(queue.clone());
    let waker = Waker::from(Arc::new(Woken::default()));
    let mut poll = || Pin::new(&mut creates).poll_next(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    queue.0.lock().unwrap().0.push(row(0));
    let result = std::iter::repeat_with(&mut poll).take(10).find_map(|polled| match polled {
        Poll::Ready(result) => result,
        Poll::Pending => None,
    });
    assert_eq!(result.unwrap().unwrap().index, 0);
    assert!(poll().is_pending());
    queue.0.lock().unwrap().1 = true;
    assert!(matches!(poll(), Poll::Ready(None)));
}

#[test]
fn the_stream_is_send_and_unpin_and_its_debug_output_has_no_rows() {
    struct Job {
        creates: CreateMany<'static, NewLead>,
    }
    fn is_send_and_unpin<T: Send + Unpin>(_: &T) {}

    let simulation = simulation();
    let job = Job { creates: simulation.client().leads().create_many(rows(3)) };
    is_send_and_unpin(&job.creates);
    let debug = format!("{:?}", job.creates);
    assert!(debug.contains("CreateMany") && !debug.contains("Row"), "{debug}");
}

//! Failures of single rows, and failures that stop an import.

use std::sync::atomic::{AtomicU64, Ordering};

use leadapi_client::{
    Client, Error, RetryPolicy,
    auth::Scopes,
    bulk::{Progress, StopReason},
    id::ClientId,
    model::NewLead,
};

use super::{
    counts, row, rows,
    world::{Fault, World, world, world_with},
};
use crate::support;

#[test]
fn a_row_that_is_refused_stops_no_other() {
    let world = world();
    let stranger = ClientId::parse("not-ours").unwrap();
    let mut mixed = rows(20);
    mixed[3] = NewLead::new(&support::casa_verde(), " ");
    mixed[5] = NewLead::new(&stranger, "Ann");
    mixed[7].stage_id = Some("no-stage".into());
    mixed[9].value = Some(f64::NAN);
    let mut creates = world.client().leads().create_many(mixed).in_order();
    let (results, stopped) = world.all(&mut creates);
    assert_eq!((stopped, counts(creates.progress())), (None, [16, 0, 4, 0, 0]));
    assert_eq!(world.seen.requests.load(Ordering::Relaxed), 18, "two never left");
    for (index, text) in [(3, "name"), (5, "client_id"), (7, "stage_id"), (9, "value")] {
        let error = results[index].outcome.as_ref().unwrap_err();
        assert!(error.message().starts_with(text), "{error}");
    }
}

fn stopped_at(world: &World, client: &Client) -> (Progress, StopReason, String) {
    let taken = AtomicU64::new(0);
    let many = (0..1_000).map(row).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed));
    let mut creates = client.leads().create_many(many);
    let (results, stopped) = world.all(&mut creates);
    let stopped = stopped.unwrap();
    assert_eq!(results.len() as u64, taken.load(Ordering::Relaxed), "each that was taken is results");
    let cause = results.iter().find(|result| result.index == stopped.index()).unwrap();
    assert_eq!(cause.outcome.as_ref().unwrap_err().to_string(), stopped.message());
    (creates.progress(), stopped.reason(), stopped.to_string())
}

#[test]
fn what_would_meet_every_row_ends_it() {
    let every = StopReason::EveryRow;
    let world = world();
    let (progress, reason, text) = stopped_at(&world, &world.client_at("http://in-process/v1", "pak_0123"));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.starts_with("the import stopped at row 0, because the error affects every row: POST /leads: 401 "));

    let (progress, reason, _) = stopped_at(&world, &world.client_at("http://in-process/v2", world.token.clone()));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every), "an address that is not the API's");

    let reader = world_with(Scopes::Read, 60);
    let (progress, reason, text) = stopped_at(&reader, &reader.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.contains("403 Forbidden") && text.contains("write"), "{text}");

    let broken = World { fault: |_| Fault::ForGood, ..self::world() };
    let (progress, reason, _) = stopped_at(&broken, &broken.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
}

#[test]
fn a_token_that_goes_bad_ends_it_half_way() {
    let world = world();
    let client = world.client();
    let mut creates = client.leads().create_many((0..).map(row)).named("import-7").unwrap().in_flight(4);
    for _ in 0..30 {
        world.run(creates.next()).unwrap().unwrap().outcome.unwrap();
    }
    // As if the token had been revoked: the next rows reach a service that does not know it.
    let (stranger, _) = support::service();
    let other = World { service: stranger, ..self::world() };
    let mut rest = other.client_at("http://in-process/v1", world.token.clone()).leads().create_many(rows(100));
    let (results, stopped) = other.all(&mut rest);
    assert_eq!((results.len(), stopped.unwrap().index()), (8, 0));
}

#[test]
fn a_service_that_is_out_of_reach_ends_it() {
    let world = World { fault: |_| Fault::NotSent, ..world() };
    let (progress, reason, _) = stopped_at(&world, &world.client());
    assert_eq!(reason, StopReason::ServiceUnavailable);
    assert!((16..=24).contains(&progress.failed), "{progress:?}");
    let world = World { fault: |_| Fault::ServerError, ..self::world() };
    let (progress, reason, _) = stopped_at(&world, &world.client());
    assert_eq!(reason, StopReason::ServiceUnavailable);
    assert!((16..=24).contains(&progress.unknown), "{progress:?}");
}

#[test]
fn failures_among_successes_do_not() {
    // One in 16 requests succeeds, so the run of failures stays below the limit of 16. Nothing is retried.
    let world = World { fault: |number| if number % 16 == 15 { Fault::None } else { Fault::ServerError }, ..world() };
    let client = world.client();
    let mut creates = client.leads().create_many(rows(160)).retry(RetryPolicy::none());
    let (results, stopped) = world.all(&mut creates);
    assert_eq!((results.len(), stopped, creates.progress().created), (160, None, 10));
}

#[test]
fn a_few_failures_are_no_outage_even_one_by_one() {
    let world = World { fault: |number| if number % 10 == 9 { Fault::None } else { Fault::ServerError }, ..world() };
    let client = world.client();
    let mut creates = client.leads().create_many(rows(50)).retry(RetryPolicy::none()).in_flight(1);
    assert_eq!(world.all(&mut creates).1, None);
    assert_eq!(counts(creates.progress()), [5, 0, 0, 0, 45]);
}

#[test]
fn a_rate_that_is_used_up_is_not_the_rows_fault() {
    let world = world_with(Scopes::Both, 3);
    let mut creates = world.client().leads().create_many(rows(100)).retry(RetryPolicy::none());
    let (results, stopped) = world.all(&mut creates);
    let progress = creates.progress();
    // After a 429 the client delays the rows behind it, so that they are not refused.
    assert_eq!((results.len(), progress.refused, progress.created + progress.failed), (100, 0, 100));
    assert!(progress.created > 3 && stopped.is_none(), "{progress:?}, {stopped:?}");
}

#[test]
fn rows_that_break_rules_do_not_hide_an_outage() {
    let world = World { fault: |_| Fault::NotSent, ..world() };
    let mixed = (0..1_000).map(|at| if at % 2 == 0 { row(at) } else { NewLead::default() });
    let mut creates = world.client().leads().create_many(mixed).retry(RetryPolicy::none());
    let (results, stopped) = world.all(&mut creates);
    assert_eq!(stopped.unwrap().reason(), StopReason::ServiceUnavailable);
    assert!(results.len() < 50, "{}", results.len());
}

#[test]
fn the_caller_may_stop_at_more() {
    let world = world();
    let not_ours = ClientId::parse("not-ours").unwrap();
    let all_not_ours = (0..1_000).map(|_| NewLead::new(&not_ours, "Ann"));
    let mut creates = world.client().leads().create_many(all_not_ours).in_flight(1).stop_on(Error::is_forbidden);
    let (results, stopped) = world.all(&mut creates);
    assert_eq!((results.len(), stopped.unwrap().reason()), (1, StopReason::Condition));
}

//! Tests of failures of individual rows, and of failures that stop an import.

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
    simulation::{Fault, Simulation, simulation, simulation_with},
};
use crate::support;

#[test]
fn a_refused_row_does_not_stop_the_others() {
    let simulation = simulation();
    let stranger = ClientId::parse("not-ours").unwrap();
    let mut mixed = rows(20);
    mixed[3] = NewLead::new(&support::casa_verde(), " ");
    mixed[5] = NewLead::new(&stranger, "Ann");
    mixed[7].stage_id = Some("no-stage".into());
    mixed[9].value = Some(f64::NAN);
    let mut creates = simulation.client().leads().create_many(mixed).in_order();
    let (results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!((stopped, counts(creates.progress())), (None, [16, 0, 4, 0, 0]));
    assert_eq!(simulation.seen.requests.load(Ordering::Relaxed), 18, "two rows were not sent");
    for (index, text) in [(3, "name"), (5, "client_id"), (7, "stage_id"), (9, "value")] {
        let error = results[index].outcome.as_ref().unwrap_err();
        assert!(error.message().starts_with(text), "{error}");
    }
}

fn stopped_at(simulation: &Simulation, client: &Client) -> (Progress, StopReason, String) {
    let taken = AtomicU64::new(0);
    let many = (0..1_000).map(row).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed));
    let mut creates = client.leads().create_many(many);
    let (results, stopped) = simulation.run_to_end(&mut creates);
    let stopped = stopped.unwrap();
    assert_eq!(results.len() as u64, taken.load(Ordering::Relaxed), "every row that was taken has a result");
    let cause = results.iter().find(|result| result.index == stopped.index()).unwrap();
    assert_eq!(cause.outcome.as_ref().unwrap_err().to_string(), stopped.message());
    (creates.progress(), stopped.reason(), stopped.to_string())
}

#[test]
fn an_error_that_affects_every_row_stops_the_import() {
    let every = StopReason::EveryRow;
    let simulation = simulation();
    let (progress, reason, text) = stopped_at(&simulation, &simulation.client_at("http://in-process/v1", "pak_0123"));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.starts_with("the import stopped at row 0, because the error affects every row: POST /leads: 401 "));

    let (progress, reason, _) =
        stopped_at(&simulation, &simulation.client_at("http://in-process/v2", simulation.token.clone()));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every), "a base URL that is not the API's");

    let reader = simulation_with(Scopes::Read, 60);
    let (progress, reason, text) = stopped_at(&reader, &reader.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.contains("403 Forbidden") && text.contains("write"), "{text}");

    let broken = Simulation { fault: |_| Fault::Permanent, ..self::simulation() };
    let (progress, reason, _) = stopped_at(&broken, &broken.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
}

#[test]
fn a_token_that_becomes_invalid_stops_the_import() {
    let simulation = simulation();
    let client = simulation.client();
    let mut creates = client.leads().create_many((0..).map(row)).named("import-7").unwrap().in_flight(4);
    for _ in 0..30 {
        simulation.run(creates.next()).unwrap().unwrap().outcome.unwrap();
    }
    // Simulates a revoked token: the next rows reach a service that does not know the token.
    let (stranger, _) = support::service();
    let other = Simulation { service: stranger, ..self::simulation() };
    let mut rest = other.client_at("http://in-process/v1", simulation.token.clone()).leads().create_many(rows(100));
    let (results, stopped) = other.run_to_end(&mut rest);
    assert_eq!((results.len(), stopped.unwrap().index()), (8, 0));
}

#[test]
fn an_unavailable_service_stops_the_import() {
    let simulation = Simulation { fault: |_| Fault::NotSent, ..simulation() };
    let (progress, reason, _) = stopped_at(&simulation, &simulation.client());
    assert_eq!(reason, StopReason::ServiceUnavailable);
    assert!((16..=24).contains(&progress.failed), "{progress:?}");
    let simulation = Simulation { fault: |_| Fault::ServerError, ..self::simulation() };
    let (progress, reason, _) = stopped_at(&simulation, &simulation.client());
    assert_eq!(reason, StopReason::ServiceUnavailable);
    assert!((16..=24).contains(&progress.unknown), "{progress:?}");
}

#[test]
fn failures_among_successes_do_not_stop_the_import() {
    // One in 16 requests succeeds, so the number of consecutive failures stays below the limit of 16. Nothing is
    // retried.
    let simulation =
        Simulation { fault: |number| if number % 16 == 15 { Fault::None } else { Fault::ServerError }, ..simulation() };
    let client = simulation.client();
    let mut creates = client.leads().create_many(rows(160)).retry(RetryPolicy::none());
    let (results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!((results.len(), stopped, creates.progress().created), (160, None, 10));
}

#[test]
fn fewer_than_ten_consecutive_failures_do_not_stop_the_import() {
    let simulation =
        Simulation { fault: |number| if number % 10 == 9 { Fault::None } else { Fault::ServerError }, ..simulation() };
    let client = simulation.client();
    let mut creates = client.leads().create_many(rows(50)).retry(RetryPolicy::none()).in_flight(1);
    assert_eq!(simulation.run_to_end(&mut creates).1, None);
    assert_eq!(counts(creates.progress()), [5, 0, 0, 0, 45]);
}

#[test]
fn a_rate_limited_row_is_not_refused() {
    let simulation = simulation_with(Scopes::Both, 3);
    let mut creates = simulation.client().leads().create_many(rows(100)).retry(RetryPolicy::none());
    let (results, stopped) = simulation.run_to_end(&mut creates);
    let progress = creates.progress();
    // After a 429, the client delays the remaining rows, so the service does not reject them.
    assert_eq!((results.len(), progress.refused, progress.created + progress.failed), (100, 0, 100));
    assert!(progress.created > 3 && stopped.is_none(), "{progress:?}, {stopped:?}");
}

#[test]
fn rows_that_break_rules_do_not_hide_an_outage() {
    let simulation = Simulation { fault: |_| Fault::NotSent, ..simulation() };
    let mixed = (0..1_000).map(|at| if at % 2 == 0 { row(at) } else { NewLead::default() });
    let mut creates = simulation.client().leads().create_many(mixed).retry(RetryPolicy::none());
    let (results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!(stopped.unwrap().reason(), StopReason::ServiceUnavailable);
    assert!(results.len() < 50, "{}", results.len());
}

#[test]
fn the_callers_condition_stops_the_import() {
    let simulation = simulation();
    let not_ours = ClientId::parse("not-ours").unwrap();
    let all_not_ours = (0..1_000).map(|_| NewLead::new(&not_ours, "Ann"));
    let mut creates = simulation.client().leads().create_many(all_not_ours).in_flight(1).stop_on(Error::is_forbidden);
    let (results, stopped) = simulation.run_to_end(&mut creates);
    assert_eq!((results.len(), stopped.unwrap().reason()), (1, StopReason::Condition));
}

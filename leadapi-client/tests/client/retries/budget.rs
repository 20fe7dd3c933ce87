//! Tests of the retry budget, which all calls of a client share.

use std::time::Duration;

use leadapi_client::RetryPolicy;

use super::{SECOND, ann};
use crate::{
    scripted::{Act, Script},
    support::wait,
};

#[test]
fn an_empty_budget_stops_retries_until_it_refills() {
    let (client, script) = Script::client((0..10_000).map(|_| Act::status(503)));
    let quick = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO);
    for _ in 0..1_000 {
        wait(client.leads().create(&ann()).retry(quick)).unwrap_err();
    }
    // The initial budget of 500 tokens pays for 100 retries. No time passes, so the budget does not refill.
    assert_eq!(script.sent(), 1_100);
    assert_eq!(script.waits.lock().unwrap().len(), 100, "a call that the budget does not cover fails without a wait");
    *script.requests.lock().unwrap() = Vec::new();
    let slow = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO).attempts(2);
    for _ in 0..50 {
        script.advance(SECOND);
        wait(client.leads().create(&ann()).retry(slow)).unwrap_err();
    }
    assert_eq!(script.sent(), 100, "each second pays for one retry");
}

#[test]
fn a_retry_after_a_timeout_costs_twice_and_a_success_refills_the_budget() {
    let quick = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO).attempts(2);
    let failing = |act: Act, calls: usize| {
        let (client, script) = Script::client((0..2 * calls).map(|_| act.clone()));
        for _ in 0..calls {
            wait(client.leads().create(&ann()).retry(quick).attempt_timeout(Duration::ZERO)).unwrap_err();
        }
        script.sent() - calls
    };
    assert_eq!(failing(Act::status(503), 150), 100);
    assert_eq!(failing(Act::Never, 150), 50);

    let acts = (0..200).map(|_| Act::status(503)).chain((0..10).map(|_| Act::lead()));
    let (client, script) = Script::client(acts.chain((0..4).map(|_| Act::status(503))));
    for _ in 0..100 {
        wait(client.leads().create(&ann()).retry(quick)).unwrap_err();
    }
    for _ in 0..10 {
        wait(client.leads().create(&ann()).retry(quick)).unwrap();
    }
    for retried in [2, 2] {
        let before = script.sent();
        wait(client.leads().create(&ann()).retry(quick)).unwrap_err();
        assert_eq!(script.sent() - before, retried, "ten successes pay for two retries");
    }
}

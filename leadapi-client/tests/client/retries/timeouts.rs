//! Tests of the timeouts for calls and attempts.

use std::time::Duration;

use leadapi_client::{Outcome, Pacing, RetryPolicy};

use super::{SECOND, ann};
use crate::{
    scripted::{Act, Script},
    support::wait,
};

#[test]
fn a_call_ends_within_its_timeout() {
    let attempt = Duration::from_secs(2);
    let (client, script) = Script::with((0..3).map(|_| Act::Never), |builder| builder.attempt_timeout(attempt));
    let error = wait(client.leads().create(&ann()).retry(RetryPolicy::default().attempts(3))).unwrap_err();
    assert!(error.is_timeout() && error.outcome() == Outcome::Unknown);
    assert!((6 * SECOND..7 * SECOND).contains(&script.now()));

    let (client, script) = Script::with((0..2).map(|_| Act::Never), |builder| builder.attempt_timeout(attempt));
    let error = wait(client.leads().create(&ann()).timeout(3 * SECOND)).unwrap_err();
    assert!(error.is_timeout() && error.attempts() == 2, "{error:?}");
    assert_eq!(script.now(), 3 * SECOND);

    // A call fails immediately if its next attempt could start only after the call's timeout.
    let (client, script) = Script::client([Act::status(503).with("retry-after", &30)]);
    let error = wait(client.leads().create(&ann()).timeout(20 * SECOND)).unwrap_err();
    assert!(error.is_server_error() && error.retry_after() == Some(30 * SECOND));
    assert_eq!(script.now(), Duration::ZERO);
}

#[test]
fn the_last_error_is_returned_when_no_time_is_left() {
    // The wait required after a 429 is longer than the timeout.
    let (client, script) = Script::client([Act::status(429).with("retry-after", &60)]);
    assert!(wait(client.leads().create(&ann()).retry(RetryPolicy::none())).unwrap_err().is_rate_limited());
    let error = wait(client.leads().create(&ann()).timeout(30 * SECOND)).unwrap_err();
    assert!(error.is_rate_limited() && !error.is_timeout() && error.is_retryable(), "{error:?}");
    assert!(error.retry_after().unwrap() >= 60 * SECOND);
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 0));
    script.assert_ended();

    // If an attempt has failed, the call returns that attempt's error.
    let pacing = Pacing::off().writes(1);
    let (client, script) = Script::with([Act::status(503)], |builder| builder.pacing(pacing).timeout(30 * SECOND));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.status().map(|status| status.as_u16()), error.outcome()), (Some(503), Outcome::Unknown));
    assert_eq!(script.sent(), 1);
}

#[test]
fn a_call_with_a_zero_timeout_sends_nothing() {
    let (client, script) = Script::client([]);
    let error = wait(client.leads().create(&ann()).timeout(Duration::ZERO)).unwrap_err();
    assert!(error.is_timeout() && error.outcome() == Outcome::NotSent);
    assert_eq!(script.sent(), 0);
}

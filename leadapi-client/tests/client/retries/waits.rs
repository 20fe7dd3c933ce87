//! Tests of the waits between attempts: backoff and `Retry-After`.

use std::time::{Duration, SystemTime};

use leadapi_client::{Outcome, Pacing, RetryPolicy, WaitReason, model::Window};

use super::{SECOND, ann};
use crate::{
    scripted::{Act, Script},
    support::wait,
};

#[test]
fn backoff_is_exponential_with_jitter() {
    let mut firsts = Vec::new();
    for _ in 0..50 {
        let (client, script) = Script::client((0..5).map(|_| Act::status(500)));
        wait(client.leads().create(&ann())).unwrap_err();
        let waits = script.waits.lock().unwrap();
        assert_eq!(waits.len(), 4);
        for (wait, ceiling) in waits.iter().zip([200, 400, 800, 1_600]) {
            assert!(wait.reason == WaitReason::Backoff && wait.duration <= Duration::from_millis(ceiling));
        }
        assert_eq!(waits.iter().map(|wait| wait.failed_attempts).collect::<Vec<_>>(), [1, 2, 3, 4]);
        firsts.push(waits[0].duration);
    }
    firsts.sort_unstable();
    assert!(firsts[0] < Duration::from_millis(60) && firsts[49] > Duration::from_millis(140), "{firsts:?}");
}

#[test]
fn a_retry_waits_at_least_for_retry_after() {
    // A date is compared with the response's `Date` header, not with the local clock.
    let answered = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let in_nine_seconds = httpdate::fmt_http_date(answered + 9 * SECOND);
    let by_date = |status| {
        Act::status(status).with("date", &httpdate::fmt_http_date(answered)).with("retry-after", &in_nine_seconds)
    };
    for _ in 0..20 {
        for act in [Act::status(503).with("retry-after", &9), by_date(503)] {
            let (client, script) = Script::client([act, Act::lead()]);
            wait(client.leads().create(&ann())).unwrap();
            let waited = script.now();
            assert!(waited >= 9 * SECOND && waited <= 9 * SECOND + Duration::from_millis(200), "{waited:?}");
        }
        for act in [Act::status(429).with("retry-after", &9), by_date(429)] {
            let (client, script) = Script::client([act, Act::lead()]);
            wait(client.leads().create(&ann())).unwrap();
            let waited = script.now();
            assert!(waited >= 9 * SECOND && waited <= 10 * SECOND, "{waited:?}");
            assert_eq!(script.waits.lock().unwrap()[0].reason, WaitReason::RateLimited);
        }
    }
}

#[test]
fn a_429_is_not_a_failure_and_pauses_its_class() {
    let refusals = (0..20).map(|_| Act::status(429).with("retry-after", &7));
    let (client, script) = Script::client(refusals.chain([Act::lead()]));
    let (_, meta) = wait(client.leads().create(&ann()).with_meta()).unwrap();
    assert_eq!(meta.attempts.get(), 21);
    assert!(script.now() >= 140 * SECOND);
    assert!(script.waits.lock().unwrap().iter().all(|wait| wait.failed_attempts == 0));

    // Later writes from any clone of the client wait too. Reads do not wait, because they have their own limit.
    let (client, script) = Script::client([
        Act::status(429).with("retry-after", &60),
        Act::Response(200, Vec::new(), r#"{"data":[],"total":0,"limit":50,"offset":0}"#.to_owned()),
        Act::lead(),
    ]);
    let error = wait(client.leads().create(&ann()).timeout(30 * SECOND)).unwrap_err();
    assert!(error.is_rate_limited() && error.retry_after() == Some(60 * SECOND), "{error}");
    assert_eq!((error.outcome(), script.now()), (Outcome::Refused, Duration::ZERO));
    wait(client.pipelines().list(Window::default())).unwrap();
    assert_eq!(script.now(), Duration::ZERO);
    wait(client.clone().leads().create(&ann())).unwrap();
    assert!(script.now() >= 60 * SECOND && script.now() <= 61 * SECOND);
}

#[test]
fn a_429_without_retry_after_is_not_retried_immediately() {
    for act in
        [Act::status(429), Act::status(429).with("retry-after", &0), Act::status(429).with("retry-after", &"soon")]
    {
        let (client, script) = Script::client((0..10).map(|_| act.clone()).chain([Act::lead()]));
        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() >= 10 * SECOND, "{:?}", script.now());
    }
}

#[test]
fn a_retry_after_above_the_maximum_ends_its_call_and_delays_no_other() {
    for absurd in ["121", "86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let (client, script) = Script::client([
            Act::status(429).with("retry-after", &absurd),
            Act::status(503).with("retry-after", &absurd),
            Act::lead(),
        ]);
        let error = wait(client.leads().create(&ann())).unwrap_err();
        assert!(error.is_rate_limited() && error.is_retryable(), "{error}");
        assert!(error.retry_after() >= Some(121 * SECOND), "the error states the requested wait: {error:?}");
        assert_eq!((error.attempts(), script.now()), (1, Duration::ZERO));

        // The next call from any clone is sent after one to two seconds, even with a short timeout.
        let clone = client.clone();
        let error = wait(clone.leads().create(&ann()).timeout(5 * SECOND)).unwrap_err();
        assert!(error.is_server_error() && error.retry_after() >= Some(121 * SECOND), "{error}");
        assert_eq!((error.attempts(), script.sent()), (1, 2));
        assert!(script.now() <= 2 * SECOND, "{absurd}: {:?}", script.now());

        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() <= 2 * SECOND);
        script.assert_ended();
    }
}

#[test]
fn the_maximum_retry_after_is_configurable() {
    let acts = || [Act::status(429).with("retry-after", &150), Act::lead()];
    let (client, script) = Script::with(acts(), |builder| builder.max_retry_after(200 * SECOND));
    wait(client.leads().create(&ann())).unwrap();
    assert!(script.now() >= 150 * SECOND);

    let (client, script) = Script::with(acts(), |builder| builder.max_retry_after(10 * SECOND));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.retry_after(), script.now()), (Some(150 * SECOND), Duration::ZERO));

    // A wait of exactly the maximum is still accepted.
    let (client, script) = Script::client([Act::status(429).with("retry-after", &120), Act::lead()]);
    wait(client.leads().create(&ann())).unwrap();
    assert!(script.now() >= 120 * SECOND);
}

#[test]
fn absurdly_large_settings_do_not_overflow() {
    let policy = RetryPolicy::default().backoff(Duration::MAX, Duration::MAX);
    let (client, script) = Script::with([Act::status(503), Act::lead()], |builder| {
        builder.retry(policy).timeout(Duration::MAX).attempt_timeout(Duration::MAX)
    });
    wait(client.leads().create(&ann())).unwrap();
    script.assert_ended();
    for seconds in ["18446744073709551615", "99999999999999999999999999"] {
        let (client, _) = Script::client([Act::status(503).with("retry-after", &seconds)]);
        let error = wait(client.leads().create(&ann())).unwrap_err();
        assert!(error.retry_after().is_none_or(|wait| wait <= Duration::from_secs(86_400)));
    }
}

#[test]
fn a_request_that_the_service_does_not_count_uses_no_permit() {
    for status in [401, 405, 429] {
        let refused = Act::status(status).with("retry-after", &2);
        let (client, script) = Script::with([refused, Act::lead()], |builder| builder.pacing(Pacing::off().writes(1)));
        drop(wait(client.leads().create(&ann()).retry(RetryPolicy::none())));
        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() <= 3 * SECOND, "{status}: {:?}", script.now());
    }
}

#[test]
fn a_429_does_not_count_as_an_attempt() {
    let two = RetryPolicy::default().attempts(2);
    let acts = [Act::status(429), Act::status(429), Act::status(503), Act::status(429), Act::lead()];
    let (client, _) = Script::client(acts);
    wait(client.leads().create(&ann()).retry(two)).unwrap();
}

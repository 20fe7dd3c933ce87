//! What is asked for again, when, and how often.

use std::time::{Duration, SystemTime};

use leadapi_client::{
    Outcome, Pacing, RetryPolicy, WaitReason,
    id::LeadId,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
};

use crate::{
    scripted::{Act, Script},
    support::{answered, casa_verde, wait},
};

const SECOND: Duration = Duration::from_secs(1);

fn ann() -> NewLead {
    NewLead::new(&casa_verde(), "Ann")
}

fn id() -> LeadId {
    LeadId::parse("l1").unwrap()
}

/// What may pass, and what it leaves open.
fn passing() -> Vec<(Act, Outcome)> {
    let mut acts = vec![(Act::NotSent, Outcome::NotSent), (Act::Lost, Outcome::Unknown)];
    acts.extend([408, 500, 502, 503, 504, 599].map(|status| (Act::status(status), Outcome::Unknown)));
    let rubbish = |status| Act::Answer(status, Vec::new(), "<html>Welcome to the hotel</html>".to_owned());
    acts.extend([200, 201, 202].map(|status| (rubbish(status), Outcome::Unknown)));
    acts
}

#[test]
fn a_create_is_repeated_under_one_key() {
    for (act, _) in passing() {
        let (client, script) = Script::client([act.clone(), act.clone(), Act::lead()]);
        let create = client.leads().create(&ann());
        let key = create.key().unwrap().as_str().to_owned();
        let (lead, meta) = wait(create.with_meta()).unwrap();
        assert_eq!((lead.name.as_str(), meta.attempts.get()), ("Ann", 3), "{act:?}");
        assert_eq!(script.keys(), [Some(key.clone()), Some(key.clone()), Some(key)]);
        let asked = script.asked.lock().unwrap();
        assert!(asked.iter().all(|(_, request)| request.body() == asked[0].1.body() && !request.body().is_empty()));
    }
}

#[test]
fn two_creates_have_two_keys() {
    let (client, script) = Script::client([Act::lead(), Act::lead()]);
    wait(client.leads().create(&ann())).unwrap();
    wait(client.leads().create(&ann())).unwrap();
    let keys = script.keys();
    assert!(keys[0].is_some() && keys[0] != keys[1]);
}

#[test]
fn without_a_key_a_create_is_repeated_only_when_it_was_not_done() {
    for (act, outcome) in passing() {
        let repeated = outcome == Outcome::NotSent;
        let acts = if repeated { vec![act.clone(), Act::lead()] } else { vec![act.clone()] };
        let (client, script) = Script::client(acts);
        let created = wait(client.leads().create(&ann()).without_idempotency_key());
        assert_eq!(created.is_ok(), repeated, "{act:?}");
        script.assert_ended();
        assert!(script.keys().iter().all(Option::is_none));
        if let Err(error) = created {
            assert_eq!((error.outcome(), error.attempts(), error.idempotency_key()), (Outcome::Unknown, 1, None));
        }
    }
    let (client, script) = Script::client([Act::status(429).with("retry-after", &3), Act::lead()]);
    wait(client.leads().create(&ann()).without_idempotency_key()).unwrap();
    script.assert_ended();
}

#[test]
fn reads_and_changes_are_repeated() {
    let page = r#"{"data":[],"total":0,"limit":50,"offset":0}"#.to_owned();
    let page = Act::Answer(200, Vec::new(), page);
    let lead = Act::lead().but(200);
    for (act, _) in passing() {
        // What is rubbish for one operation is a success for another.
        if matches!(act, Act::Answer(200..=204, ..)) {
            continue;
        }
        let done = [page.clone(), lead.clone(), lead.clone(), Act::status(204), page.clone(), page.clone()];
        let (client, script) = Script::client(done.into_iter().flat_map(|done| [act.clone(), done]));
        wait(client.leads().list(&LeadQuery::new())).unwrap();
        wait(client.leads().get(&id())).unwrap();
        wait(client.leads().update(&id(), &LeadPatch::new().name("Ann"))).unwrap();
        wait(client.leads().delete(&id())).unwrap();
        wait(client.pipelines().list(Window::default())).unwrap();
        wait(client.client_accounts().list(Window::default())).unwrap();
        script.assert_ended();
    }
}

#[test]
fn a_refusal_is_final() {
    for status in [301, 307, 400, 401, 403, 404, 405, 409, 413, 415, 422, 501, 505] {
        let (client, script) = Script::client([Act::status(status)]);
        let error = wait(client.leads().create(&ann())).unwrap_err();
        assert_eq!((error.attempts(), error.is_retryable()), (1, false), "{status}");
        assert_eq!(error.outcome() == Outcome::Refused, (400..500).contains(&status), "{status}");
        assert_eq!(error.idempotency_key().map(IdempotencyKey::as_str), script.keys()[0].as_deref());
    }
}

#[test]
fn the_text_is_one_line_that_says_it_all() {
    let error = wait(answered(400));
    assert_eq!(error.to_string(), "POST /leads: 400 Bad Request: as the service said (request 0198-abc)");
}

#[test]
fn attempts_end_and_the_error_says_what_came_before() {
    let (client, script) = Script::client((0..5).map(|_| Act::status(503)));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.attempts(), error.outcome()), (5, Outcome::Unknown));
    assert!(error.is_retryable() && error.idempotency_key().is_some());
    assert_eq!(error.to_string(), "POST /leads: 503 Service Unavailable: scripted (attempt 5)");
    assert_eq!(error.elapsed(), script.now());

    // The last was refused, but the first may have been done.
    let (client, _) = Script::client([Act::Lost, Act::NotSent, Act::status(401)]);
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert!(error.is_unauthorized());
    assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 3));

    let (client, _) = Script::client((0..3).map(|_| Act::NotSent));
    let error = wait(client.leads().create(&ann()).retry(RetryPolicy::default().attempts(3))).unwrap_err();
    assert!(error.is_connect() && error.is_retryable());
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 3));
}

#[test]
fn waits_grow_and_are_random() {
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
fn retry_after_is_waited_for_and_no_less() {
    // A date is measured by the answer's own clock, whatever ours says.
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
fn a_429_is_no_failure_and_holds_up_all_of_its_class() {
    let refusals = (0..20).map(|_| Act::status(429).with("retry-after", &7));
    let (client, script) = Script::client(refusals.chain([Act::lead()]));
    let (_, meta) = wait(client.leads().create(&ann()).with_meta()).unwrap();
    assert_eq!(meta.attempts.get(), 21);
    assert!(script.now() >= 140 * SECOND);
    assert!(script.waits.lock().unwrap().iter().all(|wait| wait.failed_attempts == 0));

    // Whoever comes after it, from whichever clone, waits too; reads are another class.
    let (client, script) = Script::client([
        Act::status(429).with("retry-after", &60),
        Act::Answer(200, Vec::new(), r#"{"data":[],"total":0,"limit":50,"offset":0}"#.to_owned()),
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
fn a_429_that_names_no_time_is_not_answered_at_once() {
    for act in
        [Act::status(429), Act::status(429).with("retry-after", &0), Act::status(429).with("retry-after", &"soon")]
    {
        let (client, script) = Script::client((0..10).map(|_| act.clone()).chain([Act::lead()]));
        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() >= 10 * SECOND, "{:?}", script.now());
    }
}

#[test]
fn a_retry_after_above_the_ceiling_ends_its_call_and_holds_back_no_other() {
    for absurd in ["121", "86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let (client, script) = Script::client([
            Act::status(429).with("retry-after", &absurd),
            Act::status(503).with("retry-after", &absurd),
            Act::lead(),
        ]);
        let error = wait(client.leads().create(&ann())).unwrap_err();
        assert!(error.is_rate_limited() && error.is_retryable(), "{error}");
        assert!(error.retry_after() >= Some(121 * SECOND), "the caller learns what was asked for: {error:?}");
        assert_eq!((error.attempts(), script.now()), (1, Duration::ZERO));

        // The next call asks the service after a second, and its clones too, even if they have little time.
        let hurried = client.clone();
        let error = wait(hurried.leads().create(&ann()).timeout(5 * SECOND)).unwrap_err();
        assert!(error.is_server_error() && error.retry_after() >= Some(121 * SECOND), "{error}");
        assert_eq!((error.attempts(), script.sent()), (1, 2));
        assert!(script.now() <= 2 * SECOND, "{absurd}: {:?}", script.now());

        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() <= 2 * SECOND);
        script.assert_ended();
    }
}

#[test]
fn the_ceiling_of_retry_after_can_be_set() {
    let acts = || [Act::status(429).with("retry-after", &150), Act::lead()];
    let (client, script) = Script::with(acts(), |builder| builder.max_retry_after(200 * SECOND));
    wait(client.leads().create(&ann())).unwrap();
    assert!(script.now() >= 150 * SECOND);

    let (client, script) = Script::with(acts(), |builder| builder.max_retry_after(10 * SECOND));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.retry_after(), script.now()), (Some(150 * SECOND), Duration::ZERO));

    // What is at the ceiling is waited for.
    let (client, script) = Script::client([Act::status(429).with("retry-after", &120), Act::lead()]);
    wait(client.leads().create(&ann())).unwrap();
    assert!(script.now() >= 120 * SECOND);
}

#[test]
fn no_setting_is_too_large() {
    let endless = RetryPolicy::default().backoff(Duration::MAX, Duration::MAX);
    let (client, script) = Script::with([Act::status(503), Act::lead()], |builder| {
        builder.retry(endless).timeout(Duration::MAX).attempt_timeout(Duration::MAX)
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
fn a_lead_that_is_gone_after_a_lost_answer_is_deleted() {
    let (client, _) = Script::client([Act::Lost, Act::status(404)]);
    wait(client.leads().delete(&id())).unwrap();
    let (client, _) = Script::client([Act::status(500), Act::status(429), Act::status(404)]);
    wait(client.leads().delete(&id())).unwrap();

    for before in [Act::NotSent, Act::status(429)] {
        let (client, _) = Script::client([before, Act::status(404)]);
        assert!(wait(client.leads().delete(&id())).unwrap_err().is_not_found());
    }
    let page = Act::Answer(404, Vec::new(), "<html>no such page</html>".to_owned());
    let (client, _) = Script::client([Act::Lost, page]);
    assert_eq!(wait(client.leads().delete(&id())).unwrap_err().outcome(), Outcome::Unknown);
}

#[test]
fn a_call_ends_in_time() {
    let attempt = Duration::from_secs(2);
    let (client, script) = Script::with((0..3).map(|_| Act::Never), |builder| builder.attempt_timeout(attempt));
    let error = wait(client.leads().create(&ann()).retry(RetryPolicy::default().attempts(3))).unwrap_err();
    assert!(error.is_timeout() && error.outcome() == Outcome::Unknown);
    assert!((6 * SECOND..7 * SECOND).contains(&script.now()));

    let (client, script) = Script::with((0..2).map(|_| Act::Never), |builder| builder.attempt_timeout(attempt));
    let error = wait(client.leads().create(&ann()).timeout(3 * SECOND)).unwrap_err();
    assert!(error.is_timeout() && error.attempts() == 2, "{error:?}");
    assert_eq!(script.now(), 3 * SECOND);

    // An end that comes before the next attempt may begin is not waited for.
    let (client, script) = Script::client([Act::status(503).with("retry-after", &30)]);
    let error = wait(client.leads().create(&ann()).timeout(20 * SECOND)).unwrap_err();
    assert!(error.is_server_error() && error.retry_after() == Some(30 * SECOND));
    assert_eq!(script.now(), Duration::ZERO);
}

#[test]
fn a_budget_ends_repetitions_and_fills_again() {
    let (client, script) = Script::client((0..10_000).map(|_| Act::status(503)));
    let quick = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO);
    for _ in 0..1_000 {
        wait(client.leads().create(&ann()).retry(quick)).unwrap_err();
    }
    // 500 in the bucket are 100 repetitions, and no time has passed.
    assert_eq!(script.sent(), 1_100);
    *script.asked.lock().unwrap() = Vec::new();
    let slow = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO).attempts(2);
    for _ in 0..50 {
        script.pass(SECOND);
        wait(client.leads().create(&ann()).retry(slow)).unwrap_err();
    }
    assert_eq!(script.sent(), 100, "a second is worth a repetition");
}

#[test]
fn what_will_never_go_is_not_tried_again() {
    struct Broken;
    #[async_trait::async_trait]
    impl leadapi_client::transport::Transport for Broken {
        async fn send(
            &self,
            _: http::Request<bytes::Bytes>,
        ) -> Result<http::Response<bytes::Bytes>, leadapi_client::transport::TransportError> {
            Err(leadapi_client::transport::TransportError::not_sent("no TLS").permanent())
        }
    }
    let client = leadapi_client::Client::builder("http://nowhere", "pak_0").transport(Broken).unwrap();
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.attempts(), error.outcome(), error.is_retryable()), (1, Outcome::NotSent, false));
}

#[test]
fn what_was_answered_is_told_when_no_time_is_left() {
    // The gate is closed for longer than there is time.
    let (client, script) = Script::client([Act::status(429).with("retry-after", &60)]);
    assert!(wait(client.leads().create(&ann()).retry(RetryPolicy::none())).unwrap_err().is_rate_limited());
    let error = wait(client.leads().create(&ann()).timeout(30 * SECOND)).unwrap_err();
    assert!(error.is_rate_limited() && !error.is_timeout() && error.is_retryable(), "{error:?}");
    assert!(error.retry_after().unwrap() >= 60 * SECOND);
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 0));
    script.assert_ended();

    // After a failure, the failure.
    let pacing = Pacing::off().writes(1);
    let (client, script) = Script::with([Act::status(503)], |builder| builder.pacing(pacing).timeout(30 * SECOND));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.status().map(|status| status.as_u16()), error.outcome()), (Some(503), Outcome::Unknown));
    assert_eq!(script.sent(), 1);
}

#[test]
fn what_the_service_does_not_count_does_not_count_here() {
    for status in [401, 405, 429] {
        let refused = Act::status(status).with("retry-after", &2);
        let (client, script) = Script::with([refused, Act::lead()], |builder| builder.pacing(Pacing::off().writes(1)));
        drop(wait(client.leads().create(&ann()).retry(RetryPolicy::none())));
        wait(client.leads().create(&ann())).unwrap();
        assert!(script.now() <= 3 * SECOND, "{status}: {:?}", script.now());
    }
}

#[test]
fn without_any_time_nothing_is_sent() {
    let (client, script) = Script::client([]);
    let error = wait(client.leads().create(&ann()).timeout(Duration::ZERO)).unwrap_err();
    assert!(error.is_timeout() && error.outcome() == Outcome::NotSent);
    assert_eq!(script.sent(), 0);
}

#[test]
fn a_read_that_is_refused_in_the_end_is_refused() {
    let (client, _) = Script::client([Act::Lost, Act::status(404)]);
    let error = wait(client.leads().get(&id())).unwrap_err();
    assert!(error.is_not_found() && error.outcome() == Outcome::Refused);
}

#[test]
fn a_refusal_for_the_rate_is_no_attempt() {
    let two = RetryPolicy::default().attempts(2);
    let acts = [Act::status(429), Act::status(429), Act::status(503), Act::status(429), Act::lead()];
    let (client, _) = Script::client(acts);
    wait(client.leads().create(&ann()).retry(two)).unwrap();
}

#[test]
fn a_timeout_costs_twice_and_a_success_fills_the_budget() {
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
    for repeated in [2, 2] {
        let before = script.sent();
        wait(client.leads().create(&ann()).retry(quick)).unwrap_err();
        assert_eq!(script.sent() - before, repeated, "ten successes are worth two repetitions");
    }
}

#[test]
fn nobodys_data_stands_in_an_error() {
    for body in [
        r#"{"id":"l1","client_id":"c1","name":{"x\"Bob Smith\"":1},"created_at":"2026-05-04T07:58:12.004Z"}"#,
        r#"{"id":"l1","client_id":"c1","name":34600111222,"created_at":"2026-05-04T07:58:12.004Z"}"#,
        r#"{"id":"x\"Bob Smith\"","client_id":"c1","name":"a","value":"x\", expected Bob Smith\""}"#,
        r#"{"id":"l1","client_id":"c1","name":"Bob Smith","email":"bob@example.com"#,
        r#" [{"name":"Bob Smith""#,
    ] {
        let (client, _) = Script::client([Act::Answer(201, Vec::new(), body.to_owned())]);
        let error = wait(client.leads().create(&ann()).retry(RetryPolicy::none())).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(["Bob", "bob", "34600111222"].iter().all(|data| !text.contains(data)), "{text}");
        assert!(text.contains("line 1 column") || text.contains("missing field"), "{text}");
    }
}

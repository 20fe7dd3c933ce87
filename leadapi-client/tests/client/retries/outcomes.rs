//! Tests that the error of a call accounts for all its attempts.

use leadapi_client::{Outcome, RetryPolicy, model::IdempotencyKey};

use super::{ann, id};
use crate::{
    scripted::{Act, Script},
    support::{answered, wait},
};

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
fn the_text_of_an_error_is_one_line() {
    let error = answered(400);
    assert_eq!(error.to_string(), "POST /leads: 400 Bad Request: the service's error message (request 0198-abc)");
}

#[test]
fn the_error_after_the_last_attempt_covers_all_attempts() {
    let (client, script) = Script::client((0..5).map(|_| Act::status(503)));
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.attempts(), error.outcome()), (5, Outcome::Unknown));
    assert!(error.is_retryable() && error.idempotency_key().is_some());
    assert_eq!(error.to_string(), "POST /leads: 503 Service Unavailable: scripted (attempt 5)");
    assert_eq!(error.elapsed(), script.now());

    // The last attempt was rejected, but the first may have been executed.
    let (client, _) = Script::client([Act::Lost, Act::NotSent, Act::status(401)]);
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert!(error.is_unauthorized());
    assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 3));

    for lost in [2, 3] {
        let acts = (0..lost).map(|_| Act::Lost).chain([Act::status(401)]);
        let error = wait(Script::client(acts).0.leads().create(&ann())).unwrap_err();
        assert!(error.is_unauthorized() && error.outcome() == Outcome::Unknown, "{lost} responses were lost");
    }

    let (client, _) = Script::client((0..3).map(|_| Act::NotSent));
    let error = wait(client.leads().create(&ann()).retry(RetryPolicy::default().attempts(3))).unwrap_err();
    assert!(error.is_connect() && error.is_retryable());
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 3));
}

#[test]
fn a_delete_answered_with_404_after_a_lost_response_succeeds() {
    let (client, _) = Script::client([Act::Lost, Act::no_such_lead()]);
    wait(client.leads().delete(&id())).unwrap();
    let (client, _) = Script::client([Act::status(500), Act::status(429), Act::no_such_lead()]);
    wait(client.leads().delete(&id())).unwrap();

    for before in [Act::NotSent, Act::status(429)] {
        let (client, _) = Script::client([before, Act::no_such_lead()]);
        assert!(wait(client.leads().delete(&id())).unwrap_err().is_not_found());
    }
}

/// In this test, an ingress or a different application answers the retry, so the lead may still exist.
#[test]
fn a_delete_answered_with_a_404_of_another_origin_fails() {
    for body in ["<html>no such page</html>", "default backend - 404", r#"{"error":"path: there is no such path"}"#, ""]
    {
        for first in [Act::Lost, Act::status(503)] {
            let (client, _) = Script::client([first, Act::Response(404, Vec::new(), body.to_owned())]);
            let error = wait(client.leads().delete(&id())).unwrap_err();
            assert!(error.is_configuration() && !error.is_not_found(), "{error}");
            assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 2), "{error}");
            assert!(error.to_string().contains("http://scripted/v1/leads/{id}"), "{error}");
        }
    }
}

#[test]
fn a_permanent_transport_error_is_not_retried() {
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
    let client = leadapi_client::Client::builder("http://nowhere", "pak_0").transport(Broken).build().unwrap();
    let error = wait(client.leads().create(&ann())).unwrap_err();
    assert_eq!((error.attempts(), error.outcome(), error.is_retryable()), (1, Outcome::NotSent, false));
}

#[test]
fn a_read_that_is_refused_after_a_lost_response_is_refused() {
    let (client, _) = Script::client([Act::Lost, Act::no_such_lead()]);
    let error = wait(client.leads().get(&id())).unwrap_err();
    assert!(error.is_not_found() && error.outcome() == Outcome::Refused);
}

#[test]
fn an_error_contains_no_personal_data() {
    for body in [
        r#"{"id":"l1","client_id":"c1","name":{"x\"Bob Smith\"":1},"created_at":"2026-05-04T07:58:12.004Z"}"#,
        r#"{"id":"l1","client_id":"c1","name":34600111222,"created_at":"2026-05-04T07:58:12.004Z"}"#,
        r#"{"id":"x\"Bob Smith\"","client_id":"c1","name":"a","value":"x\", expected Bob Smith\""}"#,
        r#"{"id":"l1","client_id":"c1","name":"Bob Smith","email":"bob@example.com"#,
        r#" [{"name":"Bob Smith""#,
    ] {
        let (client, _) = Script::client([Act::Response(201, Vec::new(), body.to_owned())]);
        let error = wait(client.leads().create(&ann()).retry(RetryPolicy::none())).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(["Bob", "bob", "34600111222"].iter().all(|data| !text.contains(data)), "{text}");
        assert!(text.contains("line 1 column") || text.contains("missing field"), "{text}");
    }
}

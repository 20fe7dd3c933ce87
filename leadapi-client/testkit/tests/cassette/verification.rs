//! Tests that a replay fails if it differs from the recording, and that the error names the difference.

use leadapi_client::{
    Client,
    model::{LeadQuery, NewLead, Window},
};
use leadapi_testkit::cassette::Cassette;

use crate::{
    support::{self, wait},
    traffic::{client_of, create, short},
};

/// Replays the first two creates as recorded, then runs `rest`. Returns the verification message, or an empty string if
/// the replay matches.
fn after_two_creates(cassette: &Cassette, rest: impl AsyncFnOnce(&Client)) -> String {
    let transport = cassette.transport();
    let client = client_of(transport.clone());
    wait(async {
        create(&client, "Ann", "a").await.unwrap();
        create(&client, "Bob", "b").await.unwrap();
        rest(&client).await;
    });
    transport.verify().map_or_else(|error| error.to_string(), |()| String::new())
}

async fn leads(client: &Client) {
    client.leads().list(&LeadQuery::new()).await.unwrap();
}

async fn pipelines(client: &Client) {
    client.pipelines().list(Window::default()).await.unwrap();
}

#[test]
fn a_matching_replay_passes() {
    let message = after_two_creates(&short(), async |client| {
        leads(client).await;
        pipelines(client).await;
    });
    assert_eq!(message, "");
}

#[test]
fn an_entry_that_is_not_requested_fails_the_replay() {
    let message = after_two_creates(&short(), leads);
    let sentence = "entry 4 (GET /v1/pipelines?limit=50&offset=0) was not requested";
    assert_eq!(message, format!("the recording was not replayed as recorded:\n- {sentence}"));
}

#[test]
fn another_order_fails_the_replay_unless_any_order_is_set() {
    let other = async |client: &Client| {
        client.pipelines().list(Window::default()).await.unwrap_err();
        leads(client).await;
        pipelines(client).await;
    };
    let message = after_two_creates(&short(), other);
    let sentence = "GET /v1/pipelines?limit=50&offset=0 does not match the recording: \
        entry 4 (GET /v1/pipelines?limit=50&offset=0) matches, but entry 3 (GET /v1/leads?limit=50&offset=0) comes before it";
    assert_eq!(message, format!("the recording was not replayed as recorded:\n- {sentence}"));

    let message = after_two_creates(&short().any_order(), async |client| {
        pipelines(client).await;
        leads(client).await;
    });
    assert_eq!(message, "");
}

#[test]
fn a_request_beyond_the_recording_fails_the_replay() {
    let message = after_two_creates(&short(), async |client| {
        leads(client).await;
        pipelines(client).await;
        client.pipelines().list(Window::default()).await.unwrap_err();
    });
    assert!(
        message.ends_with("entry 4 (GET /v1/pipelines?limit=50&offset=0) matches, but it was already replayed"),
        "{message}"
    );
}

#[test]
fn a_changed_query_fails_the_replay() {
    let message = after_two_creates(&short(), async |client| {
        let error = client.leads().list(&LeadQuery::new().window(Window::new(7, 9).unwrap())).await.unwrap_err();
        assert_eq!(error.status().unwrap(), 501);
        assert!(error.message().contains("the parameter limit is 7, not 50"), "{}", error.message());
        leads(client).await;
        pipelines(client).await;
    });
    let nearest = "the nearest entry is entry 3 (GET /v1/leads?limit=50&offset=0): the parameter limit is 7, not 50; \
        the parameter offset is 9, not 0";
    assert!(message.ends_with(nearest), "{message}");
}

#[test]
fn a_changed_body_fails_the_replay() {
    let transport = short().transport();
    let client = client_of(transport.clone());
    let new = NewLead::new(&support::casa_verde(), "Anne").value(5);
    let error = wait(client.leads().create(&new)).unwrap_err();
    let nearest =
        r#"the nearest entry is entry 1 (POST /v1/leads): /name is "Anne", not "Ann"; /value is not recorded"#;
    assert!(error.message().ends_with(nearest), "{}", error.message());
    let message = transport.verify().unwrap_err().to_string();
    assert_eq!(message.lines().count(), 6, "the unrecorded request and the four unused entries: {message}");
}

#[test]
fn a_missing_field_fails_the_replay() {
    let (recorder, client) = crate::traffic::recorded(|recorder| recorder);
    wait(client.leads().create(&NewLead::new(&support::casa_verde(), "Ann").value(5))).unwrap();
    let transport = recorder.cassette().unwrap().transport();
    let error = wait(client_of(transport.clone()).leads().create(&NewLead::new(&support::casa_verde(), "Ann")));
    let error = error.unwrap_err();
    let sentence = "entry 1 (POST /v1/leads): /value is missing from the body";
    assert!(error.message().ends_with(sentence), "{}", error.message());
    transport.verify().unwrap_err();
}

#[test]
fn two_creates_with_one_key_fail_the_replay() {
    let transport = short().transport();
    let client = client_of(transport.clone());
    wait(create(&client, "Ann", "one")).unwrap();
    let error = wait(create(&client, "Bob", "one")).unwrap_err();
    let sentence =
        "entry 2 (POST /v1/leads): the idempotency-key was already sent with another request, but key-2 is new";
    assert!(error.message().ends_with(sentence), "{}", error.message());
    transport.verify().unwrap_err();
}

#[test]
fn a_retry_must_keep_its_key() {
    let (recorder, client) = crate::traffic::recorded(|recorder| recorder);
    wait(create(&client, "Ann", "k")).unwrap();
    wait(create(&client, "Ann", "k")).unwrap();
    let cassette = recorder.cassette().unwrap();

    let transport = cassette.transport();
    wait(create(&client_of(transport.clone()), "Ann", "other")).unwrap();
    wait(create(&client_of(transport.clone()), "Ann", "other")).unwrap();
    transport.verify().unwrap();

    for cassette in [cassette.clone(), cassette.any_order()] {
        let transport = cassette.transport();
        wait(create(&client_of(transport.clone()), "Ann", "one")).unwrap();
        let error = wait(create(&client_of(transport.clone()), "Ann", "two")).unwrap_err();
        let sentence = "entry 2 (POST /v1/leads): the idempotency-key differs from the one sent earlier as key-1";
        assert!(error.message().ends_with(sentence), "{}", error.message());
        transport.verify().unwrap_err();
    }
}

#[test]
fn a_missing_key_fails_the_replay() {
    let transport = short().transport();
    let new = NewLead::new(&support::casa_verde(), "Ann");
    let error = wait(client_of(transport.clone()).leads().create(&new).without_idempotency_key()).unwrap_err();
    assert!(error.message().ends_with("the header idempotency-key is missing"), "{}", error.message());
    transport.verify().unwrap_err();
}

#[test]
#[should_panic(expected = "entry 1 (POST /v1/leads) was not requested")]
fn dropping_an_unverified_transport_verifies_it() {
    drop(short().transport());
}

#[tokio::test]
#[should_panic(expected = "entry 1 (POST /v1/leads) was not requested")]
async fn dropping_an_unverified_server_verifies_it() {
    drop(short().replay().await);
}

#[tokio::test]
#[should_panic(expected = "the test's own failure")]
async fn a_replay_does_not_panic_while_the_test_is_panicking() {
    // If dropping the replays panicked as well, the process would abort.
    let (_server, _transport) = (short().replay().await, short().transport());
    panic!("the test's own failure");
}

#[tokio::test]
async fn the_same_rules_hold_over_a_socket() {
    let replay = short().replay().await;
    let client = replay.client().unwrap();
    let error = create(&client, "Bob", "b").await.unwrap_err();
    let sentence = "entry 2 (POST /v1/leads) matches, but entry 1 (POST /v1/leads) comes before it";
    assert_eq!(error.status().unwrap(), 501);
    assert!(error.message().ends_with(sentence), "{}", error.message());
    create(&client, "Ann", "a").await.unwrap();
    let message = replay.verify().unwrap_err().to_string();
    assert!(
        message.contains("- POST /v1/leads does not match")
            && message.contains("- entry 2 (POST /v1/leads) was not requested"),
        "{message}"
    );
}

#[tokio::test]
async fn a_recorded_wait_takes_no_real_time() {
    let har = r#"{"log": {"entries": [
        {"request": {"method": "GET", "url": "https://api.example.com/v1/clients?limit=50&offset=0"},
         "response": {"status": 429, "headers": [{"name": "retry-after", "value": "60"}],
            "content": {"text": "{\"error\":\"rate limit reached, try again in 60 s\"}"}}},
        {"request": {"method": "GET", "url": "https://api.example.com/v1/clients?limit=50&offset=0"},
         "response": {"status": 200, "content": {"text": "{\"data\":[],\"total\":0,\"limit\":50,\"offset\":0}"}}}]}}"#;
    let (cassette, start) = (Cassette::parse(har).unwrap(), std::time::Instant::now());
    let (replay, transport) = (cassette.replay().await, cassette.transport());
    for client in [replay.client().unwrap(), transport.client().unwrap()] {
        assert_eq!(client.client_accounts().list(Window::default()).await.unwrap().total, 0);
    }
    assert!(start.elapsed().as_secs() < 60, "it took {:?}", start.elapsed());
    replay.verify().unwrap();
    transport.verify().unwrap();
}

//! Checks the contents of a recording, and that they are the same in every run.

use std::{fs, path::Path};

use leadapi_client::{
    Client, RetryPolicy,
    model::{NewLead, Window},
    transport::{Transport, TransportError},
};
use leadapi_testkit::cassette::{Cassette, CassetteError, Recorder};
use serde_json::Value;

use crate::{
    support::{self, wait},
    traffic::{recorded, run_traffic},
};

#[tokio::test]
async fn a_saved_recording_replays_over_a_socket_and_without_one() {
    let (recorder, client) = recorded(|recorder| recorder);
    let results = run_traffic(&client).await.unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cassettes/traffic.har");
    recorder.cassette().unwrap().save(&path).unwrap();

    let cassette = Cassette::load(&path).unwrap();
    assert_eq!(
        cassette.to_har().unwrap(),
        fs::read_to_string(&path).unwrap(),
        "reading and writing do not change the file"
    );
    let replay = cassette.replay().await;
    assert_eq!(run_traffic(&replay.client().unwrap()).await.unwrap(), results);
    replay.verify().unwrap();

    let transport = cassette.transport();
    assert_eq!(run_traffic(&transport.client().unwrap()).await.unwrap(), results);
    transport.verify().unwrap();
}

#[test]
fn two_recordings_of_the_same_traffic_are_identical() {
    let record = |with: fn(Recorder) -> Recorder| {
        let (recorder, client) = recorded(with);
        wait(run_traffic(&client)).unwrap();
        recorder.cassette().unwrap().to_har().unwrap()
    };
    assert_eq!(record(|recorder| recorder), record(|recorder| recorder));
    assert_ne!(record(Recorder::keep_ids), record(Recorder::keep_ids));
    let redacted: fn(Recorder) -> Recorder = |recorder| recorder.redact("email").redact("/phone");
    assert_eq!(record(redacted), record(redacted));
}

#[test]
fn ids_keys_and_times_become_placeholders_everywhere() {
    let (recorder, client) = recorded(|recorder| recorder);
    wait(run_traffic(&client)).unwrap();
    let har = entries(&recorder.cassette().unwrap());
    let [first, again, second, changed] = [0, 1, 2, 3].map(|nth| &har[nth]);
    assert_eq!(header(first, "request", "idempotency-key"), Some("key-1"));
    assert_eq!(header(again, "request", "idempotency-key"), Some("key-1"));
    assert_eq!(header(again, "response", "idempotency-replayed"), Some("true"));
    assert_eq!(header(second, "request", "idempotency-key"), Some("key-2"));
    assert_eq!(header(second, "response", "location"), Some("/v1/leads/id-2"));
    assert_eq!(changed["request"]["url"], "http://leadapi.invalid/v1/leads/id-1");
    let lead: Value = serde_json::from_str(second["response"]["content"]["text"].as_str().unwrap()).unwrap();
    assert_eq!((lead["id"].as_str(), lead["created_at"].as_str()), (Some("id-2"), Some("2100-01-01T00:00:02.000Z")));
    let list: Value = serde_json::from_str(har[5]["response"]["content"]["text"].as_str().unwrap()).unwrap();
    let ids: Vec<_> = list["data"].as_array().unwrap().iter().map(|lead| lead["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["id-2", "id-1", "lead-1"], "an existing lead keeps its id");
    assert_eq!(list["data"][2]["created_at"], "2026-05-04T07:58:12.004Z");
}

#[test]
fn a_request_without_ids_is_recorded_unchanged() {
    let (recorder, client) = recorded(|recorder| recorder);
    wait(client.leads().create(&NewLead::new(&support::casa_verde(), "Élodie").value(450))).unwrap();
    let entry = &entries(&recorder.cassette().unwrap())[0];
    let body = r#"{"client_id":"casa-verde","name":"Élodie","value":450}"#;
    assert_eq!(entry["request"]["postData"]["text"].as_str().unwrap(), body);
    assert_eq!(entry["request"]["bodySize"], body.len());
}

/// Checks the fields that the HAR specification (<http://www.softwareishard.com/blog/har-12-spec/>) requires.
#[test]
fn a_recording_has_every_field_that_har_requires() {
    let (recorder, client) = recorded(|recorder| recorder);
    wait(run_traffic(&client)).unwrap();
    let har: Value = serde_json::from_str(&recorder.cassette().unwrap().to_har().unwrap()).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&har["log"]), "creator entries version");
    assert_eq!(har["log"]["version"], "1.2");
    assert_eq!(keys(&har["log"]["creator"]), "name version");
    for entry in har["log"]["entries"].as_array().unwrap() {
        assert_eq!(keys(entry), "cache request response startedDateTime time timings");
        assert_eq!(keys(&entry["timings"]), "receive send wait");
        assert_eq!(entry["cache"], serde_json::json!({}));
        let request = keys(&entry["request"]).replace("postData ", "");
        assert_eq!(request, "bodySize cookies headers headersSize httpVersion method queryString url");
        let response = "bodySize content cookies headers headersSize httpVersion redirectURL status statusText";
        assert_eq!(keys(&entry["response"]), response);
        assert_eq!(keys(&entry["response"]["content"]), "mimeType size text");
        let size = entry["response"]["content"]["text"].as_str().unwrap().len();
        assert_eq!(entry["response"]["content"]["size"], size);
        assert_eq!(entry["request"]["cookies"], serde_json::json!([]));
        let url = entry["request"]["url"].as_str().unwrap();
        let parameters = url.split_once('?').map_or(0, |(_, query)| query.split('&').count());
        assert_eq!(entry["request"]["queryString"].as_array().unwrap().len(), parameters);
    }
}

#[test]
fn a_request_without_a_response_fails_the_recording_and_returns_its_error() {
    struct Unplugged;

    #[async_trait::async_trait]
    impl Transport for Unplugged {
        async fn send(&self, _: http::Request<bytes::Bytes>) -> Result<http::Response<bytes::Bytes>, TransportError> {
            Err(TransportError::not_sent("unplugged").while_connecting())
        }
    }

    let recorder = Recorder::new(Unplugged);
    let client = Client::builder("http://nowhere/v1", "pak_0123").transport(recorder.clone()).build().unwrap();
    let error = wait(client.client_accounts().list(Window::default()).retry(RetryPolicy::none())).unwrap_err();
    assert!(error.is_connect());
    let refused = recorder.cassette().unwrap_err();
    assert!(matches!(refused, CassetteError::NoResponse { .. }));
    assert!(refused.to_string().contains("entry 1 (GET /v1/clients) received no response"), "{refused}");
}

#[test]
fn a_retry_after_date_is_recorded_in_seconds() {
    struct Later;

    #[async_trait::async_trait]
    impl Transport for Later {
        async fn send(&self, _: http::Request<bytes::Bytes>) -> Result<http::Response<bytes::Bytes>, TransportError> {
            let response = http::Response::builder().status(429).header("date", "Wed, 21 Oct 2015 07:28:00 GMT");
            let response = response.header("retry-after", "Wed, 21 Oct 2015 07:28:09 GMT").header("x-other", "1");
            let response = response.header("x-request-id", "0198-abc");
            Ok(response.body(bytes::Bytes::from_static(&[0xff, 0xfe])).unwrap())
        }
    }

    let recorder = Recorder::new(Later);
    let client = Client::builder("http://nowhere/v1", "pak_0123").transport(recorder.clone()).build().unwrap();
    wait(client.client_accounts().list(Window::default()).retry(RetryPolicy::none())).unwrap_err();
    let entry = &entries(&recorder.cassette().unwrap())[0];
    let headers =
        serde_json::json!([{"name": "retry-after", "value": "9"}, {"name": "x-request-id", "value": "request-1"}]);
    assert_eq!(entry["response"]["headers"], headers);
    let content = serde_json::json!({"size": 2, "mimeType": "", "text": "//4=", "encoding": "base64"});
    assert_eq!(entry["response"]["content"], content, "a body that is not text is encoded as base64");
}

pub(crate) fn entries(cassette: &Cassette) -> Vec<Value> {
    let har: Value = serde_json::from_str(&cassette.to_har().unwrap()).unwrap();
    har["log"]["entries"].as_array().unwrap().clone()
}

fn header<'a>(entry: &'a Value, part: &str, name: &str) -> Option<&'a str> {
    let headers = entry[part]["headers"].as_array()?;
    headers.iter().find(|header| header["name"] == name)?["value"].as_str()
}

//! Tests that recordings contain no secrets and, by default, no personal data.

use http::{HeaderMap, HeaderValue, Request, Response, header};
use leadapi_client::{
    Client,
    model::{LeadPatch, NewLead, Window},
    transport::{InProcess, Transport, TransportError},
};
use leadapi_testkit::cassette::{CassetteError, Recorder};

use crate::{
    support::{self, wait},
    traffic::{client_of, recorded},
};

/// A transport with a fixed response.
struct FixedResponse(HeaderMap, &'static str);

#[async_trait::async_trait]
impl Transport for FixedResponse {
    async fn send(&self, _: Request<bytes::Bytes>) -> Result<Response<bytes::Bytes>, TransportError> {
        let mut response = Response::new(self.1.into());
        *response.headers_mut() = self.0.clone();
        Ok(response)
    }
}

/// Sends a request and returns its recording as text.
fn saved(request: Request<&'static str>, headers: HeaderMap, answer: &'static str) -> Result<String, CassetteError> {
    let recorder = Recorder::new(FixedResponse(headers, answer));
    wait(recorder.send(request.map(Into::into))).unwrap();
    recorder.cassette()?.to_har()
}

#[test]
fn a_recording_does_not_contain_the_token() {
    let (recorder, client) = recorded(|recorder| recorder.keep_header(header::ACCEPT).unwrap());
    wait(client.leads().create(&NewLead::new(&support::casa_verde(), "Ann"))).unwrap();
    let har = recorder.cassette().unwrap().to_har().unwrap();
    assert!(har.contains(r#""name": "accept""#), "an added header is recorded");
    for word in ["pak_", "authorization", "Bearer"] {
        assert!(!har.contains(word), "{word}");
    }
    for secret in [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE, header::SET_COOKIE] {
        assert!(matches!(recorder.clone().keep_header(secret), Err(CassetteError::SecretHeader { .. })));
    }
}

#[test]
fn a_recording_with_a_token_in_any_part_is_not_saved() {
    let request = |uri: &str| Request::builder().uri(uri).body("").unwrap();
    let plain = || request("http://x/v1/leads");
    let none = HeaderMap::new();
    let with_body = |body| Request::post("http://x/v1/leads").body(body).unwrap();
    let mut keyed = plain();
    keyed.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("x/pak_canary"));
    let location = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_static("/v1/leads/pak%5Fcanary"))]);
    for (result, place) in [
        (saved(request("http://x/v1/leads/pak_canary"), none.clone(), ""), "the URL of entry 1 (GET)"),
        (saved(request("http://x/v1/leads?a=%70ak_canary"), none.clone(), ""), "the URL of entry 1 (GET)"),
        (saved(keyed, none.clone(), ""), "a request header of entry 1 (GET)"),
        (saved(with_body(r#"{"source":"pak_canary"}"#), none.clone(), ""), "the request body of entry 1 (POST)"),
        (saved(with_body("not JSON pak_canary"), none.clone(), ""), "the request body of entry 1 (POST)"),
        (saved(plain(), location, ""), "a response header of entry 1 (GET)"),
        (saved(plain(), none.clone(), r#"{"error":"pa\u006b_canary"}"#), "the response body of entry 1 (GET)"),
    ] {
        let error = result.unwrap_err().to_string();
        assert_eq!(error, format!("not saved: {place} contains what looks like a token (pak_…)"));
    }
    saved(with_body(r#"{"source":"pak_"}"#), none, r#"{"error":"a token begins with pak_"}"#).unwrap();
}

#[test]
fn no_file_is_written_if_a_token_is_found() {
    let recorder = Recorder::new(FixedResponse(HeaderMap::new(), r#"{"error":"pak_canary"}"#));
    wait(recorder.send(Request::new(bytes::Bytes::new()))).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("token.har");
    // An earlier, failed run may have left the file behind.
    let _ = std::fs::remove_file(&path);
    assert!(matches!(recorder.cassette().unwrap().save(&path), Err(CassetteError::Token { .. })));
    assert!(!path.exists());
}

#[test]
fn personal_data_is_redacted_by_default() {
    let (service, token) = support::service();
    let run = async |client: &Client, name: &str, email: &str| {
        let new = NewLead::new(&support::casa_verde(), name).email(email).phone("+34 600 000 000").source("fair");
        let lead = client.leads().create(&new.notes("Calls at night").business_name("Sol y Sombra")).await?;
        client.leads().update(&lead.id, &LeadPatch::new().notes("Moved to Bergen")).await?;
        let page = client.leads().list(&leadapi_client::model::LeadQuery::new()).await?;
        client.pipelines().list(Window::default()).await?;
        client.client_accounts().list(Window::default()).await?;
        Ok::<_, leadapi_client::Error>((lead.name, page.data[0].email.clone()))
    };
    let record = |with: fn(Recorder) -> Recorder| {
        let recorder = with(Recorder::new(InProcess::new(service.clone())));
        let client = Client::builder("http://in-process/v1", &token).transport(recorder.clone()).build().unwrap();
        wait(run(&client, "Élodie Martin", "elodie@example.fr")).unwrap();
        recorder.cassette().unwrap()
    };
    let private =
        ["Élodie", "elodie@example.fr", "600 000", "Calls at night", "Sol y Sombra", "Moved to Bergen", "\\\"Ann\\\""];
    let cassette = record(|recorder| recorder);
    let har = cassette.to_har().unwrap();
    for private in private {
        assert!(!har.contains(private), "{private} in {har}");
    }
    for public in ["fair", "Casa Verde", "Sales"] {
        assert!(har.contains(public), "{public} is not personal data: {har}");
    }
    assert_eq!(har.matches("redacted-1\\\"").count(), 4, "sent once, returned twice and listed once: {har}");

    // The replay answers with the values that this program sends.
    let transport = cassette.transport();
    let (name, email) = wait(run(&transport.client().unwrap(), "Bo", "bo@example.com")).unwrap();
    assert_eq!((name.as_str(), email.as_deref()), ("Bo", Some("bo@example.com")));
    transport.verify().unwrap();

    let har = record(Recorder::keep_personal_data).to_har().unwrap();
    for private in private {
        assert!(har.contains(private), "{private}");
    }
}

#[test]
fn a_recording_that_repeats_an_email_in_another_field_is_not_saved() {
    let quoted = saved(
        Request::post("http://x/v1/leads").body(r#"{"name":"Madrid","email":"ann@example.com"}"#).unwrap(),
        HeaderMap::new(),
        r#"{"error":"in Madrid, ann@example.com is known"}"#,
    );
    assert!(matches!(quoted, Err(CassetteError::Leak { .. })), "{quoted:?}");
    // A name may be a common word, so it is not checked for leaks. A proxy's HTML page is saved unchanged.
    let request = || Request::post("http://x/v1/leads").body(r#"{"name":"Madrid","phone":1}"#).unwrap();
    saved(request(), HeaderMap::new(), r#"{"error":"no trains to Madrid"}"#).unwrap();
    saved(request(), HeaderMap::new(), "<html>").unwrap();
}

#[test]
fn redacted_texts_have_one_placeholder_and_are_replayed_with_the_values_sent() {
    let (recorder, client) =
        recorded(|recorder| recorder.redact("email").redact("/phone").redact("/data/*/phone").redact("/data/*/name"));
    let run = async |client: &Client, email: &str, phone: &str| {
        let new = NewLead::new(&support::casa_verde(), "Ann").email(email).phone(phone);
        let lead = client.leads().create(&new).await?;
        let changed = client.leads().update(&lead.id, &LeadPatch::new().email("other@example.com")).await?;
        let back = client.leads().update(&lead.id, &LeadPatch::new().email(email)).await?;
        let page = client.leads().list(&leadapi_client::model::LeadQuery::new()).await?;
        Ok::<_, leadapi_client::Error>((lead.email, changed.email, back.email, lead.phone, page.data[0].name.clone()))
    };
    let email = "ann@example.com";
    wait(run(&client, email, "+34 600 000 000")).unwrap();
    let cassette = recorder.cassette().unwrap();
    let har = cassette.to_har().unwrap();
    for private in ["@example.com", "600 000"] {
        assert!(!har.contains(private), "{private} in {har}");
    }
    assert_eq!(har.matches("redacted-1").count(), 5, "sent twice, returned twice, listed once: {har}");

    // A different address also matches if it is used consistently.
    let transport = cassette.transport();
    let (created, changed, back, phone, listed) =
        wait(run(&transport.client().unwrap(), "x@example.org", "12345")).unwrap();
    assert_eq!(created.as_deref(), Some("x@example.org"));
    assert_eq!(changed.as_deref(), Some("other@example.com"));
    assert_eq!((back, phone.as_deref()), (created, Some("12345")));
    assert!(listed.starts_with("redacted-"), "the program never sent this value: {listed}");
    transport.verify().unwrap();

    let transport = cassette.transport();
    let error = wait(run(&client_of(transport.clone()), "other@example.com", "12345")).unwrap_err();
    // A second request with the same address matches the third entry instead of the second entry.
    assert!(error.message().contains("entry 3 (PATCH /v1/leads/id-1) matches, but entry 2"), "{}", error.message());
    transport.verify().unwrap_err();
}

#[test]
fn a_redacted_text_must_match_consistently() {
    let (recorder, client) = recorded(|recorder| recorder.redact("email"));
    let create = async |client: &Client, email: &str| {
        client.leads().create(&NewLead::new(&support::casa_verde(), "Ann").email(email)).await
    };
    for _ in 0..2 {
        wait(create(&client, "ann@example.com")).unwrap();
    }
    let transport = recorder.cassette().unwrap().transport();
    let client = client_of(transport.clone());
    wait(create(&client, "x@example.org")).unwrap();
    let error = wait(create(&client, "y@example.org")).unwrap_err();
    let sentence = r#"entry 2 (POST /v1/leads): /email is "y@example.org", not "redacted-1""#;
    assert!(error.message().ends_with(sentence), "{}", error.message());
    transport.verify().unwrap_err();
}

#[test]
fn a_recording_that_cannot_be_redacted_is_not_saved() {
    let redacting = |field: &str, body: &'static str, answer: &'static str| {
        let recorder = Recorder::new(FixedResponse(HeaderMap::new(), answer)).redact(field);
        wait(recorder.send(Request::post("http://x/v1/leads").body(body.into()).unwrap())).unwrap();
        recorder.cassette().map(drop).map_err(|error| error.to_string())
    };
    let (email, answer) = (r#"{"email":"ann@example.com"}"#, r#"{"error":"who is ann@ex\u0061mple.com?"}"#);
    let leak = "the response body of entry 1 (POST) repeats a value that is redacted elsewhere; redact that field too";
    assert_eq!(redacting("email", email, answer), Err(format!("not saved: {leak}")));
    let number = "/value in the request body of entry 1 (POST) cannot be redacted: it is not a string";
    assert_eq!(redacting("value", r#"{"value":450}"#, ""), Err(format!("not saved: {number}")));
    let page = "the response body of entry 1 (POST) cannot be redacted: it is not JSON";
    assert_eq!(redacting("email", email, "<html>"), Err(format!("not saved: {page}")));
    assert_eq!(redacting("email", r#"{"email":null}"#, ""), Ok(()));
}

#[test]
fn a_query_parameter_is_redacted_by_its_name() {
    let recorder = Recorder::new(FixedResponse(HeaderMap::new(), "")).redact("email");
    let request = Request::get("http://x/v1/leads?email=ann%40example.com").body(bytes::Bytes::new()).unwrap();
    wait(recorder.send(request)).unwrap();
    let har = recorder.cassette().unwrap().to_har().unwrap();
    assert!(har.contains("?email=redacted-1") && !har.contains("example.com"), "{har}");
}

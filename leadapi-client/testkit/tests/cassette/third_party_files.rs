//! Tests with HAR files written by other programs.

use leadapi_client::{
    RetryPolicy,
    id::LeadId,
    model::{LeadQuery, NewLead, Window},
};
use leadapi_testkit::cassette::{Cassette, CassetteError};

use crate::{support::wait, traffic::client_of};

/// A HAR file from a browser, with custom fields, HTTP/2 headers, compressed and base64 content, other hosts,
/// preflights, cancelled requests, and a token.
const BROWSER: &str = r#"{"log": {
    "version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "browser": {"name": "x", "version": "1"},
    "pages": [{"id": "page_1", "startedDateTime": "2026-05-04T08:00:00.123Z", "title": "CRM", "pageTimings": {"onLoad": 1.5}}],
    "entries": [
        {"_initiator": {"type": "other"}, "time": 1.25, "startedDateTime": "2026-05-04T08:00:00.123Z", "pageref": "page_1",
         "request": {"method": "GET", "url": "https://crm.example.com/", "headers": []},
         "response": {"status": 200, "content": {"size": 6, "mimeType": "text/html", "text": "<html>"}}},
        {"request": {"method": "OPTIONS", "url": "https://api.example.com/public/v1/leads", "headers": []},
         "response": {"status": 204, "content": {"size": 0, "mimeType": "x-unknown"}}},
        {"request": {"method": "GET", "url": "https://api.example.com/public/v1/leads?offset=0&limit=50", "headers": []},
         "response": {"status": 0, "_error": "net::ERR_ABORTED", "content": {"size": 0, "mimeType": "x-unknown"}}},
        {"_priority": "High", "connection": "443", "serverIPAddress": "203.0.113.7", "cache": {}, "timings": {"blocked": -1},
         "request": {"method": "get", "url": "https://api.example.com/public/v1/leads?offset=0&limit=50#top",
            "httpVersion": "h2", "headersSize": -1, "bodySize": 0, "cookies": [{"name": "session", "value": "1"}],
            "queryString": [{"name": "offset", "value": "0"}, {"name": "limit", "value": "50"}],
            "headers": [{"name": ":authority", "value": "api.example.com"}, {"name": "Authorization", "value": "Bearer pak_1"},
                {"name": "Cookie", "value": "session=1"}]},
         "response": {"status": 200, "statusText": "", "httpVersion": "h2", "cookies": [], "redirectURL": "", "_transferSize": 9,
            "headers": [{"name": ":status", "value": "200"}, {"name": "content-encoding", "value": "br"},
                {"name": "content-length", "value": "9"}, {"name": "Content-Type", "value": "application/json"},
                {"name": "transfer-encoding", "value": "chunked"}, {"name": "set-cookie", "value": "session=2"}],
            "content": {"size": 46, "mimeType": "application/json", "compression": -3, "encoding": "base64",
                "text": "eyJkYXRhIjpbXSwidG90YWwiOjcs\r\nImxpbWl0Ijo1MCwib2Zmc2V0IjowfQ"}}},
        {"request": {"method": "PATCH", "url": "https://api.example.com/public/v1/leads/a%2Db", "headers": [],
            "postData": {"mimeType": "application/json", "params": [], "text": "{\"value\": 450.0, \"email\": null}"}},
         "response": {"status": 404, "headers": [], "content": {"size": 26, "mimeType": "application/json",
            "text": "{\"error\":\"no such lead\"}"}}}
    ]
}}"#;

#[tokio::test]
async fn a_browser_recording_is_replayed() {
    let cassette = Cassette::parse(&format!("\u{feff}{BROWSER}")).unwrap().only("https://api.example.com/");
    let replay = cassette.replay().await;
    assert!(replay.url().ends_with("/public/v1"));
    let client = replay.client().unwrap();
    let (page, meta) = client.leads().list(&LeadQuery::new()).with_meta().await.unwrap();
    assert_eq!((page.total, meta.headers["content-type"].to_str().unwrap()), (7, "application/json"));
    assert!(!meta.headers.contains_key("content-encoding") && !meta.headers.contains_key("set-cookie"));
    let patch = leadapi_client::model::LeadPatch::new().clear_email().value(450);
    let error = client.leads().update(&LeadId::parse("a-b").unwrap(), &patch).await.unwrap_err();
    assert_eq!(error.message(), "no such lead");
    replay.verify().unwrap();
}

/// Playwright writes -1 for a cancelled request, and other programs write null or omit the status.
#[tokio::test]
async fn entries_without_a_response_are_skipped() {
    let entry = |response: &str| {
        let request = r#"{"method": "GET", "url": "https://x/v1/clients?limit=50&offset=0"}"#;
        format!(r#"{{"request": {request}, "response": {response}}}"#)
    };
    let cancelled = [r#"{"status": -1}"#, r#"{"status": null}"#, r#"{"status": 0}"#, "{}"].map(entry).join(",");
    let answered = entry(r#"{"status": 500, "content": {"text": "{\"error\": \"internal error\"}"}}"#);
    let har = format!(r#"{{"log": {{"entries": [{cancelled},{answered}]}}}}"#);
    let cassette = Cassette::parse(&har).unwrap();
    assert_eq!((cassette.len(), cassette.skipped()), (5, 4));
    let replay = cassette.replay().await;
    let call = replay.client().unwrap().client_accounts().list(Window::default()).retry(RetryPolicy::none());
    assert!(call.await.unwrap_err().is_server_error());
    replay.verify().unwrap();
    Cassette::parse(&cassette.to_har().unwrap()).unwrap();
}

#[test]
fn a_browser_recording_is_saved_without_secrets() {
    let har = Cassette::parse(BROWSER).unwrap().to_har().unwrap();
    for private in ["pak_1", "session", "203.0.113.7", "2026-05-04"] {
        assert!(!har.contains(private), "{private}");
    }
    assert_eq!(Cassette::parse(&har).unwrap().to_har().unwrap(), har);
    assert!(har.contains(r#""name": "offset""#), "the query parameters are also listed separately");
}

#[test]
fn loading_names_an_entry_that_cannot_be_replayed() {
    let har = |response: &str| {
        let request = r#"{"method": "GET", "url": "https://x/v1/clients"}"#;
        Cassette::parse(&format!(r#"{{"log": {{"entries": [{{"request": {request}, "response": {response}}}]}}}}"#))
    };
    let status = har(r#"{"status": 1000}"#).unwrap_err();
    assert_eq!(status.to_string(), "entry 1 (GET /v1/clients) cannot be replayed: its status is invalid");
    for content in [r#"{"text": "*", "encoding": "base64"}"#, r#"{"text": "x", "encoding": "rot13"}"#] {
        let error = har(&format!(r#"{{"status": 200, "content": {content}}}"#)).unwrap_err();
        assert!(matches!(error, CassetteError::InvalidEntry { .. }), "{error}");
    }
    for text in ["", "{}", r#"{"log": 1}"#] {
        assert!(matches!(Cassette::parse(text), Err(CassetteError::NotHar { .. })), "{text}");
    }
}

#[test]
fn loading_refuses_an_entry_without_its_body() {
    let refused = |entries: &str| Cassette::parse(&format!(r#"{{"log": {{"entries": [{entries}]}}}}"#)).unwrap_err();
    let get = |response: &str| {
        format!(r#"{{"request": {{"method": "GET", "url": "https://x/v1/leads"}}, "response": {response}}}"#)
    };
    let missing = "its response body is missing: the file omits content.text";
    let compressed = "its response body is still compressed; save the file with decoded bodies";
    let br = r#""headers": [{"name": "Content-Encoding", "value": "br"}]"#;
    for (response, why) in [
        (r#"{"status": 200}"#.to_owned(), missing),
        (r#"{"status": 200, "content": {"size": 46, "mimeType": "application/json"}}"#.to_owned(), missing),
        (r#"{"status": 404, "content": {"size": 24}}"#.to_owned(), missing),
        (r#"{"status": 200, "content": {"text": "H4sIAAAA", "encoding": "base64"}}"#.to_owned(), compressed),
        (r#"{"status": 500, "content": {"text": "H4sIAAAA", "encoding": "base64"}}"#.to_owned(), compressed),
        (r#"{"status": 200, "content": {"text": "KLUv/QQA", "encoding": "base64"}}"#.to_owned(), compressed),
        (format!(r#"{{"status": 200, {br}, "content": {{"text": "iwKA/w==", "encoding": "base64"}}}}"#), compressed),
        (
            r#"{"status": 200, "content": {"text": "//4=", "encoding": "base64"}}"#.to_owned(),
            "its response body is not text",
        ),
    ] {
        let good = get(r#"{"status": 200, "content": {"text": "{}"}}"#);
        let error = refused(&format!("{good}, {}", get(&response)));
        assert_eq!(error.to_string(), format!("entry 2 (GET /v1/leads) cannot be replayed: {why}"), "{response}");
    }
    let no_text = r#"{"request": {"method": "POST", "url": "https://x/v1/leads", "bodySize": 31,
        "postData": {"mimeType": "application/json"}}, "response": {"status": 500}}"#;
    assert!(refused(no_text).to_string().contains("omits its text"), "{}", refused(no_text));
}

#[test]
fn loading_refuses_two_base_paths() {
    let entry =
        |url: &str| format!(r#"{{"request": {{"method": "GET", "url": "{url}"}}, "response": {{"status": 500}}}}"#);
    let har = |urls: &[&str]| {
        let entries: Vec<String> = urls.iter().map(|url| entry(url)).collect();
        format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","))
    };
    // Entries outside the API are ignored when base paths are compared.
    Cassette::parse(&har(&["https://x/", "https://x/v1/leads", "https://x/app.js", "https://x/v1/clients"])).unwrap();
    let mixed = har(&["https://a/v1/leads", "https://a/v1/clients", "https://b/v2/leads"]);
    let error = Cassette::parse(&mixed).unwrap_err().to_string();
    let why = "its base path differs from the earlier entries; use Cassette::load_only to load a single API";
    assert_eq!(error, format!("entry 3 (GET /v2/leads) cannot be replayed: {why}"));

    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-bases.har");
    std::fs::write(&path, mixed).unwrap();
    assert_eq!(Cassette::load_only(&path, "https://a/").unwrap().len(), 2);
}

#[test]
fn an_empty_cassette_matches_no_request() {
    let transport = Cassette::parse(r#"{"log": {"entries": []}}"#).unwrap().transport();
    let error = wait(client_of(transport.clone()).client_accounts().list(Window::default())).unwrap_err();
    let sentence = "GET /v1/clients?limit=50&offset=0 does not match the cassette: the cassette is empty";
    assert_eq!(error.message(), sentence);
    transport.verify().unwrap_err();
}

/// Browsers and most programs send no idempotency key, but `leadapi-client` does.
#[tokio::test]
async fn a_create_recorded_without_a_key_matches_one_with_a_key() {
    let har = r#"{"log": {"entries": [{
        "request": {"method": "POST", "url": "https://api.example.com/v1/leads",
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "postData": {"mimeType": "application/json", "text": "{\"name\": \"Ann\", \"client_id\": \"c1\"}"}},
        "response": {"status": 201, "headers": [], "content": {"mimeType": "application/json",
            "text": "{\"id\":\"l1\",\"client_id\":\"c1\",\"name\":\"Ann\",\"email\":null,\"phone\":null,\"source\":null,\"notes\":null,\"value\":null,\"pipeline_id\":null,\"stage_id\":null,\"business_name\":null,\"created_at\":\"2026-05-04T12:00:00.000Z\"}"}}}]}}"#;
    let replay = Cassette::parse(har).unwrap().replay().await;
    let client = replay.client().unwrap();
    let lead = client.leads().create(&NewLead::new(&"c1".parse().unwrap(), "Ann")).await.unwrap();
    assert_eq!(lead.id.as_str(), "l1");
    replay.verify().unwrap();
}

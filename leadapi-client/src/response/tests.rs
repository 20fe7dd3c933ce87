use http::HeaderValue;
use leadapi_model::{
    auth::BearerToken,
    model::{Lead, Page},
};

use super::*;
use crate::{Outcome, base_url::BaseUrl};

fn response(operation: Operation, status: u16, body: &str) -> Result<ApiResponse<'static>, Error> {
    let http = Response::builder().status(status).body(Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let response = ApiResponse::new(operation, Box::leak(Box::new(http)), Box::leak(Box::new(origin())));
    response.check_status().map(|()| response)
}

fn origin() -> Origin {
    Origin {
        base: BaseUrl::parse("https://api.example.com/v1").unwrap(),
        token: BearerToken::parse("pak_secret").unwrap(),
        authorization: HeaderValue::from_static("Bearer pak_secret"),
        user_agent: HeaderValue::from_static("test"),
    }
}

#[test]
fn only_the_service_can_tell_that_a_lead_does_not_exist() {
    const URL: &str = "https://api.example.com/v1/leads";
    let no_such_lead = r#"{"error":"id: no such lead"}"#;
    for operation in [Operation::GetLead, Operation::UpdateLead, Operation::DeleteLead] {
        let error = response(operation, 404, no_such_lead).unwrap_err();
        assert!(error.is_not_found() && !error.is_configuration(), "{error}");
        for (status, body) in [
            (404, r#"{"error":"path: there is no such path"}"#),
            (404, r#"{"message":"no such lead"}"#),
            (404, "default backend - 404"),
            (404, ""),
            (405, r#"{"error":"method DELETE is not allowed"}"#),
            (301, ""),
        ] {
            let error = response(operation, status, body).unwrap_err();
            assert!(!error.is_not_found() && error.is_configuration(), "{error}");
            let text = format!("(the base URL may be wrong: there is no such operation at {URL}/{{id}})");
            assert!(error.to_string().ends_with(&text), "{error}");
        }
    }
    // The path of a create contains no lead id, so a 404 cannot mean that a lead does not exist.
    let error = response(Operation::CreateLead, 404, no_such_lead).unwrap_err();
    assert!(!error.is_not_found() && error.to_string().contains(URL), "{error}");
}

#[test]
fn a_refused_redirect_names_its_target_without_the_query() {
    let refused = |target: &'static str| {
        let http = Response::builder().status(302).header(LOCATION, target).body(Bytes::new()).unwrap();
        let origin = origin();
        ApiResponse::new(Operation::ListLeads, &http, &origin).check_status().unwrap_err().message()
    };
    for (target, named) in [
        ("https://login.example.com/sso?state=pak_secret&code=123", "https://login.example.com/sso"),
        ("/v1/leads/#top", "/v1/leads/"),
        ("https://example.com/pak_secret/x", "https://example.com/pak_[token]"),
    ] {
        assert_eq!(refused(target), format!("redirects are not followed; the target is {named}"));
    }
    assert_eq!(refused(""), "redirects are not followed");
}

#[test]
fn a_rate_limited_response_names_the_wait() {
    let http = Response::builder().status(429).header(RETRY_AFTER, "86400").body(Bytes::new()).unwrap();
    let origin = origin();
    let error = ApiResponse::new(Operation::ListLeads, &http, &origin).check_status().unwrap_err();
    assert_eq!(error.to_string(), "GET /leads: 429 Too Many Requests: the body is empty (retry after 86400 s)");
}

#[test]
fn only_the_status_in_the_operation_table_is_success() {
    for (operation, success) in [
        (Operation::ListLeads, 200),
        (Operation::CreateLead, 201),
        (Operation::UpdateLead, 200),
        (Operation::DeleteLead, 204),
    ] {
        for status in 200..=999 {
            assert_eq!(response(operation, status, "").is_ok(), status == success, "{operation:?} {status}");
        }
    }
    let error = response(Operation::CreateLead, 200, "{}").unwrap_err();
    assert_eq!(error.to_string(), "POST /leads: 200 OK: the expected status is 201 Created");
    assert_eq!(error.outcome(), Outcome::Unknown);
}

#[test]
fn each_status_has_an_outcome() {
    for status in 200..=999 {
        let Err(error) = response(Operation::CreateLead, status, "") else { continue };
        let refused = (400..500).contains(&status) && status != 408;
        assert_eq!(error.outcome() == Outcome::Refused, refused, "{status}");
        assert_ne!(error.outcome(), Outcome::NotSent);
        assert_eq!(error.is_server_error(), (500..600).contains(&status));
    }
}

#[test]
fn messages_of_all_kinds_of_bodies_are_sanitized() {
    let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(3_000));
    for (status, body, message) in [
        (400, r#"{"error":"name is required"}"#, "name is required"),
        (400, r#"{"error":"a","code":7,"more":{"error":1}}"#, "a"),
        (400, r#"{"error":{"message":"a"}}"#, r#"{"error":{"message":"a"}}"#),
        (400, r#"{"error":"a\nb\u001b[2J"}"#, "a b\u{fffd}[2J"),
        (400, &long, &format!("{}…", "x".repeat(2_000))),
        (502, "<html>\n<h1>Bad Gateway</h1>", "<html> <h1>Bad Gateway</h1>"),
        (502, &"é".repeat(300), &format!("{}…", "é".repeat(200))),
        (500, "", "the body is empty"),
        (500, "[]", "[]"),
        (307, "", "redirects are not followed"),
        (418, "you sent Authorization: Bearer pak_secret", "you sent Authorization: Bearer pak_[token]"),
    ] {
        assert_eq!(response(Operation::GetLead, status, body).unwrap_err().message(), message);
    }
    let binary = Response::builder().status(500).body(Bytes::from_static(b"\xff\0\xfe")).unwrap();
    let origin = origin();
    let error = ApiResponse::new(Operation::GetLead, &binary, &origin).check_status().unwrap_err();
    assert_eq!(error.message(), "\u{fffd}\u{fffd}\u{fffd}");
}

#[test]
fn an_invalid_body_of_a_success_is_reported_without_data() {
    use std::error::Error as _;

    let body = r#"{"data":[{"id":"pak_secret\u001b"}],"total":"pak_secret Bob"}"#;
    let response = response(Operation::ListLeads, 200, body).unwrap();
    let error = response.json::<Page<Lead>>().unwrap_err();
    let (text, reason) = (error.to_string(), error.source().unwrap().to_string());
    assert!(text.starts_with("GET /leads: 200 OK: the body does not match the operation's response type: "), "{text}");
    assert!(!text.contains("Bob") && !reason.contains("Bob"), "{text}");
    assert!(reason.contains("line 1 column"), "{reason}");
    assert!(!format!("{text}{reason}{error:?}").contains("pak_secret"));
    assert_eq!(error.outcome(), Outcome::Unknown);
}

#[test]
fn the_error_names_the_invalid_field() {
    let lead = |id: &str, at: &str, more: &str| {
        format!(r#"{{"id":"{id}","client_id":"c1","name":"Bob","created_at":"{at}"{more}}}"#)
    };
    let at = "2026-05-04T07:58:12.004Z";
    for (lead, reason) in [
        (lead("l2", "yesterday Bob", ""), "data[1].created_at: must be an RFC 3339 timestamp"),
        (lead("", at, ""), "data[1].id: an id must be 1 to 64 visible ASCII characters"),
        (lead("l2", at, r#","name":"Bob""#), "data[1]: duplicate field `name`"),
        (lead("l2", at, r#","email":["Bob"]"#), "data[1].email: expected a string"),
        (lead("l2", at, r#","value":"Bob""#), "data[1].value: expected f64"),
        (r#"{"id":"l2"}"#.to_owned(), "data[1]: missing field `client_id`"),
    ] {
        let first = r#"{"id":"l1","client_id":"c1","name":"Ann","created_at":"2026-05-04T07:58:12.004Z"}"#;
        let body = format!(r#"{{"data":[{first},{lead}],"total":2,"limit":50,"offset":0}}"#);
        let error = response(Operation::ListLeads, 200, &body).unwrap().json::<Page<Lead>>().unwrap_err();
        let text = error.to_string();
        let start = format!("GET /leads: 200 OK: the body does not match the operation's response type: {reason}");
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains("line 1 column") && !text.contains("Bob"), "{text}");
    }
}

#[test]
fn retry_after_is_parsed_in_seconds_and_as_a_date() {
    let now = httpdate::parse_http_date("Mon, 04 May 2026 12:00:00 GMT").unwrap();
    let read = |value: &'static str, date: Option<&'static str>| {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        date.map(|date| headers.insert(DATE, HeaderValue::from_static(date)));
        retry_after(&headers, || now).map(|wait| wait.as_secs())
    };
    assert_eq!(read("17", None), Some(17));
    assert_eq!(read("0", None), Some(0));
    assert_eq!(read("18446744073709551615", None), Some(86_400));
    assert_eq!(read("Mon, 04 May 2099 12:00:30 GMT", None), Some(86_400));
    assert_eq!(read("Mon, 04 May 2026 12:00:30 GMT", None), Some(30));
    assert_eq!(read("Mon, 04 May 2026 12:00:30 GMT", Some("Mon, 04 May 2026 12:00:20 GMT")), Some(10));
    assert_eq!(read("Mon, 04 May 2026 11:00:00 GMT", None), Some(0));
    assert_eq!(read("99999999999999999999", None), Some(86_400));
    assert_eq!(read("1.5", None), Some(2));
    assert_eq!(read("0.001", None), Some(1));
    assert_eq!(read("7.0", None), Some(7));
    assert_eq!(read("99999999999999999999.9", None), Some(86_400));
    for bad in ["", "-1", "1.", ".5", "1.5.2", "1,5", "1e3", "soon"] {
        assert_eq!(read(bad, None), None, "{bad}");
    }
}

//! Checks that apply to every response, regardless of the request.

use bytes::Bytes;
use http::{Method, Request};
use leadapi_core::validate::{LEAD_FIELDS, LeadField};
use serde_json::Value;

use crate::{Description, TestResponse, Token};

const STATUSES: [u16; 10] = [200, 201, 204, 400, 401, 403, 404, 405, 429, 500];
const ENVELOPE: [&str; 4] = ["data", "limit", "offset", "total"];
const PIPELINE: [&str; 4] = ["created_at", "id", "name", "stages"];
const STAGE: [&str; 3] = ["id", "name", "position"];
const CLIENT: [&str; 3] = ["created_at", "id", "name"];

/// Returns the requirements of the contract that a response violates. `path` is the request's path below the base path.
pub fn broken_invariants(request: &Request<Bytes>, path: &str, answer: &TestResponse) -> Vec<String> {
    let mut wrong = headers(answer);
    if *request.method() == Method::HEAD || answer.status == 204 {
        if !answer.body.is_empty() {
            wrong.push("D2: HEAD and 204 have no body".into());
        }
    } else if answer.status.is_success() {
        wrong.extend(shape(path, &answer.json()));
    } else {
        wrong.extend(error_object(answer));
    }
    wrong.extend(leaks(Token::of(request), answer));
    wrong.extend(Description::committed().breaks(request, path, answer));
    wrong
}

fn headers(answer: &TestResponse) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut must = |rule: bool, sentence: &str| {
        if !rule {
            wrong.push(sentence.to_owned());
        }
    };
    let status = answer.status.as_u16();
    let is = |name, value: &str| answer.header(name).as_deref() == Some(value);
    must(STATUSES.contains(&status), "D2: the service sends only these statuses");
    must(is("cache-control", "no-store"), "D2: every response carries Cache-Control: no-store");
    must(is("x-content-type-options", "nosniff"), "D2: every response carries X-Content-Type-Options: nosniff");
    let limits =
        |name: &http::HeaderName| name.as_str().starts_with("x-ratelimit") || name.as_str().starts_with("ratelimit");
    must(!answer.headers.keys().any(limits), "8: no X-RateLimit-* headers are sent");
    must(
        if status == 204 { answer.header("content-type").is_none() } else { is("content-type", "application/json") },
        "D2: only a 204 lacks Content-Type: application/json",
    );
    must((status == 405) == answer.header("allow").is_some(), "D2: 405 carries Allow");
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    must(status != 401 || challenge.starts_with("Bearer "), "D2: 401 carries WWW-Authenticate: Bearer");
    let retry = answer.header("retry-after").unwrap_or_default();
    let digits = retry.bytes().all(|byte| byte.is_ascii_digit());
    let whole = digits && retry.parse().is_ok_and(|seconds| (1..=60).contains(&seconds));
    must((status == 429) == whole, "D2: 429 carries Retry-After in whole seconds, 1 to 60");
    must((status == 201) == answer.header("location").is_some(), "D2: 201 + Location");
    wrong
}

fn error_object(answer: &TestResponse) -> Vec<String> {
    let message = answer.json().as_object().filter(|object| object.len() == 1).map(|_| answer.error());
    match message {
        None => vec!["D2: every error body is exactly {\"error\": \"<one message>\"}".into()],
        Some(message) if message.is_empty() => vec!["2.4: error is a human-readable message".into()],
        Some(message) if answer.status == 500 && message != "internal error" => {
            vec!["D2: a 500 has the message `internal error` and does not reveal its cause".into()]
        }
        Some(_) => Vec::new(),
    }
}

/// Returns the sorted names of the lead fields for which `has` is true.
fn lead_keys(has: fn(LeadField) -> bool) -> Vec<&'static str> {
    let mut keys: Vec<_> = LEAD_FIELDS.into_iter().filter(|field| has(*field)).map(LeadField::name).collect();
    keys.sort_unstable();
    keys
}

/// Checks that a body has exactly the fields of its resource, with none missing or extra (contract D2).
fn shape(path: &str, body: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut keys = |value: &Value, expected: &[&str], what: &str| {
        let found: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        if sorted != expected {
            wrong.push(format!("D2: a {what} has exactly the fields {expected:?}, not {found:?}"));
        }
    };
    let Some(data) = body.get("data") else {
        keys(body, &lead_keys(|_| true), "full lead");
        return wrong;
    };
    keys(body, &ENVELOPE, "list");
    for item in data.as_array().into_iter().flatten() {
        if path.starts_with("/leads") {
            keys(item, &lead_keys(LeadField::is_in_list), "list item");
        } else if path.starts_with("/clients") {
            keys(item, &CLIENT, "client account");
        } else {
            keys(item, &PIPELINE, "pipeline");
            for stage in item["stages"].as_array().into_iter().flatten() {
                keys(stage, &STAGE, "stage");
            }
        }
    }
    wrong
}

/// Searches the whole response for data of the other business and for the token (contract 5 and D8).
fn leaks(token: Token, answer: &TestResponse) -> Vec<String> {
    let all = answer.bytes();
    let foreign = if token == Token::B { "Canary-A" } else { "Canary-B" };
    let secret = token.secret();
    let secrets = secret.iter().map(String::as_str).chain([foreign]);
    secrets
        .filter(|secret| all.contains(secret))
        .map(|secret| format!("5 and D8: the response contains {secret}"))
        .collect()
}

/// Checks that a HEAD response equals the GET response without the body, with the same `Content-Length` (contract D2,
/// D7).
pub(crate) fn head_is_get_without_body(head: &TestResponse, get: &TestResponse) -> Vec<String> {
    let mut wrong = Vec::new();
    if !head.body.is_empty() {
        wrong.push("D7: HEAD has no body".into());
    }
    let bare = TestResponse { body: Bytes::new(), ..get.clone() };
    if head.bytes() != bare.bytes() {
        wrong.push(format!("D7: HEAD is GET without its body, but it is {}", head.bytes()));
    }
    if head.header("content-length") != Some(get.body.len().to_string()) {
        let length = head.header("content-length");
        wrong.push(format!("D2: HEAD carries the Content-Length of its GET, {}, not {length:?}", get.body.len()));
    }
    wrong
}

//! Request bodies (contract D5): content type, JSON syntax and size.

mod sizes;

use leadapi_tests::{Case, patch, post, request, run_table};
use serde_json::json;

const MINIMAL: &str = r#"{"client_id":"a-client-1","name":"Ann"}"#;

#[tokio::test]
async fn invalid_bodies_are_400_and_name_the_problem() {
    run_table([types(), syntax(), members(), sizes::cases(), together()].concat()).await;
}

/// Sends a body that must be rejected to both operations that take one.
fn both(name: &str, body: impl Into<bytes::Bytes>) -> [Case; 2] {
    let body = body.into();
    [
        request(format!("{name} (POST)"), "POST", "/leads").text(body.clone()).is(400),
        request(format!("{name} (PATCH)"), "PATCH", "/leads/a-lead-1").text(body).is(400),
    ]
}

fn typed(name: String, content_type: Option<&str>) -> Case {
    request(name, "POST", "/leads").text(MINIMAL).content_type(content_type)
}

fn types() -> Vec<Case> {
    let mut cases = vec![typed("D5 absent Content-Type is taken as JSON".into(), None).is(201)];
    for good in [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json ; charset=\"utf-8\"",
        "application/json; Charset=Utf-8",
        "application/merge-patch+json",
        "application/vnd.leads.v1+json; charset=utf-8",
        "text/x+json",
        "application/json; profile=\"a;charset=latin1\"",
    ] {
        cases.push(typed(format!("D5 Content-Type {good}"), Some(good)).is(201));
    }
    for bad in [
        "",
        "json",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=+json",
        "application/jsonp",
        "application/json5",
        "application/xml",
        "application/",
        "*/*",
        "application/json; charset=latin1",
        "application/json; charset=utf-16",
        "application/json; charset =latin1",
        "application/json; charset= latin1",
        "application/merge-patch+json; charset=iso-8859-1",
        "application/json; charset=utf-8; charset=latin1",
        "application/json, application/json",
        "text/plain; application/json",
    ] {
        cases.push(typed(format!("D5 Content-Type {bad:?} is 400"), Some(bad)).is(400).blames("Content-Type"));
    }
    cases.push(
        typed("D5 Content-Type twice is 400".into(), Some("application/json"))
            .header("content-type", "text/plain")
            .is(400),
    );
    cases.push(
        patch("D5 Content-Type on PATCH", "a-lead-1", json!({"name": "Bo"}))
            .content_type(Some("text/plain"))
            .is(400)
            .blames("Content-Type"),
    );
    cases
}

fn syntax() -> Vec<Case> {
    let mut cases = Vec::new();
    for (what, body, at) in [
        ("no value", "{\n\"name\": }", "line 2 column 9"),
        ("no end", "{\"name\": \"a", "line 1 column 11"),
        ("no brace at the end", "{\"name\":\n\"a\"", "line 2 column 3"),
        ("a comma too many", "{\"name\":\"a\",}", "line 1 column 13"),
        ("no colon", "{\"name\" \"a\"}", "line 1 column 9"),
        ("no quotes", "{name: \"a\"}", "line 1 column 2"),
        ("single quotes", "{'name': 'a'}", "line 1 column 2"),
        ("a comment", "{\n\n  // x\n}", "line 3 column 3"),
        ("a bare word", "nope", "line 1 column 2"),
        ("a line break in a string", "{\"name\":\"a\nb\"}", "line 1 column 10"),
        ("an unknown escape", r#"{"name":"a\qb"}"#, "line 1 column 12"),
        ("half an escape", r#"{"name":"\u12"}"#, "line 1"),
        ("a byte order mark", "\u{feff}{}", "line 1 column 1"),
        ("an array that is not JSON", "[1,,2]", "line 1 column"),
        ("an array without an end", "[1", "line 1 column"),
        ("a wrong bracket", "[}", "line 1 column"),
        ("a string without an end", "\"abc", "line 1 column"),
        ("nested, no value", r#"{"name":{"a":}}"#, "line 1 column 14"),
        ("a blank that JSON does not know", "\u{a0}", "line 1 column"),
        ("a form", "client_id=a-client-1&name=Ann", "line 1 column 1"),
    ] {
        cases.extend(both(&format!("D5 not JSON: {what}"), body).map(|case| case.blames("body").says("JSON").says(at)));
    }
    cases.extend(
        both("D5 not JSON: not UTF-8", &b"{\"name\":\"\xff\"}"[..]).map(|case| case.blames("body").says("JSON")),
    );
    cases.extend(both("D5 not JSON: UTF-16", &b"{\0}\0"[..]).map(|case| case.blames("body").says("JSON")));
    for blank in ["", " ", "\r\n\t"] {
        cases.extend(both(&format!("D5 an empty body {blank:?}"), blank).map(|case| case.blames("body").says("empty")));
    }
    for two in ["{}{}", "{} {}", "{}\n[]", "{} x", "{}}", "{},", "{\"name\":\"Bo\"} 1", "{\"name\":\"Bo\"}\0"] {
        cases.extend(
            both(&format!("D5 two documents {two}"), two).map(|case| case.blames("body").says("one JSON document")),
        );
    }
    for other in ["[]", "[{\"name\":\"Bo\"}]", "null", "true", "1", "-1.5", "\"name\""] {
        cases.extend(
            both(&format!("D5 not an object {other}"), other)
                .map(|case| case.blames("body").says("object").silent_on("empty")),
        );
    }
    cases
}

fn members() -> Vec<Case> {
    let mut cases = Vec::new();
    for twice in [
        r#"{"client_id":"a-client-1","name":"Ann","name":"Bo"}"#,
        r#"{"client_id":"a-client-1","name":"Ann","name":"Ann"}"#,
        r#"{"client_id":"a-client-1","name":"Ann","n\u0061me":"Bo"}"#,
        r#"{"client_id":"a-client-1","name":null,"name":"Ann"}"#,
    ] {
        cases.extend(both(&format!("D5 a key given twice {twice}"), twice).map(|case| case.says("name")));
    }
    cases.extend(
        both("D5 an unknown key given twice", r#"{"x":1,"x":2,"name":"Ann","client_id":"a-client-1"}"#)
            .map(|case| case.blames("x")),
    );
    for key in ["", " ", "name ", "Name", "__proto__", "constructor", "na\u{200b}me", "NAME", "name\u{0}"] {
        let body = json!({"client_id": "a-client-1", "name": "Ann", key: "x"}).to_string();
        cases.extend(both(&format!("D5 an unknown field {key:?}"), body));
    }
    for (field, lone) in [
        ("name", r"\ud800"),
        ("name", r"a\udc00b"),
        ("name", r"\ud83d"),
        ("name", r"\ude00\ud83d"),
        ("email", r"a\ud800@b.c"),
        ("phone", r"123\ud800"),
        ("source", r"\udfff"),
        ("notes", r"x\ud800\u0041"),
        ("business_name", r"\uDBFF"),
        ("client_id", r"\ud800"),
        ("pipeline_id", r"\ud800"),
        ("stage_id", r"\ud800"),
    ] {
        let name = format!("D4 lone surrogates are 400: {field} {lone}");
        let rest = if field == "name" { "" } else { r#","name":"Ann""# };
        let body = format!(r#"{{"{field}":"{lone}"{rest}}}"#);
        cases.push(request(name, "POST", "/leads").text(body.clone()).is(400).says(field));
        if field != "client_id" {
            cases.push(
                request(format!("D4 lone surrogates are 400 on PATCH: {field} {lone}"), "PATCH", "/leads/a-lead-1")
                    .text(body)
                    .is(400)
                    .blames(field),
            );
        }
    }
    cases.extend(both("D4 a lone surrogate in a key", r#"{"\ud800":1}"#));
    cases.push(
        request("D4 a pair of surrogates is a character", "POST", "/leads")
            .text(r#"{"client_id":"a-client-1","name":"\ud83d\ude00"}"#)
            .is(201)
            .at("/name", "😀"),
    );
    cases.extend(
        both("D4 NUL as an escape", r#"{"client_id":"a-client-1","name":"a\u0000b"}"#)
            .map(|case| case.says("name").says("control")),
    );
    cases.extend(both("D5 NUL as a byte in a string", "{\"name\":\"a\0b\"}").map(|case| case.says("JSON")));
    cases
}

/// One message reports all faults of the query, the headers and the body (contract D1, step 6).
fn together() -> Vec<Case> {
    let large = format!("{MINIMAL}{}", " ".repeat(65_537));
    vec![
        request("D5 every fault of a body", "POST", "/leads")
            .text(r#"{"nmae":"Ann","id":"x","value":"450","name":7,"name":"Ann","notes":"\ud800","email":["a"],"phone":"1","source":"a\u0000"}"#)
            .is(400)
            .says("nmae")
            .says("; id")
            .says("; value")
            .says("; name")
            .says("; notes")
            .says("; email")
            .says("; phone")
            .says("; source")
            .says("client_id"),
        patch("D5 every fault of a patch", "a-lead-1", json!({"client_id": "x", "id": 1, "name": null, "email": "x", "phone": [], "pipeline_id": null, "stage_id": "a-stage-11"}))
            .is(400)
            .says("client_id")
            .says("id")
            .says("name")
            .says("email")
            .says("phone")
            .says("pipeline_id"),
        request("D5 the query and a broken body", "POST", "/leads?x=1").text("{").is(400).blames("x").says("; body").says("JSON"),
        request("D5 the query and a body that is too large", "POST", "/leads?x=1").text(large.clone()).is(400).blames("x").says("65536"),
        request("D5 a header and a body that is too large", "POST", "/leads").text(large.clone()).header("idempotency-key", "").is(400).says("Idempotency-Key").says("65536"),
        request("D5 a wrong Content-Type and a body that is too large", "POST", "/leads").text(large).content_type(Some("text/plain")).is(400).says("Content-Type").says("65536"),
        request("D5 a wrong Content-Type and a bad Idempotency-Key", "POST", "/leads")
            .text(MINIMAL)
            .content_type(Some("text/plain"))
            .header("idempotency-key", "a b")
            .is(400)
            .says("Content-Type")
            .says("Idempotency-Key"),
        post("D4 too long and with a control character", json!({"client_id": "a-client-1", "name": format!("\u{1}{}", "x".repeat(200))})).is(400).says("200").says("control"),
    ]
}

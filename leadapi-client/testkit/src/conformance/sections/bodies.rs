//! Bodies (contract D5): content type, JSON syntax and size. The `fields` module contains the checks of a body's
//! members.

use bytes::Bytes;
use serde_json::json;

use super::both;
use crate::conformance::run::{CreatedLead, Run};

const PATCH: &str = r#"{"name": "Ann"}"#;

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({})).await;
    types(run, &lead).await;
    syntax(run, &lead).await;
    sizes(run, &lead).await;
    nesting(run, &lead).await;
    together(run).await;
}

async fn types(run: &Run<'_>, lead: &CreatedLead) {
    for good in [
        "",
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=UTF-8",
        "application/json;charset=utf-8",
        "application/json ; charset=\"utf-8\"",
        "application/json; Charset=Utf-8",
        "application/merge-patch+json",
        "application/vnd.leads.v1+json; charset=utf-8",
        "text/x+json",
        "application/json; profile=\"a;charset=latin1\"",
    ] {
        let name = if good.is_empty() { "none" } else { good };
        run.check(
            "D5",
            format!("this Content-Type is accepted: {name}"),
            run.request_lead("PATCH", lead).typed(good, PATCH).expect_status(200),
        )
        .await;
    }
    for good in ["", "application/vnd.leads.v1+json"] {
        let name = if good.is_empty() { "none" } else { good };
        run.check("D5", format!("this Content-Type is accepted for a new lead: {name}"), async {
            let body = run.new_lead(&json!({})).to_string();
            run.request("POST", "/leads").typed(good, body).expect_status(201).await
        })
        .await;
    }
    let refused = || run.request("POST", "/leads");
    let body = run.new_lead(&json!({})).to_string();
    for bad in [
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
        let request = refused().typed(bad, body.clone());
        run.check("D5", format!("this Content-Type is 400: {bad}"), request.expect_refusal(400, &["Content-Type"]))
            .await;
    }
    let empty = refused().typed("", body.clone()).header("content-type", "");
    run.check("D5", "an empty Content-Type is 400", empty.expect_refusal(400, &["Content-Type"])).await;
    let twice = refused().typed("application/json", body).header("content-type", "text/plain");
    run.check("D5", "two Content-Types are 400", twice.expect_status(400)).await;
    let patch = run.request_lead("PATCH", lead).typed("text/plain", PATCH);
    run.check("D5", "a patch with this Content-Type is 400: text/plain", patch.expect_refusal(400, &["Content-Type"]))
        .await;
}

async fn syntax(run: &Run<'_>, lead: &CreatedLead) {
    for (what, body, line) in [
        ("no value", "{\n\"name\": }", "line 2"),
        ("no end", "{\"name\": \"a", "line 1"),
        ("no brace at the end", "{\"name\":\n\"a\"", "line 2"),
        ("a trailing comma", "{\"name\":\"a\",}", "line 1"),
        ("no colon", "{\"name\" \"a\"}", "line 1"),
        ("no quotes", "{name: \"a\"}", "line 1"),
        ("single quotes", "{'name': 'a'}", "line 1"),
        ("a comment", "{\n\n  // x\n}", "line 3"),
        ("a bare word", "nope", "line 1"),
        ("a line break in a string", "{\"name\":\"a\nb\"}", "line 1"),
        ("an unknown escape", r#"{"name":"a\qb"}"#, "line 1"),
        ("half an escape", r#"{"name":"\u12"}"#, "line 1"),
        ("a byte order mark", "\u{feff}{}", "line 1"),
        ("an array that is not JSON", "[1,,2]", "line 1"),
        ("an unterminated array", "[1", "line 1"),
        ("a wrong bracket", "[}", "line 1"),
        ("an unterminated string", "\"abc", "line 1"),
        ("no value in a nested object", r#"{"name":{"a":}}"#, "line 1"),
        ("a no-break space", "\u{a0}", "line 1"),
        ("form data", "client_id=1&name=Ann", "line 1"),
    ] {
        let sentence = format!("a body that is not JSON is 400, with line and column: {what}");
        run.check("D5", sentence, both::refuses_body(run, lead, body, &["body", "JSON", line, "column"])).await;
    }
    for (what, body) in [("UTF-8", &b"{\"name\": \"\xff\"}"[..]), ("UTF-8 but UTF-16", &b"{\0}\0"[..])] {
        let sentence = format!("a body that is not {what} is 400");
        run.check("D5", sentence, both::refuses_body(run, lead, body, &["body", "JSON"])).await;
    }
    for (method, request) in [("POST", run.request("POST", "/leads")), ("PATCH", run.request_lead("PATCH", lead))] {
        let empty = request.text("").expect_refusal(400, &["body", "empty"]);
        run.check("D5", format!("{method}: an empty body is 400"), empty).await;
    }
    for blank in [" ", "\r\n\t"] {
        let sentence = format!("a body of only whitespace is 400: {blank:?}");
        run.check("D5", sentence, both::refuses_body(run, lead, blank, &["body", "empty"])).await;
    }
    for two in ["{}{}", "{} {}", "{}\n[]", "{} x", "{}}", "{},", "{\"name\":\"Bo\"} 1", "{\"name\":\"Bo\"}\0"] {
        let sentence = format!("two documents are 400: {two}");
        run.check("D5", sentence, both::refuses_body(run, lead, two, &["body", "one JSON document"])).await;
    }
    for other in ["[]", "[{\"name\":\"Bo\"}]", "null", "true", "1", "-1.5", "\"name\""] {
        run.check("D5", format!("JSON that is not an object is 400: {other}"), async {
            for request in [run.request("POST", "/leads"), run.request_lead("PATCH", lead)] {
                request.text(other).expect_refusal(400, &["body", "object"]).await?.body_omits("empty")?;
            }
            Ok(())
        })
        .await;
    }
}

async fn sizes(run: &Run<'_>, lead: &CreatedLead) {
    let padded = |body: &str, size: usize| body.to_owned() + &" ".repeat(size.saturating_sub(body.len()));
    let body = run.new_lead(&json!({})).to_string();
    for (method, request, body, status) in [
        ("POST", run.request("POST", "/leads"), body.as_str(), 201),
        ("PATCH", run.request_lead("PATCH", lead), PATCH, 200),
    ] {
        let sentence = format!("{method}: a body of 65,536 bytes is accepted");
        run.check("D5", sentence, request.text(padded(body, 65_536)).expect_status(status)).await;
    }
    for (size, length) in [("65,537 bytes", 65_537), ("a megabyte", 1 << 20)] {
        let sentence = format!("a body of {size} is 400, and the message names the limit");
        run.check("D5", sentence, both::refuses_body(run, lead, padded(&body, length), &["body", "65536"])).await;
    }
    run.check("D5", "a body on GET is ignored", run.request_lead("GET", lead).text("{").expect_status(200)).await;
    let image = run.get("/leads").typed("image/png", "x");
    run.check("D5", "a body on GET is ignored, whatever its type", image.expect_status(200)).await;
    for (name, content_type, body) in [("not JSON", "application/json", "{ no"), ("text", "text/plain", "x")] {
        run.check("D5", format!("a body on DELETE is ignored: {name}"), async {
            let lead = run.create_lead(&json!({})).await;
            run.request_lead("DELETE", &lead).typed(content_type, body).expect_status(204).await
        })
        .await;
    }
}

async fn nesting(run: &Run<'_>, lead: &CreatedLead) {
    let nested = |open: &str, close: &str, levels: usize| {
        format!(r#"{{"name":{}1{}}}"#, open.repeat(levels), close.repeat(levels))
    };
    let many = (0..5000).map(|nth| format!("\"{nth}\":1")).collect::<Vec<_>>().join(",");
    for (what, body) in [
        ("10,000 nested arrays", nested("[", "]", 10_000)),
        ("10,000 nested objects", nested("{\"a\":", "}", 10_000)),
        ("unterminated arrays", "[".repeat(65_536)),
        ("unterminated objects", "{\"a\":".repeat(13_000)),
        ("arrays in an unknown field", format!(r#"{{"x":{}{}}}"#, "[".repeat(5000), "]".repeat(5000))),
        ("5,000 unknown fields", format!("{{{many}}}")),
    ] {
        run.check("D5", format!("an excessive body is 400: {what}"), both::refuses_body(run, lead, body, &[])).await;
    }
}

/// Checks that one message reports all problems of the query, the headers and the body (contract D1, step 6).
async fn together(run: &Run<'_>) {
    const KEY: &str = "idempotency-key";
    let (post, valid) = (|path| run.request("POST", path), run.new_lead(&json!({})).to_string());
    let large = Bytes::from(valid.clone() + &" ".repeat(65_537));
    let every = r#"{"nmae":"Ann","id":"x","value":"450","name":7,"name":"Ann","notes":"\ud800","email":["a"],"phone":"1","source":"a\u0000"}"#;
    let says = ["", "nmae", "; id", "; value", "; name", "; notes", "; email", "; phone", "; source", "client_id"];
    let long = run.new_lead(&json!({"name": format!("\u{1}{}", "x".repeat(200))})).to_string();
    let types = json!({"source": 1, "notes": false, "value": [], "business_name": {}}).to_string();
    let keyed = post("/leads?x=1&y=2").text(r#"{"email": "x"}"#).header(KEY, "a b");
    for (what, request, says) in [
        ("the body", post("/leads").text(every), &says[..]),
        (
            "types",
            post("/leads").text(types),
            &["", "source", "notes", "value", "business_name", "client_id", "; name"],
        ),
        ("one field", post("/leads").text(long), &["name", "200", "control"]),
        ("the query and the JSON", post("/leads?x=1").text("{"), &["x", "; body", "JSON"]),
        (
            "the query, the headers and the body",
            keyed,
            &["x", "; y", "; Idempotency-Key", "; client_id", "; name", "; email"],
        ),
        ("the query and the size", post("/leads?x=1").text(large.clone()), &["x", "65536"]),
        (
            "a header and the size",
            post("/leads").text(large.clone()).header(KEY, ""),
            &["", "Idempotency-Key", "65536"],
        ),
        ("the Content-Type and the size", post("/leads").typed("text/plain", large), &["", "Content-Type", "65536"]),
        (
            "two headers",
            post("/leads").typed("text/plain", valid).header(KEY, "a b"),
            &["", "Content-Type", "Idempotency-Key"],
        ),
    ] {
        run.check("D5", format!("one message reports all problems with {what}"), request.expect_refusal(400, says))
            .await;
    }
}

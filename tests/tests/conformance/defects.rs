//! Planted defects: each one must break the sentence of the contract that it violates, and must not break most
//! others.

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use leadapi_client::{
    testkit::conformance::{self, Target},
    transport::{Transport, TransportError},
};
use leadapi_core::memory::Limits;
use serde_json::{Value, json};

use crate::{Leaping, broken, in_process, raised};

/// A service with one defect, either in its requests or in its responses.
struct Defective<T> {
    service: T,
    defect: Defect,
}

#[derive(Clone, Copy)]
enum Defect {
    Reads(fn(Request<Bytes>) -> Request<Bytes>),
    Answers(fn(&Request<Bytes>, Response<Bytes>) -> Response<Bytes>),
}

#[async_trait]
impl<T: Transport> Transport for Defective<T> {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        match self.defect {
            Reads(change) => self.service.send(change(request)).await,
            Answers(change) => Ok(change(&request, self.service.send(request.clone()).await?)),
        }
    }
}

use Defect::{Answers, Reads};

/// The name of a defect, the defect, and sentences that it must break, each with its section in front.
type Planted = (&'static str, Defect, &'static [&'static str]);

#[rustfmt::skip]
const PLANTED: &[Planted] = &[
    ("POST answers 200", Answers(|_, answer| status(answer, 201, 200)),
        &["D2 POST /leads answers 201"]),
    ("DELETE answers 200", Answers(|_, answer| status(answer, 204, 200)),
        &["D2 DELETE /leads/{id} answers 204"]),
    ("validation is 422", Answers(|_, answer| status(answer, 400, 422)),
        &["D2 no answer has another status", "D4 email is 400", "D5 POST: an empty body is 400"]),
    ("another business's client account is 404", Answers(|asked, answer| if asked.uri().query().is_some() { status(answer, 403, 404) } else { answer }),
        &["4 the filter client_id of another business is 403"]),
    ("405 has no Allow", Answers(|_, answer| without(answer, "allow")),
        &["D2 a 405 carries Allow", "D7 PUT /leads is 405"]),
    ("Allow is in another order", Answers(|_, answer| replaced(answer, "allow", "GET, HEAD, POST", "POST, GET, HEAD")),
        &["D7 PUT /leads is 405, names the method, and Allow is GET, HEAD, POST"]),
    ("401 has no challenge", Answers(|_, answer| if answer.status() == 401 { without(answer, "www-authenticate") } else { answer }),
        &["D2 a 401 carries WWW-Authenticate: Bearer"]),
    ("a missing scope has no challenge", Answers(|_, answer| if answer.status() == 403 { without(answer, "www-authenticate") } else { answer }),
        &["5 read does not include write: POST /leads is 403"]),
    ("answers may be cached", Answers(|_, answer| without(answer, "cache-control")),
        &["D2 every answer carries Cache-Control: no-store"]),
    ("types are guessed", Answers(|_, answer| without(answer, "x-content-type-options")),
        &["D2 every answer carries X-Content-Type-Options: nosniff"]),
    ("there are no request ids", Answers(|_, answer| without(answer, "x-request-id")),
        &["D2 every answer of a server carries X-Request-Id", "D2 a good X-Request-Id of the caller is kept"]),
    ("limits are told", Answers(|_, answer| with(answer, "x-ratelimit-remaining", "59")),
        &["8 no X-RateLimit-* headers are sent"]),
    ("CORS is on", Answers(|_, answer| with(answer, "access-control-allow-origin", "*")),
        &["D7 CORS is off", "D7 a preflight of CORS is 405"]),
    ("Content-Type says a charset", Answers(|_, answer| replaced(answer, "content-type", "application/json", "application/json; charset=utf-8")),
        &["D2 every answer but 204 carries Content-Type: application/json"]),
    ("there is no Location", Answers(|_, answer| without(answer, "location")),
        &["D2 a 201 carries Location", "D2 Location is the public path of the lead"]),
    ("Location has no base path", Answers(|_, answer| match answer.headers().get("location").cloned() {
        Some(place) => with(answer, "location", place.to_str().unwrap().trim_start_matches("/v1")),
        None => answer,
    }), &["D2 Location is the public path of the lead"]),
    ("errors have a code", Answers(|_, answer| edited(answer, |body| if body.get("error").is_some() { body["code"] = json!("invalid"); })),
        &["D2 every error body is exactly an object with one text, error"]),
    ("errors are objects", Answers(|_, answer| edited(answer, |body| if let Some(error) = body.get("error").cloned() { *body = json!({"error": {"message": error}}); })),
        &["D2 every error body is exactly an object with one text, error", "5 a missing token is 401"]),
    ("a lead has a field more", Answers(|asked, answer| if is_lead(asked) { edited(answer, |body| body["updated_at"] = json!(null)) } else { answer }),
        &["D2 a full lead has exactly the twelve fields"]),
    ("unset fields are left out", Answers(|asked, answer| if is_lead(asked) { edited(answer, drop_nulls) } else { answer }),
        &["D2 a full lead has exactly the twelve fields", "D2 POST /leads answers 201 with the full lead, and what is not set is null"]),
    ("list items have notes", Answers(|asked, answer| if is_list(asked, "/leads") { each(answer, |item| item["notes"] = json!(null)) } else { answer }),
        &["2.1 a list item has exactly the ten fields"]),
    ("an envelope has a cursor", Answers(|asked, answer| if is_list(asked, "/leads") { edited(answer, |body| body["next"] = json!(null)) } else { answer }),
        &["2.3 a list is exactly data, total, limit and offset"]),
    ("a stage has a colour", Answers(|asked, answer| if is_list(asked, "/pipelines") { each(answer, |item| item["stages"][0]["color"] = json!("red")) } else { answer }),
        &["D2 a pipeline is exactly id, name, stages and created_at"]),
    ("a client account has a field more", Answers(|asked, answer| if is_list(asked, "/clients") { each(answer, |item| item["email"] = json!(null)) } else { answer }),
        &["D2 a client account is exactly id, name and created_at"]),
    ("leads are listed oldest first", Answers(|asked, answer| if is_list(asked, "/leads") { reversed(answer) } else { answer }),
        &["D3 leads are listed by created_at descending"]),
    ("pipelines are listed newest first", Answers(|asked, answer| if is_list(asked, "/pipelines") { reversed(answer) } else { answer }),
        &["D3 pipelines are listed oldest first"]),
    ("client accounts are sorted without case", Answers(|asked, answer| if is_list(asked, "/clients") { edited(answer, |body| {
        if let Some(data) = body["data"].as_array_mut() { data.sort_by_key(|client| client["name"].as_str().unwrap().to_lowercase()); }
    }) } else { answer }), &["D3 client accounts are listed by name (code points)"]),
    ("stages are listed backwards", Answers(|asked, answer| if is_list(asked, "/pipelines") { each(answer, |item| item["stages"].as_array_mut().unwrap().reverse()) } else { answer }),
        &["D2 stages are listed by position"]),
    ("total is that of the page", Answers(|asked, answer| if is_list(asked, "/leads") { edited(answer, |body| body["total"] = json!(body["data"].as_array().map_or(0, Vec::len))) } else { answer }),
        &["D3 total is the number of all leads on every page", "D3 an offset past the end is 200"]),
    ("total is a text", Answers(|_, answer| edited(answer, |body| if let Some(total) = body.get("total").cloned() { body["total"] = json!(total.to_string()); })),
        &["2.3 a list is exactly data, total, limit and offset"]),
    ("timestamps have no fraction", Answers(|_, answer| edited(answer, |body| if let Some(at) = body["created_at"].as_str().map(|at| format!("{}Z", &at[..19])) { body["created_at"] = json!(at); })),
        &["D4 timestamps are RFC 3339 in UTC"]),
    ("whole values have .0", Answers(|asked, answer| if is_lead(asked) { edited(answer, |body| if let Some(value) = body["value"].as_f64() { body["value"] = json!(value); }) } else { answer }),
        &["D4 value is a number that comes back as the same: 450 as 450"]),
    ("names are cut", Reads(|asked| sent(asked, |body| if let Some(name) = body["name"].as_str().filter(|name| name.chars().count() > 200) { body["name"] = json!(name.chars().take(200).collect::<String>()); })),
        &["D4 name of more than 200 characters is 400 and never cut"]),
    ("e-mail addresses are folded", Reads(|asked| sent(asked, |body| if let Some(email) = body["email"].as_str() { body["email"] = json!(email.to_lowercase()); })),
        &["D4 email is stored as sent, case kept"]),
    ("unknown fields are ignored", Reads(|asked| sent(asked, |body| if let Some(body) = body.as_object_mut() { body.retain(|name, _| !["emial", "Name", "nmae"].contains(&name.as_str())); })),
        &["D5 an unknown field is 400 and named", "D5 a field in another case is unknown"]),
    ("null is absent on PATCH", Reads(|asked| if asked.method() == Method::PATCH { sent(asked, drop_nulls) } else { asked }),
        &["D5 PATCH: null clears", "D6 PATCH with null for the stage"]),
    ("a limit too large is lowered", Reads(|asked| queried(asked, "limit=201", "limit=200")),
        &["D3 any other limit is 400 and names the range: /leads?limit=201"]),
    ("the filter client_id is ignored", Reads(|asked| queried(asked, "client_id=one-client-2", "limit=50").clone()),
        &["4 client_id filters: no lead of another client account"]),
    ("unknown parameters are ignored", Reads(|asked| queried(asked, "page=2", "")),
        &["D3 an unknown parameter is 400 and names itself and those that are allowed: GET /leads"]),
    ("a slash at the end is taken", Reads(|asked| { let path = asked.uri().path().trim_end_matches('/').to_owned(); at(asked, &path) }),
        &["D7 a slash too many is 404"]),
    ("paths are matched without case", Reads(|asked| { let path = asked.uri().path().replace("/Leads", "/leads"); at(asked, &path) }),
        &["D7 another case is another path"]),
    ("idempotency keys are ignored", Reads(|mut asked| { asked.headers_mut().remove("idempotency-key"); asked }),
        &["D10 the same key with the same body answers 201", "D10 a replay makes no second lead", "D10 creates at once with one key make one lead"]),
    ("a replay is not said to be one", Answers(|_, answer| without(answer, "idempotency-replayed")),
        &["D10 the same key with the same body answers 201 with the first answer, and says that it is replayed"]),
    ("a replay is 200", Answers(|_, answer| if answer.headers().contains_key("idempotency-replayed") { status(answer, 201, 200) } else { answer }),
        &["D10 the same key with the same body answers 201"]),
    ("every token has both scopes", Reads(as_both),
        &["5 read does not include write: POST /leads is 403", "5 write does not include read: GET /leads is 403"]),
    ("the scheme is matched with its case", Reads(|asked| if asked.headers().get("authorization").is_some_and(|header| !header.as_bytes().starts_with(b"Bearer ")) { unauthorized(asked) } else { asked }),
        &["D8 the scheme is matched without case: bearer"]),
    ("HEAD has no length", Answers(|asked, answer| if asked.method() == Method::HEAD { without(answer, "content-length") } else { answer }),
        &["D7 HEAD /leads is its GET without the body, with its Content-Length"]),
    ("HEAD is not listed", Answers(|asked, answer| if asked.method() == Method::HEAD { status(answer, 200, 405) } else { answer }),
        &["D7 HEAD /leads is its GET"]),
    ("a token is told", Answers(|_, answer| edited(answer, |body| if let Some(error) = body["error"].as_str() { body["error"] = json!(format!("{error} (pak_0123)")); })),
        &["5 no answer shows a token"]),
    ("a lead of another business is told apart", Answers(|asked, answer| {
        let is_never = asked.uri().path().contains("never-");
        edited(answer, |body| if !is_never && body["error"] == "id: no such lead" { body["error"] = json!("id: no such lead here"); })
    }), &["D2 GET of a lead of another business is 404, the same bytes"]),
    ("a missing record is 403", Answers(|_, answer| status(answer, 404, 403)),
        &["7 GET of a lead that does not exist is 404", "1 any other path is 404"]),
    ("the stage falls out of the pipeline", Answers(|asked, answer| if is_lead(asked) { edited(answer, |body| body["stage_id"] = json!(null)) } else { answer }),
        &["D6 a lead in a pipeline has a stage", "D6 POST with a pipeline: its first stage"]),
    ("a pipeline leads to another stage than its first", Reads(|asked| sent(asked, |body| if body["pipeline_id"] == "one-pipe-1" && body.get("stage_id").is_none() { body["stage_id"] = json!("one-stage-11"); })),
        &["D6 POST with a pipeline: its first stage", "D6 PATCH with the same pipeline: the stage stays"]),
    ("Content-Type is not looked at", Reads(|mut asked| { asked.headers_mut().remove("content-type"); asked }),
        &["D5 this Content-Type is 400: text/plain"]),
];

/// Checks each defect separately, on a new service.
#[tokio::test]
async fn each_breaks_the_sentence_that_it_is_against() {
    let mut wrong = Vec::new();
    for (name, defect, against) in PLANTED {
        let (time, target) = (Leaping::new(), Target::standard());
        let transport = Defective { service: in_process(&time, raised()).await, defect: *defect };
        let client = target.client("http://in-process/v1").timer(time).transport(transport).unwrap();
        let report = conformance::run(&client, &target).await;
        let broken = broken(&report);
        for sentence in *against {
            if !broken.iter().any(|broken| broken.starts_with(sentence)) {
                wrong.push(format!("{name}: {sentence} is not broken, but {broken:#?}"));
            }
        }
        if broken.len() * 3 > report.sentences.len() * 2 {
            wrong.push(format!("{name}: {} of {} sentences", broken.len(), report.sentences.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the defects of the rate limits, with a clock that advances on demand.
#[tokio::test]
async fn each_defect_of_the_limits_breaks_its_sentence() {
    let planted: [(&str, Limits, Defect, &str); 5] = [
        ("59 writes", limits(600, 59), Answers(|_, answer| answer), "8 a token may write 60 times in 60 s"),
        ("61 writes", limits(600, 61), Answers(|_, answer| answer), "8 the 61st write is 429"),
        ("601 reads", limits(601, 60), Answers(|_, answer| answer), "8 the 601st read is 429"),
        (
            "no Retry-After",
            Limits::default(),
            Answers(|_, answer| without(answer, "retry-after")),
            "D2 a 429 carries Retry-After in whole seconds, 1 to 60",
        ),
        (
            "Retry-After is a date",
            Limits::default(),
            Answers(|_, answer| {
                if answer.status() == 429 {
                    with(answer, "retry-after", "Wed, 04 Nov 2026 12:01:00 GMT")
                } else {
                    answer
                }
            }),
            "8 the 61st write is 429 with Retry-After in whole seconds, 1 to 60",
        ),
    ];
    for (name, limits, defect, sentence) in planted {
        let (time, target) = (Leaping::new(), Target::standard().with_rate_limits());
        let transport = Defective { service: in_process(&time, limits).await, defect };
        let client = target.client("http://in-process/v1").timer(time).transport(transport).unwrap();
        let broken = broken(&conformance::run(&client, &target).await);
        assert!(broken.iter().any(|broken| broken.starts_with(sentence)), "{name}: {broken:#?}");
    }
}

fn limits(reads: u32, writes: u32) -> Limits {
    Limits { reads: reads.try_into().unwrap(), writes: writes.try_into().unwrap() }
}

// Helpers that change a response.

fn status(mut answer: Response<Bytes>, from: u16, to: u16) -> Response<Bytes> {
    if answer.status() == from {
        *answer.status_mut() = StatusCode::from_u16(to).unwrap();
    }
    answer
}

fn without(mut answer: Response<Bytes>, name: &str) -> Response<Bytes> {
    answer.headers_mut().remove(name);
    answer
}

fn with(mut answer: Response<Bytes>, name: &'static str, value: &str) -> Response<Bytes> {
    answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    answer
}

fn replaced(answer: Response<Bytes>, name: &'static str, from: &str, to: &str) -> Response<Bytes> {
    if answer.headers().get(name).is_some_and(|value| value == from) { with(answer, name, to) } else { answer }
}

/// Edits the body, if it is a JSON object.
fn edited(answer: Response<Bytes>, edit: impl FnOnce(&mut Value)) -> Response<Bytes> {
    let (mut head, body) = answer.into_parts();
    let Ok(mut json @ Value::Object(_)) = serde_json::from_slice(&body) else {
        return Response::from_parts(head, body);
    };
    let before = json.clone();
    edit(&mut json);
    // Indexing a missing member with `body["…"]` inserts a null, which is not an edit.
    if let Some(object) = json.as_object_mut() {
        object.retain(|name, value| {
            !value.is_null() || before.get(name).is_some() || ["updated_at", "next"].contains(&name.as_str())
        });
    }
    if json == before {
        return Response::from_parts(head, body);
    }
    head.headers.remove("content-length");
    Response::from_parts(head, json.to_string().into())
}

fn each(answer: Response<Bytes>, edit: impl Fn(&mut Value)) -> Response<Bytes> {
    edited(answer, |body| {
        if let Some(data) = body.get_mut("data").and_then(Value::as_array_mut) {
            data.iter_mut().for_each(edit);
        }
    })
}

fn reversed(answer: Response<Bytes>) -> Response<Bytes> {
    edited(answer, |body| {
        if let Some(data) = body.get_mut("data").and_then(Value::as_array_mut) {
            data.reverse();
        }
    })
}

fn drop_nulls(body: &mut Value) {
    if let Some(body) = body.as_object_mut() {
        body.retain(|_, value| !value.is_null());
    }
}

fn is_list(asked: &Request<Bytes>, path: &str) -> bool {
    asked.method() == Method::GET && asked.uri().path().ends_with(path)
}

fn is_lead(asked: &Request<Bytes>) -> bool {
    asked.method() == Method::POST || asked.uri().path().contains("/leads/")
}

// Helpers that change a request.

/// Edits the body, if it is a JSON object.
fn sent(asked: Request<Bytes>, edit: impl FnOnce(&mut Value)) -> Request<Bytes> {
    let (head, body) = asked.into_parts();
    let Ok(mut json @ Value::Object(_)) = serde_json::from_slice(&body) else { return Request::from_parts(head, body) };
    let before = json.clone();
    edit(&mut json);
    if let Some(object) = json.as_object_mut() {
        object.retain(|name, value| !value.is_null() || before.get(name).is_some());
    }
    if json == before { Request::from_parts(head, body) } else { Request::from_parts(head, json.to_string().into()) }
}

fn queried(mut asked: Request<Bytes>, from: &str, to: &str) -> Request<Bytes> {
    let uri = asked.uri().to_string().replace(from, to);
    *asked.uri_mut() = uri.trim_end_matches('?').parse().unwrap();
    asked
}

fn at(mut asked: Request<Bytes>, path: &str) -> Request<Bytes> {
    let mut parts = asked.uri().clone().into_parts();
    let query = asked.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    parts.path_and_query = Some(format!("{path}{query}").parse().unwrap());
    *asked.uri_mut() = Uri::from_parts(parts).unwrap();
    asked
}

/// Replaces the read-only or write-only token of the business with the one that has both scopes.
fn as_both(mut asked: Request<Bytes>) -> Request<Bytes> {
    let sent =
        asked.headers().get("authorization").map(|header| String::from_utf8_lossy(header.as_bytes()).into_owned());
    if sent.is_some_and(|sent| sent.contains("CheckRead") || sent.contains("CheckWrite")) {
        let target: Value =
            serde_json::from_str(include_str!("../../../leadapi-client/conformance/target.json")).unwrap();
        let both = format!("Bearer {}", target["tokens"]["both"].as_str().unwrap());
        asked.headers_mut().insert("authorization", both.parse().unwrap());
    }
    asked
}

fn unauthorized(mut asked: Request<Bytes>) -> Request<Bytes> {
    asked.headers_mut().remove("authorization");
    asked
}

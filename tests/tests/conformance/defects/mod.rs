//! Planted defects. For each defect, the check must report the requirements that the defect violates, and at most two
//! thirds of all requirements.

mod changes;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use leadapi_client::transport::{Transport, TransportError};
use leadapi_core::memory::Limits;
use leadapi_testkit::{
    ManualTimer,
    conformance::{self, Target},
};
use serde_json::json;

use self::changes::{
    drop_nulls, each_item, edited_request, edited_response, is_lead, is_list, reversed, status, unauthorized, with,
    with_both_scopes, with_path, with_query_replaced, with_replaced, without,
};
use crate::{broken, in_process, raised};

/// A service with one defect, in either its requests or its responses.
struct Defective<T> {
    service: T,
    defect: Defect,
}

#[derive(Clone, Copy)]
enum Defect {
    InRequest(fn(Request<Bytes>) -> Request<Bytes>),
    InResponse(fn(&Request<Bytes>, Response<Bytes>) -> Response<Bytes>),
}

#[async_trait]
impl<T: Transport> Transport for Defective<T> {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        match self.defect {
            InRequest(change) => self.service.send(change(request)).await,
            InResponse(change) => Ok(change(&request, self.service.send(request.clone()).await?)),
        }
    }
}

use Defect::{InRequest, InResponse};

/// A defect: its name, the change that causes it, and the requirements that it must violate, each prefixed with its
/// section.
type Planted = (&'static str, Defect, &'static [&'static str]);

#[rustfmt::skip]
const PLANTED: &[Planted] = &[
    ("POST answers 200", InResponse(|_, response| status(response, 201, 200)),
        &["D2 POST /leads answers 201"]),
    ("DELETE answers 200", InResponse(|_, response| status(response, 204, 200)),
        &["D2 DELETE /leads/{id} answers 204"]),
    ("validation is 422", InResponse(|_, response| status(response, 400, 422)),
        &["D2 no response has a status other than", "D4 an invalid email is 400", "D5 POST: an empty body is 400"]),
    ("another business's client account is 404", InResponse(|request, response| if request.uri().query().is_some() { status(response, 403, 404) } else { response }),
        &["4 a client_id filter with an id of another business is 403"]),
    ("405 has no Allow", InResponse(|_, response| without(response, "allow")),
        &["D2 a 405 carries Allow", "D7 PUT /leads is 405"]),
    ("Allow is in another order", InResponse(|_, response| with_replaced(response, "allow", "GET, HEAD, POST", "POST, GET, HEAD")),
        &["D7 PUT /leads is 405, the message names the method, and Allow is GET, HEAD, POST"]),
    ("401 has no challenge", InResponse(|_, response| if response.status() == 401 { without(response, "www-authenticate") } else { response }),
        &["D2 a 401 carries WWW-Authenticate: Bearer"]),
    ("a missing scope has no challenge", InResponse(|_, response| if response.status() == 403 { without(response, "www-authenticate") } else { response }),
        &["5 read does not include write: POST /leads is 403"]),
    ("answers may be cached", InResponse(|_, response| without(response, "cache-control")),
        &["D2 every response carries Cache-Control: no-store"]),
    ("MIME sniffing is allowed", InResponse(|_, response| without(response, "x-content-type-options")),
        &["D2 every response carries X-Content-Type-Options: nosniff"]),
    ("there are no request ids", InResponse(|_, response| without(response, "x-request-id")),
        &["D2 every response from a server carries X-Request-Id", "D2 a valid X-Request-Id from the caller is kept"]),
    ("rate-limit headers are sent", InResponse(|_, response| with(response, "x-ratelimit-remaining", "59")),
        &["8 no X-RateLimit-* headers are sent"]),
    ("CORS is on", InResponse(|_, response| with(response, "access-control-allow-origin", "*")),
        &["D7 CORS is off", "D7 a CORS preflight is 405"]),
    ("Content-Type names a charset", InResponse(|_, response| with_replaced(response, "content-type", "application/json", "application/json; charset=utf-8")),
        &["D2 every response except 204 carries Content-Type: application/json"]),
    ("there is no Location", InResponse(|_, response| without(response, "location")),
        &["D2 a 201 carries Location", "D2 Location is the lead's public path"]),
    ("Location has no base path", InResponse(|_, response| match response.headers().get("location").cloned() {
        Some(place) => with(response, "location", place.to_str().unwrap().trim_start_matches("/v1")),
        None => response,
    }), &["D2 Location is the lead's public path"]),
    ("errors have a code", InResponse(|_, response| edited_response(response, |body| if body.get("error").is_some() { body["code"] = json!("invalid"); })),
        &["D2 every error body is an object with the string error and no other member"]),
    ("errors are objects", InResponse(|_, response| edited_response(response, |body| if let Some(error) = body.get("error").cloned() { *body = json!({"error": {"message": error}}); })),
        &["D2 every error body is an object with the string error and no other member", "5 a missing token is 401"]),
    ("a lead has an extra field", InResponse(|request, response| if is_lead(request) { edited_response(response, |body| body["updated_at"] = json!(null)) } else { response }),
        &["D2 a full lead has exactly the fields of the contract"]),
    ("unset fields are omitted", InResponse(|request, response| if is_lead(request) { edited_response(response, drop_nulls) } else { response }),
        &["D2 a full lead has exactly the fields of the contract", "D2 POST /leads answers 201 with the full lead, and unset fields are null"]),
    ("list items have notes", InResponse(|request, response| if is_list(request, "/leads") { each_item(response, |item| item["notes"] = json!(null)) } else { response }),
        &["2.1 a list item has exactly the fields of the contract"]),
    ("an envelope has a cursor", InResponse(|request, response| if is_list(request, "/leads") { edited_response(response, |body| body["next"] = json!(null)) } else { response }),
        &["2.3 a list has exactly the fields data, total, limit and offset"]),
    ("a stage has a colour", InResponse(|request, response| if is_list(request, "/pipelines") { each_item(response, |item| item["stages"][0]["color"] = json!("red")) } else { response }),
        &["D2 a pipeline has exactly the fields id, name, stages and created_at"]),
    ("a client account has an extra field", InResponse(|request, response| if is_list(request, "/clients") { each_item(response, |item| item["email"] = json!(null)) } else { response }),
        &["D2 a client account has exactly the fields id, name and created_at"]),
    ("leads are listed oldest first", InResponse(|request, response| if is_list(request, "/leads") { reversed(response) } else { response }),
        &["D3 leads are listed by created_at descending"]),
    ("pipelines are listed newest first", InResponse(|request, response| if is_list(request, "/pipelines") { reversed(response) } else { response }),
        &["D3 pipelines are listed oldest first"]),
    ("client accounts are sorted case-insensitively", InResponse(|request, response| if is_list(request, "/clients") { edited_response(response, |body| {
        if let Some(data) = body["data"].as_array_mut() { data.sort_by_key(|client| client["name"].as_str().unwrap().to_lowercase()); }
    }) } else { response }), &["D3 client accounts are listed by name (code points)"]),
    ("stages are listed backwards", InResponse(|request, response| if is_list(request, "/pipelines") { each_item(response, |item| item["stages"].as_array_mut().unwrap().reverse()) } else { response }),
        &["D2 stages are listed by position"]),
    ("total counts only the page", InResponse(|request, response| if is_list(request, "/leads") { edited_response(response, |body| body["total"] = json!(body["data"].as_array().map_or(0, Vec::len))) } else { response }),
        &["D3 total is the number of all leads, on every page", "D3 an offset past the end is 200"]),
    ("total is a string", InResponse(|_, response| edited_response(response, |body| if let Some(total) = body.get("total").cloned() { body["total"] = json!(total.to_string()); })),
        &["2.3 a list has exactly the fields data, total, limit and offset"]),
    ("timestamps have no fraction", InResponse(|_, response| edited_response(response, |body| if let Some(at) = body["created_at"].as_str().map(|at| format!("{}Z", &at[..19])) { body["created_at"] = json!(at); })),
        &["D4 timestamps are RFC 3339 in UTC"]),
    ("whole values have .0", InResponse(|request, response| if is_lead(request) { edited_response(response, |body| if let Some(value) = body["value"].as_f64() { body["value"] = json!(value); }) } else { response }),
        &["D4 value is returned as the same number: 450 as 450"]),
    ("names are truncated", InRequest(|request| edited_request(request, |body| if let Some(name) = body["name"].as_str().filter(|name| name.chars().count() > 200) { body["name"] = json!(name.chars().take(200).collect::<String>()); })),
        &["D4 text longer than the maximum is 400 and is not truncated: x"]),
    ("email addresses are folded", InRequest(|request| edited_request(request, |body| if let Some(email) = body["email"].as_str() { body["email"] = json!(email.to_lowercase()); })),
        &["D4 email is stored as sent, with its case preserved"]),
    ("unknown fields are ignored", InRequest(|request| edited_request(request, |body| if let Some(body) = body.as_object_mut() { body.retain(|name, _| !["emial", "Name", "nmae"].contains(&name.as_str())); })),
        &["D5 an unknown field is 400, and the message names it", "D5 a field name in a different case is unknown"]),
    ("null is absent on PATCH", InRequest(|request| if request.method() == Method::PATCH { edited_request(request, drop_nulls) } else { request }),
        &["D5 PATCH: null clears a field", "D6 PATCH with null or blanks sets both to null: {\"stage_id\":null}"]),
    ("an excessive limit is lowered", InRequest(|request| with_query_replaced(request, "limit=201", "limit=200")),
        &["D3 any other limit is 400, and the message names the range: /leads?limit=201"]),
    ("the filter client_id is ignored", InRequest(|request| with_query_replaced(request, "client_id=one-client-2", "limit=50").clone()),
        &["4 the client_id filter returns no lead of another client account"]),
    ("unknown parameters are ignored", InRequest(|request| with_query_replaced(request, "page=2", "")),
        &["D3 an unknown parameter is 400, and the message names it and the allowed parameters: GET /leads"]),
    ("a trailing slash is accepted", InRequest(|request| { let path = request.uri().path().trim_end_matches('/').to_owned(); with_path(request, &path) }),
        &["D7 an extra slash is 404 without a redirect, and the message names the correct path: GET /leads/"]),
    ("paths are matched case-insensitively", InRequest(|request| { let path = request.uri().path().replace("/Leads", "/leads"); with_path(request, &path) }),
        &["D7 a path in a different case is a different path"]),
    ("idempotency keys are ignored", InRequest(|mut request| { request.headers_mut().remove("idempotency-key"); request }),
        &["D10 the same key with the same body answers 201", "D10 a replay creates no second lead", "D10 concurrent creates with one key create one lead"]),
    ("a replay is not marked", InResponse(|_, response| without(response, "idempotency-replayed")),
        &["D10 the same key with the same body answers 201 with the first response, marked as replayed"]),
    ("a replay is 200", InResponse(|_, response| if response.headers().contains_key("idempotency-replayed") { status(response, 201, 200) } else { response }),
        &["D10 the same key with the same body answers 201"]),
    ("every token has both scopes", InRequest(with_both_scopes),
        &["5 read does not include write: POST /leads is 403", "5 write does not include read: GET /leads is 403"]),
    ("the scheme is matched case-sensitively", InRequest(|request| if request.headers().get("authorization").is_some_and(|header| !header.as_bytes().starts_with(b"Bearer ")) { unauthorized(request) } else { request }),
        &["D8 the scheme is case-insensitive: bearer"]),
    ("HEAD has no length", InResponse(|request, response| if request.method() == Method::HEAD { without(response, "content-length") } else { response }),
        &["D7 HEAD /leads is answered like GET, with the same Content-Length but without the body"]),
    ("HEAD is not listed", InResponse(|request, response| if request.method() == Method::HEAD { status(response, 200, 405) } else { response }),
        &["D7 HEAD /leads is answered like GET"]),
    ("an error contains a token", InResponse(|_, response| edited_response(response, |body| if let Some(error) = body["error"].as_str() { body["error"] = json!(format!("{error} (pak_0123)")); })),
        &["5 no response contains a token"]),
    ("a foreign lead differs from an unknown one", InResponse(|request, response| {
        let is_never = request.uri().path().contains("never-");
        edited_response(response, |body| if !is_never && body["error"] == "id: no such lead" { body["error"] = json!("id: no such lead here"); })
    }), &["D2 a lead of another business: GET is 404, byte for byte the same"]),
    ("a missing record is 403", InResponse(|_, response| status(response, 404, 403)),
        &["7 GET of a lead that does not exist is 404", "1 any other path is 404"]),
    ("a lead in a pipeline has no stage", InResponse(|request, response| if is_lead(request) { edited_response(response, |body| body["stage_id"] = json!(null)) } else { response }),
        &["D6 a lead in a pipeline has a stage", "D6 POST with a pipeline sets its first stage"]),
    ("a pipeline selects a stage other than its first", InRequest(|request| edited_request(request, |body| if body["pipeline_id"] == "one-pipe-1" && body.get("stage_id").is_none() { body["stage_id"] = json!("one-stage-11"); })),
        &["D6 POST with a pipeline sets its first stage", "D6 PATCH with the same pipeline keeps the stage"]),
    ("Content-Type is ignored", InRequest(|mut request| { request.headers_mut().remove("content-type"); request }),
        &["D5 this Content-Type is 400: text/plain"]),
];

/// Checks each defect separately, on a new service.
#[tokio::test]
async fn each_defect_violates_its_requirement() {
    let mut wrong = Vec::new();
    for (name, defect, against) in PLANTED {
        let (time, target) = (ManualTimer::auto_advance(), Target::standard());
        let transport = Defective { service: in_process(&time, raised()).await, defect: *defect };
        let client = target.client("http://in-process/v1").timer(time).transport(transport).build().unwrap();
        let report = conformance::run(&client, &target).await;
        let broken = broken(&report);
        for sentence in *against {
            if !broken.iter().any(|broken| broken.starts_with(sentence)) {
                wrong.push(format!("{name}: {sentence} is not reported as violated, only {broken:#?}"));
            }
        }
        if broken.len() * 3 > report.sentences.len() * 2 {
            wrong.push(format!("{name}: {} of {} sentences", broken.len(), report.sentences.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the defects in rate limiting, on a simulated clock that advances when the check sleeps.
#[tokio::test]
async fn each_rate_limit_defect_violates_its_requirement() {
    let planted: [(&str, Limits, Defect, &str); 5] = [
        ("59 writes", limits(600, 59), InResponse(|_, response| response), "8 a token may write 60 times in 60 s"),
        ("61 writes", limits(600, 61), InResponse(|_, response| response), "8 the 61st write is 429"),
        ("601 reads", limits(601, 60), InResponse(|_, response| response), "8 the 601st read is 429"),
        (
            "no Retry-After",
            Limits::default(),
            InResponse(|_, response| without(response, "retry-after")),
            "D2 a 429 carries Retry-After in whole seconds, 1 to 60",
        ),
        (
            "Retry-After is a date",
            Limits::default(),
            InResponse(|_, response| {
                if response.status() == 429 {
                    with(response, "retry-after", "Wed, 04 Nov 2026 12:01:00 GMT")
                } else {
                    response
                }
            }),
            "8 the 61st write is 429 with Retry-After in whole seconds, 1 to 60",
        ),
    ];
    for (name, limits, defect, sentence) in planted {
        let (time, target) = (ManualTimer::auto_advance(), Target::standard().with_rate_limits());
        let transport = Defective { service: in_process(&time, limits).await, defect };
        let client = target.client("http://in-process/v1").timer(time).transport(transport).build().unwrap();
        let broken = broken(&conformance::run(&client, &target).await);
        assert!(broken.iter().any(|broken| broken.starts_with(sentence)), "{name}: {broken:#?}");
    }
}

fn limits(reads: u32, writes: u32) -> Limits {
    Limits::new(reads.try_into().unwrap(), writes.try_into().unwrap())
}

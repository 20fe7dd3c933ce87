//! The order of checks (contract D1): the first failing check determines the response.

use leadapi_core::port::{Admission, Class, RateLimiter};
use leadapi_core::{BoxError, id::TokenId};
use leadapi_tests::{Case, Token, delete, everywhere, everywhere_with, get, patch, post, request, run_table};
use serde_json::json;

#[tokio::test]
async fn the_first_failing_check_decides_the_response() {
    run_table(cases()).await;
}

fn cases() -> Vec<Case> {
    vec![
        get("D1 path before token: an unknown path is 404 without a token", "/forms").token(Token::None).is(404),
        get("D1 path before token: also with a token that is no good", "/forms").token(Token::Revoked).is(404),
        request("D1 path before method: an unknown path is 404 for every method", "BREW", "/forms")
            .is(404)
            .lacks("allow"),
        request("D1 method before token", "PUT", "/leads").token(Token::None).is(405).has("allow", "GET, HEAD, POST"),
        request("D1 method before token: on a lead that is not there", "POST", "/leads/nobody")
            .token(Token::None)
            .is(405),
        get("D1 token before query", "/leads?limit=x").token(Token::None).is(401).silent_on("limit"),
        get("D1 token before records: a lead that is there", "/leads/a-lead-1").token(Token::None).is(401),
        get("D1 token before records: a lead that is not there", "/leads/nobody").token(Token::None).is(401),
        request("D1 token before body", "POST", "/leads").text("{").token(Token::None).is(401).silent_on("JSON"),
        request("D1 scope before body", "POST", "/leads").text("{").token(Token::Read).is(403).silent_on("JSON"),
        request("D1 scope before query", "DELETE", "/leads/a-lead-1?x=1").token(Token::Read).is(403),
        get("D1 scope before query on GET", "/leads?limit=x").token(Token::Write).is(403).silent_on("limit"),
        post("D1 scope before headers", json!({})).header("idempotency-key", "").token(Token::Read).is(403),
        delete("D1 scope before records", "nobody").token(Token::Read).is(403),
        get("D1 query before records: the lead", "/leads/nobody?x=1").is(400).blames("x"),
        get("D1 query before records: the client account", "/leads?client_id=b-client-1&limit=0")
            .is(400)
            .blames("limit")
            .silent_on("client_id"),
        get("D1 query before records: the stage", "/leads?stage_id=b-stage-1&offset=-1").is(400).blames("offset"),
        patch("D1 body before records: the lead", "nobody", json!({"nmae": "Ann"})).is(400).blames("nmae"),
        request("D1 body before records: the lead, no JSON", "PATCH", "/leads/nobody").text("{").is(400).says("JSON"),
        post("D1 body before references: the client account", json!({"client_id": "b-client-1"}))
            .is(400)
            .blames("name")
            .silent_on("client_id"),
        post("D1 headers before references", json!({"client_id": "b-client-1", "name": "Ann"}))
            .header("idempotency-key", "a b")
            .is(400)
            .blames("Idempotency-Key"),
        post(
            "D1 the client account before pipeline and stage",
            json!({
                "client_id": "b-client-1", "name": "Ann", "pipeline_id": "b-pipe-1", "stage_id": "nobody",
            }),
        )
        .is(403)
        .blames("client_id"),
        get("D1 the client account before the stage in filters", "/leads?stage_id=b-stage-1&client_id=b-client-1")
            .is(403)
            .blames("client_id"),
        patch("D1 the lead before pipeline and stage", "nobody", json!({"stage_id": "nobody"}))
            .is(404)
            .says("no such lead"),
        patch(
            "D1 the lead before a stage of another pipeline",
            "b-lead-1",
            json!({"stage_id": "a-stage-11", "pipeline_id": "a-pipe-2"}),
        )
        .is(404),
    ]
}

/// A rate limiter that refuses every request.
struct Full;

#[async_trait::async_trait]
impl RateLimiter for Full {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        Ok(Admission::Refused { retry_after: std::time::Duration::from_millis(1) })
    }
}

#[tokio::test]
async fn the_rate_limit_is_checked_between_token_and_scope() {
    everywhere_with(
        "D1 the limit",
        |world| world.limiter(Full),
        async |live| {
            for case in [
                get("D1 path before the limit", "/forms").is(404),
                request("D1 method before the limit", "PUT", "/leads").is(405),
                get("D1 token before the limit", "/leads").token(Token::Expired).is(401),
                delete("D1 the limit before the scope", "a-lead-1").token(Token::Read).is(429),
                get("D1 the limit before the scope on GET", "/leads").token(Token::Write).is(429),
                get("D1 the limit before the query", "/leads?x=1").is(429).says("rate limit").has("retry-after", "1"),
                post("D1 the limit before the body", json!({})).is(429),
                get("D1 the limit before records", "/leads/nobody").is(429),
            ] {
                live.send(case).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn each_corrected_fault_reveals_the_next_check() {
    everywhere("D1 one request, corrected step by step", async |live| {
        let send = async |case: Case| live.send(case).await;
        send(request("D1 step 1", "POST", "/lead").token(Token::None).text("{").is(404)).await;
        send(request("D1 step 2", "PUT", "/leads").token(Token::None).text("{").is(405)).await;
        send(request("D1 step 3", "POST", "/leads").token(Token::None).text("{").is(401)).await;
        send(request("D1 step 5", "POST", "/leads").token(Token::Read).text("{").is(403)).await;
        send(request("D1 step 6", "POST", "/leads").text("{").is(400)).await;
        send(post("D1 step 7", json!({"client_id": "b-client-1", "name": "Ann"})).is(403)).await;
        send(post("D1 all steps", json!({"client_id": "a-client-1", "name": "Ann"}))).await;
    })
    .await;
}

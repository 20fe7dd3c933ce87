//! Byte-for-byte snapshots of responses: the success and typical errors of each operation, with fixed ids and a fixed
//! time.

use insta::assert_snapshot;
use leadapi_tests::{Case, TestResponse, Token, Via, World, delete, get, head, patch, post, request};
use serde_json::json;

/// Returns the response of a service mounted at `/v1`. It must be the same in process and over TCP.
async fn wire(case: Case) -> String {
    let tcp = Via::Tcp.open(World::new().await).await;
    let request = tcp.request(&case);
    let over_tcp = tcp.raw(request.clone()).await;
    let service = World::new().await.service("/v1", None);
    let in_process: TestResponse = leadapi_tests::Transport::send(&service, request).await.into();
    assert_eq!(in_process.bytes(), over_tcp.bytes());
    in_process.bytes()
}

macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident: $case:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            assert_snapshot!(stringify!($name), wire($case).await);
        }
    )*};
}

wire! {
    list_leads: get("D2 GET /leads", "/leads?limit=2&offset=2");
    list_leads_of_a_stage: get("D2 GET /leads", "/leads?client_id=a-client-1&stage_id=a-stage-11");
    list_nothing: get("D3 past the end", "/leads?offset=600");
    create_lead: post("D2 POST /leads", json!({"client_id": "a-client-1", "name": " Ann ", "value": 450.0, "pipeline_id": "a-pipe-1"}));
    fetch_lead: get("D2 GET /leads/{id}", "/leads/a-lead-1");
    fetch_lead_with_nulls: get("D2 GET /leads/{id}", "/leads/a%2Fb%3Fc%25");
    update_lead: patch("D2 PATCH /leads/{id}", "a-lead-1", json!({"email": null, "value": 0.1, "stage_id": "a-stage-02"}));
    delete_lead: delete("D2 DELETE /leads/{id}", "a-lead-1");
    list_pipelines: get("D2 GET /pipelines", "/pipelines?limit=1");
    list_clients: get("D2 GET /clients", "/clients?limit=1");
    head_lead: head("D7 HEAD", "/leads/a-lead-1");
    unknown_path: get("7 an unknown path", "/forms");
    slash_too_many: get("D7 a slash too many", "/leads/");
    method_not_listed: request("D2 405", "PUT", "/leads/a-lead-1");
    missing_token: get("D2 401", "/leads").token(Token::None);
    malformed_token: get("D2 401", "/leads").token(Token::None).header("authorization", "Basic YTpi");
    invalid_token: get("D2 401", "/leads").token(Token::Unknown);
    expired_token: get("D2 401", "/leads").token(Token::Expired);
    revoked_token: get("D2 401", "/leads").token(Token::Revoked);
    missing_scope: delete("5.7 403", "a-lead-1").token(Token::Read);
    foreign_client: get("5.7 403", "/leads?client_id=b-client-1");
    no_such_lead: get("7 404", "/leads/b-lead-1");
    bad_query: get("D3 400", "/leads?limit=201&page=2&offset=");
    empty_filters: get("D3 400", "/leads?client_id=&stage_id=");
    bad_json: request("D5 400", "POST", "/leads").text("{\n  \"name\": \"Ann\",\n}");
    empty_body: request("D5 400", "POST", "/leads").text("");
    not_an_object: request("D5 400", "POST", "/leads").text("[]");
    two_documents: request("D5 400", "POST", "/leads").text("{} {}");
    too_large: request("D5 400", "POST", "/leads").text(" ".repeat(65_537));
    wrong_content_type: request("D5 400", "POST", "/leads").text("{}").content_type(Some("text/plain"));
    missing_fields: post("4 400", json!({}));
    many_faults: request("D5 400", "POST", "/leads?x=1")
        .text(r#"{"nmae":"Ann","id":"1","name":"","email":"x","value":"450","value":1,"notes":"\ud800"}"#)
        .header("idempotency-key", "a b");
    nothing_to_change: patch("D5 400", "a-lead-1", json!({}));
    client_cannot_be_changed: patch("D5 400", "a-lead-1", json!({"client_id": "a-client-2"}));
    no_such_stage: patch("D6 400", "a-lead-1", json!({"stage_id": "b-stage-1"}));
    stage_of_another_pipeline: patch("D6 400", "a-lead-1", json!({"pipeline_id": "a-pipe-2", "stage_id": "a-stage-11"}));
    one_null_the_other_set: patch("D6 400", "a-lead-1", json!({"pipeline_id": null, "stage_id": "a-stage-11"}));
}

/// Takes snapshots of responses that need previous requests or a failing store.
#[tokio::test]
async fn replayed_rate_limited_and_failed_responses() {
    let live = Via::Tcp.open(World::new().await).await;
    let case =
        || post("D10 a keyed create", json!({"client_id": "a-client-1", "name": "Ann"})).header("idempotency-key", "k");
    live.send(case()).await;
    assert_snapshot!("replayed", live.send(case().has("idempotency-replayed", "true")).await.bytes());
    let other = case().json(json!({"client_id": "a-client-1", "name": "Bo"})).is(400);
    assert_snapshot!("key_used_before", live.send(other).await.bytes());
    for _ in 4..60 {
        live.send(delete("8 a write", "nobody").is(404)).await;
    }
    live.send(delete("8 the last write", "nobody").is(404)).await;
    live.world.clock.advance(std::time::Duration::from_millis(12_500));
    assert_snapshot!("rate_limited", live.send(delete("8 one too many", "nobody").is(429)).await.bytes());
    let broken = World::new().await.store(leadapi_tests::doubles::Broken::Fails);
    let broken = Via::Tcp.open(broken).await;
    assert_snapshot!("internal_error", broken.send(get("7 500", "/leads").is(500)).await.bytes());
}

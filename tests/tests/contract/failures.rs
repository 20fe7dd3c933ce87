//! Tests of internal failures (contract 7 and D2). The response is 500 `internal error`, and only the host's log
//! contains the cause.

use bytes::Bytes;
use http::Request;
use leadapi_core::{http::RequestLog, id::LeadId, port::StoreError};
use leadapi_tests::{
    Case, Token, Via, World, delete,
    doubles::{Broken, CAUSE},
    get, head, patch, post, request,
};
use serde_json::json;
use tower::ServiceExt;

/// Returns at least one case for each operation.
fn operations() -> Vec<Case> {
    vec![
        get("7 list", "/leads?client_id=a-client-1"),
        post("7 create", json!({"client_id": "a-client-1", "name": "Ann"})),
        post("7 create with a key", json!({"client_id": "a-client-1", "name": "Ann"})).header("idempotency-key", "k"),
        get("7 fetch", "/leads/a-lead-1"),
        patch("7 update", "a-lead-1", json!({"name": "Bo"})),
        delete("7 delete", "a-lead-1"),
        get("7 pipelines", "/pipelines"),
        get("7 clients", "/clients"),
        head("7 HEAD", "/leads"),
    ]
}

/// Checks that each case gets a 500 over every transport, and that no response reveals the cause.
async fn all_are_500(world: World, cases: Vec<Case>) {
    for via in Via::ALL {
        let live = via.open(world.clone()).await;
        for case in &cases {
            let answer = live.send(case.clone().is(500)).await;
            let all = answer.bytes();
            assert!(
                ["10.0.0.1", "5432", "leadapi", "panic", "a-lead-1"].iter().all(|cause| !all.contains(cause)),
                "{}: {all}",
                case.name
            );
            assert!(answer.body.is_empty() || answer.text() == r#"{"error":"internal error"}"#, "{}: {all}", case.name);
        }
    }
}

/// Checks that, for each operation, the [`RequestLog`] of the response contains the cause.
async fn is_logged(world: World) {
    for case in operations() {
        let request: Request<Bytes> = Via::Process.open(world.clone()).await.request(&case);
        let Ok(response) = world.service("", None).oneshot(request.map(http_body_util::Full::new)).await;
        let log: &RequestLog = response.extensions().get().expect("every response carries a log");
        let cause = log.cause.as_ref().expect("the log of a 500 has a cause").to_string();
        assert!(cause.contains(CAUSE), "{}: {cause}", case.name);
        assert!(log.operation.is_some(), "{}", case.name);
    }
}

#[tokio::test]
async fn a_failing_store_is_500_and_the_cause_is_logged() {
    let world = World::new().await.store(Broken::Fails);
    all_are_500(world.clone(), operations()).await;
    is_logged(world).await;
}

#[tokio::test]
async fn a_panicking_store_is_500_and_the_cause_is_logged() {
    let world = World::new().await.store(Broken::Panics);
    all_are_500(world.clone(), operations()).await;
    is_logged(world).await;
}

#[tokio::test]
async fn a_failing_or_panicking_verifier_is_500_and_never_401() {
    for broken in [Broken::Fails, Broken::Panics] {
        let world = World::new().await.verifier(broken);
        all_are_500(world.clone(), operations()).await;
        is_logged(world.clone()).await;
        // Requests that are answered without the verifier still work.
        for via in Via::ALL {
            let live = via.open(world.clone()).await;
            live.send(get("D2 an unknown path needs no verifier", "/forms").is(404)).await;
            live.send(request("D2 an unsupported method needs no verifier", "PUT", "/leads").is(405)).await;
            live.send(get("D2 a missing token needs no verifier", "/leads").token(Token::None).is(401)).await;
        }
    }
}

#[tokio::test]
async fn a_failing_or_panicking_rate_limiter_is_500() {
    for broken in [Broken::Fails, Broken::Panics] {
        let world = World::new().await.limiter(broken);
        all_are_500(world.clone(), operations()).await;
        is_logged(world).await;
    }
}

#[tokio::test]
async fn a_panicking_clock_or_id_source_is_500() {
    let create = || vec![post("7 create", json!({"client_id": "a-client-1", "name": "Ann"}))];
    let world = World::new().await;
    all_are_500(world.clone().time(|| panic!("{CAUSE}")), create()).await;
    all_are_500(world.clone().ids(|_| panic!("{CAUSE}")), create()).await;
    // Requests that do not use the panicking port still succeed.
    let live = Via::Tcp.open(world.clone().ids(|_| panic!("{CAUSE}"))).await;
    live.send(get("7 the connection and the service stay usable", "/leads")).await;
    live.send(create().remove(0).is(500)).await;
    live.send(get("7 nothing was written", "/leads").at("/total", 6)).await;
}

#[tokio::test]
async fn a_duplicate_id_from_the_id_source_is_500() {
    let world = World::new().await.ids(|_| LeadId::parse("a-lead-1").unwrap());
    let create = post("D4 an id source that returns a duplicate", json!({"client_id": "a-client-1", "name": "Ann"}));
    all_are_500(world, vec![create.clone(), create.header("idempotency-key", "k")]).await;
}

/// A malformed id cannot belong to a lead or a client account, so the service need not query the store.
#[tokio::test]
async fn a_malformed_id_is_answered_without_the_store() {
    let world = World::new().await.store(Broken::Fails);
    for via in Via::ALL {
        let live = via.open(world.clone()).await;
        live.send(get("D4 fetch", "/leads/a%20b").is(404).says("no such lead")).await;
        live.send(patch("D4 update", "a%20b", json!({"stage_id": "nobody"})).is(404).says("no such lead")).await;
        live.send(delete("D4 delete", "a%20b").is(404).says("no such lead")).await;
        live.send(get("D4 list", "/leads?client_id=a%20b").is(403).blames("client_id")).await;
    }
}

/// A host can use the log to distinguish the failures of its store.
#[tokio::test]
async fn the_log_contains_the_stores_own_error() {
    let create = || post("D4 a create", json!({"client_id": "a-client-1", "name": "Ann"}));
    let cause = async |world: World| {
        let request = Via::Process.open(world.clone()).await.request(&create());
        let Ok(response) = world.service("", None).oneshot(request.map(http_body_util::Full::new)).await;
        response.extensions().get::<RequestLog>().unwrap().cause.clone().unwrap()
    };
    let failed = cause(World::new().await.store(Broken::Fails)).await;
    assert!(matches!(failed.downcast_ref(), Some(StoreError::Backend(_))), "{failed:?}");
    let twice = cause(World::new().await.ids(|_| LeadId::parse("a-lead-1").unwrap())).await;
    assert!(matches!(twice.downcast_ref(), Some(StoreError::AlreadyExists(_))), "{twice:?}");
}

#[tokio::test]
async fn a_failed_create_does_not_use_up_its_key() {
    let world = World::new().await;
    let case = post("D10 only successful creates are remembered", json!({"client_id": "a-client-1", "name": "Ann"}))
        .header("idempotency-key", "k");
    let broken = Via::Process.open(world.clone().ids(|_| LeadId::parse("a-lead-1").unwrap())).await;
    broken.send(case.clone().is(500)).await;
    let fixed = Via::Process.open(world).await;
    fixed.send(case.lacks("idempotency-replayed")).await;
}

#[tokio::test]
async fn the_request_log_names_operation_and_caller_without_secrets() {
    for (case, operation, business) in [
        (get("D2 a list", "/leads"), Some("list_leads"), Some("biz-a")),
        (get("D2 a 404", "/leads/nobody"), Some("get_lead"), Some("biz-a")),
        (get("D2 another business", "/clients").token(Token::B), Some("list_clients"), Some("biz-b")),
        (get("D2 a 401", "/leads").token(Token::Expired), Some("list_leads"), None),
        (get("D2 an unknown path", "/forms"), None, None),
    ] {
        let world = World::new().await;
        let request = Via::Process.open(world.clone()).await.request(&case);
        let Ok(response) = world.service("", None).oneshot(request.map(http_body_util::Full::new)).await;
        let log: &RequestLog = response.extensions().get().unwrap();
        assert_eq!(log.operation.map(leadapi_core::http::Operation::name), operation, "{}", case.name);
        assert_eq!(log.caller.as_ref().map(|caller| caller.business.as_str()), business, "{}", case.name);
        assert!(log.cause.is_none(), "{}", case.name);
        let debug = format!("{log:?}");
        assert!(!debug.contains("pak_") && !debug.contains("Canary"), "D8: never logged: {debug}");
    }
}

/// Reading a body can fail, for example because the client disconnects. In that case, the service writes nothing, and
/// its response does not reveal the cause.
#[tokio::test]
async fn a_failing_body_writes_and_leaks_nothing() {
    for (broken, statuses) in [(Broken::Fails, [400, 500]), (Broken::Panics, [500, 500])] {
        let world = World::new().await;
        let before = world.dump().await;
        let case = post("7 a create", json!({"client_id": "a-client-1", "name": "Ann"}));
        let request = Via::Process.open(world.clone()).await.request(&case).map(|_| broken);
        let Ok(response) = world.service("", None).oneshot(request).await;
        let status = response.status().as_u16();
        let body = http_body_util::BodyExt::collect(response.into_body()).await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(statuses.contains(&status) && !text.contains("10.0.0.1"), "{status} {text}");
        assert_eq!(world.dump().await, before);
    }
}

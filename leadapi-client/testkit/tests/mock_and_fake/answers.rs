//! Tests of how the client interprets every response that a stub can return.
use std::time::Duration;

use leadapi_client::{
    Error, Outcome, RetryPolicy,
    id::{ClientId, LeadId, StageId},
    model::{
        Change, ClientAccount, IdempotencyKey, Lead, LeadItem, LeadPatch, LeadQuery, NewLead, Page, Pipeline, Stage,
        Window,
    },
};
use leadapi_testkit::{FakeLeadApi, MockLeadApi, mock::Forbidden};

pub(crate) fn id() -> LeadId {
    LeadId::parse("lead-1").unwrap()
}

pub(crate) fn ann() -> Lead {
    let mut lead = Lead::new(id(), "casa-verde".parse().unwrap(), "Ann", "2026-05-04T12:00:00Z".parse().unwrap());
    lead.notes = Some("Call back in June".to_owned());
    lead
}

pub(crate) fn new() -> NewLead {
    NewLead::new(&ann().client_id, "Ann")
}

/// Gets the lead in a single attempt and returns the error.
async fn error(api: &MockLeadApi) -> Error {
    api.client().leads().get(&id()).retry(RetryPolicy::none()).await.unwrap_err()
}

#[tokio::test]
async fn a_stub_answers_each_operation_with_success() {
    let api = MockLeadApi::start().await;
    let window = Window::new(10, 20).unwrap();
    let leads = Page::new(vec![LeadItem::from(ann())], 21, window);
    let stage = Stage::new("new".parse().unwrap(), "New", 1);
    let pipeline = Pipeline::new("sales".parse().unwrap(), "Sales", vec![stage], ann().created_at);
    let account = ClientAccount::new(ann().client_id, "Casa Verde", ann().created_at);
    let (pipelines, accounts) = (Page::new(vec![pipeline], 1, window), Page::new(vec![account], 1, window));
    api.on_create().returns(ann());
    api.on_get(&id()).returns(ann());
    api.on_update(&id()).returns(ann());
    api.on_delete(&id()).returns(());
    api.on_list().returns(leads.clone());
    api.on_pipelines().returns(pipelines.clone());
    api.on_clients().returns(accounts.clone());

    let client = api.client();
    let (created, meta) = client.leads().create(&new()).with_meta().await.unwrap();
    assert_eq!((created, meta.status.as_u16(), meta.is_replayed()), (ann(), 201, false));
    assert_eq!(meta.headers["location"], "/v1/leads/lead-1");
    for header in ["cache-control", "x-content-type-options", "content-type"] {
        assert!(meta.headers.contains_key(header), "{header}");
    }
    assert_eq!(client.leads().get(&id()).await.unwrap(), ann());
    assert_eq!(client.leads().update(&id(), &LeadPatch::new().name("Ann")).await.unwrap(), ann());
    let ((), meta) = client.leads().delete(&id()).with_meta().await.unwrap();
    assert_eq!((meta.status.as_u16(), meta.headers.get("content-type")), (204, None));
    assert_eq!(client.leads().list(&LeadQuery::new().window(window)).await.unwrap(), leads);
    assert_eq!(client.pipelines().list(window).await.unwrap(), pipelines);
    assert_eq!(client.client_accounts().list(window).await.unwrap(), accounts);
    api.verify().await;
    assert_eq!(api.requests()[4], "GET /v1/leads?limit=10&offset=20");
}

#[tokio::test]
async fn a_stub_answers_with_each_error() {
    let api = MockLeadApi::start().await;
    api.on_get(&id()).invalid("the name is too long").times(1);
    api.on_get(&id()).unauthorized().times(1);
    api.on_get(&id()).forbidden(Forbidden::Scope).times(1);
    api.on_get(&id()).forbidden(Forbidden::Client).times(1);
    api.on_get(&id()).not_found().times(1);
    api.on_get(&id()).rate_limited(Duration::from_millis(16_001)).times(1);
    api.on_get(&id()).server_error().times(1);
    api.on_get(&id()).answers(503, "<h1>Be right back</h1>").times(1);

    let refused = error(&api).await;
    assert!(refused.is_invalid() && refused.message() == "the name is too long");
    assert!(error(&api).await.is_unauthorized());
    let refused = error(&api).await;
    assert!(refused.lacks_scope() && refused.message().ends_with("lacks the scope read"));
    let refused = error(&api).await;
    assert!(refused.is_forbidden() && !refused.lacks_scope());
    assert!(error(&api).await.is_not_found());
    let refused = error(&api).await;
    assert!(refused.is_rate_limited() && refused.retry_after() == Some(Duration::from_secs(17)));
    assert!(error(&api).await.is_server_error());
    let refused = error(&api).await;
    assert_eq!((refused.status().unwrap().as_u16(), refused.message().as_str()), (503, "<h1>Be right back</h1>"));
    api.verify().await;
}

#[tokio::test]
async fn a_stub_cuts_and_corrupts_responses() {
    let api = MockLeadApi::start().await;
    api.on_get(&id()).cut_connection().times(1);
    api.on_get(&id()).returns(ann()).cut_after_half().times(1);
    api.on_get(&id()).not_json().times(1);
    api.on_get(&id()).cut_connection().delayed(Duration::from_millis(30)).times(1);
    api.on_delete(&id()).returns(()).cut_after_half().times(1);

    for _ in 0..2 {
        let lost = error(&api).await;
        assert_eq!((lost.status(), lost.outcome()), (None, Outcome::Unknown));
    }
    let unreadable = error(&api).await;
    assert_eq!(unreadable.status().unwrap().as_u16(), 200);
    assert!(unreadable.message().starts_with("the body is not JSON: <html>"));
    let lost = error(&api).await;
    assert!(lost.elapsed() >= Duration::from_millis(30) && lost.status().is_none());
    let lost = api.client().leads().delete(&id()).retry(RetryPolicy::none()).await.unwrap_err();
    assert_eq!((lost.status(), lost.outcome()), (None, Outcome::Unknown));
    api.verify().await;
}

#[tokio::test]
async fn a_half_response_has_half_of_the_body() {
    use crate::raw::RawRequest;

    let api = MockLeadApi::start().await;
    let mut long = ann();
    long.notes = Some("x".repeat(9_000));
    api.on_get(&id()).returns(long.clone()).cut_after_half();
    let bytes = RawRequest::new("GET /v1/leads/lead-1").by(api.token()).bytes(&api.url());
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
    let whole = serde_json::to_string(&long).unwrap();
    assert!(head.contains(&format!("content-length: {}", whole.len())), "{head}");
    assert!(!head.contains("testkit"), "{head}");
    assert_eq!(body, &whole[..whole.len() / 2]);
}

#[tokio::test]
async fn a_delayed_response_takes_real_time() {
    let api = MockLeadApi::start().await;
    api.on_get(&id()).returns(ann()).delayed(Duration::from_millis(30));
    let (_, meta) = api.client().leads().get(&id()).with_meta().await.unwrap();
    assert!(meta.elapsed >= Duration::from_millis(30));
}

#[tokio::test]
async fn a_stub_gives_its_answers_in_sequence() {
    let api = MockLeadApi::start().await;
    let stub = api.on_create().with_name("Ann").server_error().times(2);
    let stub = stub.then().rate_limited(Duration::from_secs(60));
    let stub = stub.then().cut_connection().then().returns(ann()).replayed().times(1);
    let start = std::time::Instant::now();
    let (lead, meta) = api.client().leads().create(&new()).with_meta().await.unwrap();
    assert_eq!((lead, meta.attempts.get(), meta.is_replayed()), (ann(), 5, true));
    assert!(meta.elapsed >= Duration::from_secs(60), "the wait has elapsed on the client's clock");
    assert!(start.elapsed() < Duration::from_secs(60), "the wait took no real time");
    assert_eq!(stub.met(), 5);
    api.verify().await;
}

#[tokio::test]
async fn conditions_select_the_stub() {
    let api = MockLeadApi::start().await;
    let other = ClientId::parse("villa-azul").unwrap();
    let (key, stage) = (IdempotencyKey::parse("a/b?c").unwrap(), StageId::parse("won+1").unwrap());
    let window = Window::new(7, 0).unwrap();
    let page = |total| Page::<LeadItem>::new(Vec::new(), total, Window::default());
    api.on_create().with_name("Bob").for_client(&other).invalid("1");
    api.on_create().matching(|new| new.value == Some(59.5)).invalid("2");
    api.on_create().with_key(&key).invalid("3");
    api.on_create().invalid("4");
    api.on_update(&id()).matching(|patch| patch.email == Change::Clear).invalid("1");
    api.on_update(&id()).invalid("2");
    api.on_list().for_client(&other).at_stage(&stage).returns(page(1));
    api.on_list().for_client(&other).returns(page(2));
    api.on_list().in_window(window).returns(page(3));
    api.on_list().in_window(Window::default()).returns(page(4));

    let client = api.client();
    let create = async |new: NewLead| client.leads().create(&new).await.unwrap_err().message();
    assert_eq!(create(NewLead::new(&other, "Bob")).await, "1");
    assert_eq!(create(new().value(59.5)).await, "2");
    assert_eq!(client.leads().create(&new()).idempotency_key(key).await.unwrap_err().message(), "3");
    assert_eq!(create(NewLead::new(&ann().client_id, "Bob")).await, "4");
    let update = async |patch: LeadPatch| client.leads().update(&id(), &patch).await.unwrap_err().message();
    assert_eq!(update(LeadPatch::new().clear_email().name("Ann")).await, "1");
    assert_eq!(update(LeadPatch::new().email("ann@example.com")).await, "2");
    let list = async |query: LeadQuery| client.leads().list(&query).await.unwrap().total;
    let of_other = LeadQuery::new().client(other);
    assert_eq!(list(of_other.clone().stage(stage)).await, 1);
    assert_eq!(list(of_other).await, 2);
    assert_eq!(list(LeadQuery::new().window(window)).await, 3);
    assert_eq!(list(LeadQuery::new()).await, 4);
    api.verify().await;
}

#[tokio::test]
async fn an_id_is_matched_after_url_decoding() {
    let api = MockLeadApi::start().await;
    let unusual_id = LeadId::parse("a/b?c=%2F#\"'\\").unwrap();
    api.on_delete(&unusual_id).returns(());
    api.client().leads().delete(&unusual_id).await.unwrap();
    api.verify().await;
}

#[tokio::test]
async fn mocks_and_clients_are_independent() {
    let (api, other_api) = (MockLeadApi::start().await, MockLeadApi::start().await);
    api.on_get(&id()).returns(ann()).times(2);
    other_api.on_get(&id()).not_found();
    let (one, two) = (api.client(), api.client());
    let (first, second) = tokio::join!(one.leads().get(&id()).into_future(), two.leads().get(&id()).into_future());
    assert_eq!((first.unwrap(), second.unwrap()), (ann(), ann()));
    assert!(other_api.client().leads().get(&id()).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn servers_can_be_dropped_after_the_coop_budget_is_used_up() {
    // The loop starts enough servers to exhaust the cooperative scheduling budget of a tokio task. After that, a drop
    // that blocked on a tokio lock would hang forever.
    for _ in 0..200 {
        drop(MockLeadApi::start().await);
        drop(FakeLeadApi::start().await);
    }
}

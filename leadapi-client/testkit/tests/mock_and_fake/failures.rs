//! Tests of a mock's panic messages when the requests differ from its expectations.

use std::panic::{AssertUnwindSafe, catch_unwind};

use leadapi_client::{
    RetryPolicy,
    model::{NewLead, Window},
};
use leadapi_testkit::MockLeadApi;

use crate::{
    answers::{ann, id, new},
    raw::RawRequest,
};

/// Runs a closure. Returns its panic message, if it panics.
fn panicked(work: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(panic.downcast_ref::<String>().unwrap().clone())
}

/// Drops the mock and returns its panic message.
pub(crate) fn fails(api: MockLeadApi) -> String {
    panicked(|| drop(api)).expect("the mock did not panic")
}

#[tokio::test]
async fn an_unmet_stub_is_reported_with_its_counts() {
    let api = MockLeadApi::start().await;
    let line = line!() + 1;
    api.on_create().with_name("Ann").server_error().times(3).then().returns(ann());
    api.on_clients().server_error().any_times();
    api.client().leads().create(&new()).retry(RetryPolicy::none()).await.unwrap_err();

    let text = fails(api);
    let stub = "POST /leads with the name \"Ann\": 500, exactly 3 times: met once; then 201, at least once: never met";
    assert!(text.contains(stub), "{text}");
    assert!(text.contains(&format!("failures.rs:{line}:")), "{text}");
    assert!(text.contains("all requests:\n  - POST /v1/leads"), "{text}");
    assert!(!text.contains("/clients"), "{text}");
}

#[tokio::test]
async fn a_drop_after_a_failed_verify_does_not_panic_again() {
    let api = MockLeadApi::start().await;
    api.on_delete(&id()).returns(());
    let mut checked = Box::pin(api.verify());
    let poll = || futures_executor::block_on(&mut checked);
    assert!(panicked(poll).unwrap().contains("DELETE /leads/lead-1: 204, at least once: never met"));
    drop(checked);
    assert!(api.unmet().is_some());
}

#[tokio::test]
async fn a_mock_does_not_panic_while_the_test_is_panicking() {
    let api = MockLeadApi::start().await;
    api.on_delete(&id()).returns(());
    // If dropping the mock panicked as well, the process would abort.
    let text = panicked(|| {
        let _api = api;
        panic!("{}", "the test's own failure")
    });
    assert_eq!(text.as_deref(), Some("the test's own failure"));
}

#[tokio::test]
async fn an_unexpected_request_is_answered_501_and_fails_the_test() {
    let api = MockLeadApi::start().await;
    let (client, url) = (api.client(), api.url());
    api.on_create().with_name("Ann").matching(|new| new.value.is_some()).invalid("no").any_times();
    api.on_get(&id()).returns(ann()).times(1);
    client.leads().get(&id()).await.unwrap();

    let unexpected = client.leads().create(&NewLead::new(&ann().client_id, "Bob").value(1)).await.unwrap_err();
    assert_eq!((unexpected.status().unwrap().as_u16(), unexpected.attempts()), (501, 1));
    let nearest = "; the nearest stub is POST /leads with the name \"Ann\" and with a body that satisfies the predicate: \
                   400, any number of times; but its name is \"Bob\"";
    let create = r#"unexpected request: POST /v1/leads {"client_id":"casa-verde","name":"Bob","value":1}"#;
    assert_eq!(unexpected.message(), format!("{create}{nearest}"));

    let again = client.leads().get(&id()).await.unwrap_err().message();
    assert!(again.ends_with("GET /leads/lead-1: 200, exactly once; but it has no answer left"));
    let other = client.leads().get(&"lead-2".parse().unwrap()).await.unwrap_err().message();
    assert!(other.ends_with("; but its id is \"lead-2\""), "{other}");
    let list = client.client_accounts().list(Window::default()).await.unwrap_err().message();
    assert!(list.starts_with("unexpected request: GET /v1/clients?limit=50&offset=0; "), "{list}");
    assert!(list.ends_with("; but it is a GET /clients"), "{list}");
    let nowhere = RawRequest::new("PUT /v1/forms").by(api.token()).send(&url);
    assert_eq!(nowhere.status, 501);
    assert!(nowhere.body.starts_with(r#"{"error":"unexpected request: PUT /v1/forms; "#), "{}", nowhere.body);
    assert!(nowhere.body.contains("not one of the seven operations"), "{}", nowhere.body);

    let text = fails(api);
    assert!(text.contains("unexpected requests:\n  - POST /v1/leads"), "{text}");
    assert_eq!(text.matches("the nearest stub is").count(), 5, "{text}");
}

#[tokio::test]
async fn a_wrong_token_is_unexpected_and_no_message_contains_the_token() {
    let api = MockLeadApi::start().await;
    api.on_get(&id()).returns(ann()).any_times();
    api.on_clients().unauthorized();
    let secret = api.token().expose().to_owned();
    let get = RawRequest::new("GET /v1/leads/lead-1");
    assert!(get.send(&api.url()).body.contains("does not have the mock's token"));
    assert_eq!(get.with("authorization", format!("Bearer {secret}x")).send(&api.url()).status, 501);
    assert_eq!(RawRequest::new("GET /v1/clients").send(&api.url()).status, 401);
    assert!(!format!("{api:?}").contains(&secret));
    assert!(!fails(api).contains(&secret));
}

#[tokio::test]
async fn a_stub_can_expect_zero_requests() {
    let api = MockLeadApi::start().await;
    api.on_delete(&id()).returns(()).times(0);
    api.verify().await;
    let refused = api.client().leads().delete(&id()).await.unwrap_err();
    assert!(refused.message().contains("204, exactly 0 times; but it has no answer left"), "{refused}");
    fails(api);
}

#[tokio::test]
async fn a_mock_without_stubs_reports_that() {
    let api = MockLeadApi::start().await;
    let error = api.client().leads().get(&id()).await.unwrap_err();
    assert_eq!(error.message(), "unexpected request: GET /v1/leads/lead-1; no stub is defined");
    assert!(fails(api).starts_with("the requests do not match the test's expectations"));
}

//! Tests of the faults that the fake injects.

use std::time::{Duration, Instant};

use leadapi_client::{
    Outcome, RetryPolicy,
    model::{IdempotencyKey, LeadQuery, NewLead, Window},
};
use leadapi_testkit::FakeLeadApi;

fn bob() -> NewLead {
    NewLead::new(&"casa-verde".parse().unwrap(), "Bob")
}

/// Returns the number of leads created in addition to the initial data.
async fn created(api: &FakeLeadApi) -> u64 {
    api.client().leads().list(&LeadQuery::new()).await.unwrap().total - 3
}

#[tokio::test]
async fn the_nth_request_fails_and_is_not_executed() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    client.leads().list(&LeadQuery::new()).await.unwrap();
    api.fail_nth(2);
    let once = async || client.leads().create(&bob()).retry(RetryPolicy::none()).await;
    once().await.unwrap();
    assert!(once().await.unwrap_err().is_server_error());
    once().await.unwrap();
    assert_eq!(created(&api).await, 2);
}

#[tokio::test]
async fn a_request_with_a_dropped_response_was_executed() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    api.drop_nth_response(1);
    let (_, meta) = client.leads().create(&bob()).with_meta().await.unwrap();
    assert_eq!((meta.attempts.get(), meta.is_replayed()), (2, true));
    assert_eq!(created(&api).await, 1);

    api.drop_nth_response(1);
    let lost = client.leads().create(&bob()).without_idempotency_key().await.unwrap_err();
    assert_eq!((lost.outcome(), lost.attempts()), (Outcome::Unknown, 1));
    assert_eq!(created(&api).await, 2);

    let key = IdempotencyKey::parse("row-1").unwrap();
    api.drop_nth_response(1).fail_nth(2).drop_nth_response(3).fail_nth(4);
    let create = client.leads().create(&bob()).idempotency_key(key);
    assert_eq!(create.with_meta().await.unwrap().1.attempts.get(), 5);
    assert_eq!(created(&api).await, 3);
}

#[tokio::test]
async fn a_bulk_import_creates_no_duplicates_despite_faults() {
    let api = FakeLeadApi::start().await;
    api.fail_fraction(0.1, 7);
    for n in (5..150).step_by(9) {
        api.drop_nth_response(n);
    }
    let rows = (0..100).map(|number| NewLead::new(&"casa-verde".parse().unwrap(), format!("Lead {number}")));
    let client = api.client();
    // About one in five attempts fails, so some of the hundred rows could exhaust the default five attempts.
    let policy = RetryPolicy::default().attempts(20);
    let mut creates = client.leads().create_many(rows).named("import-7").unwrap().retry(policy);
    while let Some(result) = creates.next().await {
        result.unwrap().outcome.unwrap();
    }
    api.fail_fraction(0.0, 0);
    let (mut names, mut stream) = (Vec::new(), client.leads().list_all(LeadQuery::new()).stream());
    while let Some(lead) = stream.try_next().await.unwrap() {
        names.push(lead.name);
    }
    let mut wanted: Vec<String> = (0..100).map(|number| format!("Lead {number}")).collect();
    wanted.extend(["Ann", "Øyvind", "Élodie Martin"].map(str::to_owned));
    names.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
}

#[tokio::test]
async fn the_same_seed_fails_the_same_requests() {
    let failed = async |seed| {
        let api = FakeLeadApi::start().await;
        api.fail_fraction(0.3, seed);
        let client = api.client();
        let mut failed = Vec::new();
        for _ in 0..40 {
            let list = client.client_accounts().list(Window::default()).retry(RetryPolicy::none()).await;
            failed.push(list.is_err());
        }
        failed
    };
    let first = failed(1).await;
    assert!(first.contains(&true) && first.contains(&false));
    assert_eq!(first, failed(1).await);
    assert_ne!(first, failed(2).await);
}

#[tokio::test]
async fn latency_delays_the_response_of_an_executed_request() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    api.latency(Duration::from_millis(40));
    let start = Instant::now();
    client.client_accounts().list(Window::default()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(40));
    api.latency(Duration::from_secs(3_600));
    let create = client.leads().create(&bob()).attempt_timeout(Duration::from_secs(2));
    let error = create.retry(RetryPolicy::none()).await.unwrap_err();
    assert!(error.is_timeout() && error.outcome() == Outcome::Unknown);
    api.latency(Duration::ZERO);
    assert_eq!(created(&api).await, 1);
}

#[tokio::test]
async fn an_injected_rate_limit_ends_at_its_time() {
    let api = FakeLeadApi::start().await;
    api.rate_limited_until("2026-05-04T12:02:00.500Z".parse().unwrap());
    // Each call uses a new client, because after a 429, a client would wait before its next call.
    let once = async || api.client().client_accounts().list(Window::default()).retry(RetryPolicy::none()).await;
    let refused = once().await.unwrap_err();
    assert_eq!((refused.is_rate_limited(), refused.retry_after()), (true, Some(Duration::from_secs(60))));
    api.advance(Duration::from_millis(103_100));
    assert_eq!(once().await.unwrap_err().retry_after(), Some(Duration::from_secs(18)));
    api.advance(Duration::from_millis(17_399));
    assert_eq!(once().await.unwrap_err().retry_after(), Some(Duration::from_secs(1)));
    api.advance(Duration::from_millis(1));
    once().await.unwrap();
    api.rate_limited_until("2027-05-04T12:00:00Z".parse().unwrap()).rate_limited_until(api.now());
    once().await.unwrap();
}

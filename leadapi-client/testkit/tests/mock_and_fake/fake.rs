//! Tests of the fake's clock, rate limits, tokens and store.

use std::time::Duration;

use leadapi_client::{
    RetryPolicy,
    auth::Scopes,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
    pager::Checkpoint,
};
use leadapi_core::{
    dataset::Dataset,
    port::{Store, TokenRecord, TokenStore},
};
use leadapi_testkit::FakeLeadApi;

fn bob() -> NewLead {
    NewLead::new(&"casa-verde".parse().unwrap(), "Bob")
}

#[tokio::test]
async fn the_fake_stores_updates_and_deletes_leads() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    let lead = client.leads().create(&bob().notes("a\nb").stage(&"won".parse().unwrap())).await.unwrap();
    assert_eq!(lead.created_at, api.now());
    assert_eq!(lead.pipeline_id.as_ref().unwrap().as_str(), "sales");
    let changed = client.leads().update(&lead.id, &LeadPatch::new().clear_pipeline()).await.unwrap();
    assert_eq!((changed.stage_id, changed.notes.as_deref()), (None, Some("a\nb")));
    let stored = api.store().get(api.business(), &lead.id).await.unwrap().unwrap();
    assert_eq!(*stored, client.leads().get(&lead.id).await.unwrap());
    let page = client.leads().list(&LeadQuery::new()).await.unwrap();
    assert_eq!((page.total, &page.data[0].id), (4, &lead.id));
    client.leads().delete(&lead.id).await.unwrap();
    assert_eq!(api.store().get(api.business(), &lead.id).await.unwrap(), None);
}

#[tokio::test]
async fn the_rate_limit_follows_the_clock_of_the_fake() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    // Each call uses a new client, because after a 429, a client would wait before its next call.
    let once = async || api.client().leads().create(&bob()).retry(RetryPolicy::none()).await;
    for number in 0..60 {
        once().await.unwrap_or_else(|error| panic!("{number}: {error}"));
        api.advance(Duration::from_millis(100));
    }
    // The oldest write is 6 s old, so the next one is allowed in 54 s.
    let refused = once().await.unwrap_err();
    assert_eq!((refused.is_rate_limited(), refused.retry_after()), (true, Some(Duration::from_secs(54))));
    api.advance(Duration::from_millis(53_999));
    assert!(once().await.unwrap_err().is_rate_limited());
    api.advance(Duration::from_millis(1));
    once().await.unwrap();
    assert!(once().await.unwrap_err().is_rate_limited());
    client.leads().list(&LeadQuery::new()).await.unwrap();
    // A second token has its own rate limit.
    let other = api.client_with(&api.issue_token(api.business(), Scopes::Write));
    other.leads().create(&bob()).retry(RetryPolicy::none()).await.unwrap();
}

#[tokio::test]
async fn a_client_waits_on_the_clock_of_the_fake() {
    let api = FakeLeadApi::start().await;
    let (client, before, start) = (api.client(), api.now(), std::time::Instant::now());
    for _ in 0..180 {
        client.leads().create(&bob()).timeout(Duration::from_secs(600)).await.unwrap();
    }
    let waited = api.now().saturating_duration_since(before).as_secs();
    assert!((120..=125).contains(&waited), "{waited}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn clients_of_a_business_share_leads_and_other_businesses_do_not() {
    let api = FakeLeadApi::start().await;
    let (one, two) = (api.client(), api.client_with(&api.issue_token(api.business(), Scopes::Both)));
    let create = async |client: &leadapi_client::Client| {
        for _ in 0..20 {
            client.leads().create(&bob()).await.unwrap();
        }
    };
    tokio::join!(create(&one), create(&two));
    assert_eq!(one.leads().list(&LeadQuery::new()).await.unwrap().total, 43);
    let mut stream = two.leads().list_all(LeadQuery::new()).page_size(7).stream();
    let mut seen = 0;
    while stream.try_next().await.unwrap().is_some() {
        seen += 1;
    }
    assert_eq!(seen, 43);

    let data = r#"{"businesses": [
        {"id": "b1", "name": "B1", "created_at": "2026-01-12T09:00:00Z",
            "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-12T09:00:00Z"}]},
        {"id": "b2", "name": "B2", "created_at": "2026-01-12T09:00:00Z"}]}"#;
    let api = FakeLeadApi::builder().data(Dataset::parse(data).unwrap()).start().await;
    let stranger = api.client_with(&api.issue_token(&"b2".parse().unwrap(), Scopes::Both));
    let lead = api.client().leads().create(&NewLead::new(&"c1".parse().unwrap(), "Ann")).await.unwrap();
    assert!(stranger.leads().get(&lead.id).await.unwrap_err().is_not_found());
    assert_eq!(stranger.client_accounts().list(Window::default()).await.unwrap().total, 0);
}

#[tokio::test]
async fn keys_and_tokens_expire_on_the_clock_of_the_fake() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    let key = IdempotencyKey::parse("row-1").unwrap();
    let create = async || {
        let create = client.leads().create(&bob()).idempotency_key(key.clone());
        let (lead, meta) = create.with_meta().await.unwrap();
        (lead.id, meta.is_replayed())
    };
    let (first, _) = create().await;
    api.advance(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(create().await, (first.clone(), true));
    api.advance(Duration::from_secs(1));
    let (second, replayed) = create().await;
    assert!(second != first && !replayed);

    let token = leadapi_client::auth::BearerToken::generate().unwrap();
    let mut record = TokenRecord::new(&token, "short", Scopes::Read, api.now());
    record.expires_at = Some("2026-05-05T12:00:10Z".parse().unwrap());
    api.tokens().insert(api.business(), record).await.unwrap();
    let short = api.client_with(&token);
    short.client_accounts().list(Window::default()).await.unwrap();
    api.advance(Duration::from_secs(10));
    let error = short.client_accounts().list(Window::default()).await.unwrap_err();
    assert_eq!(error.message(), "Authorization: token expired");
}

#[tokio::test]
async fn ids_depend_on_the_seed_and_increase() {
    let ids = async |seed: Option<u64>| {
        let builder = FakeLeadApi::builder();
        let api = seed.map_or(builder, |seed| FakeLeadApi::builder().seed(seed)).start().await;
        let client = api.client();
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(client.leads().create(&bob()).await.unwrap().id);
        }
        assert!(ids.is_sorted());
        ids
    };
    assert_eq!(ids(Some(7)).await, ids(Some(7)).await);
    assert_ne!(ids(Some(7)).await, ids(Some(8)).await);
    assert_ne!(ids(None).await, ids(None).await);
}

#[tokio::test]
async fn a_poller_returns_leads_created_after_the_clock_advanced() {
    let api = FakeLeadApi::start().await;
    let client = api.client();
    let mut poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::at(api.now()));
    assert!(poller.poll().await.unwrap().leads.is_empty());
    for minutes in 1..4 {
        api.advance(Duration::from_secs(60 * minutes));
        let lead = client.leads().create(&bob()).await.unwrap();
        let new = poller.poll().await.unwrap().leads;
        assert_eq!(new.iter().map(|lead| &lead.id).collect::<Vec<_>>(), [&lead.id]);
    }
}

//! Compares the responses of the mock's stubs and of the fake with the service's responses, byte for byte.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::Duration,
};

use leadapi_client::{
    auth::{BearerToken, Scopes},
    id::LeadId,
    model::{Lead, Page, Timestamp},
};
use leadapi_core::{
    BoxError,
    dataset::{Dataset, TokenOrigin, TokenSeed},
    http::LeadService,
    memory::{Limits, ManualClock, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::{Clock, TokenVerifier, Verdict},
    tokens::{self, StoredTokens},
};
use leadapi_testkit::{FakeLeadApi, MockLeadApi, mock::Forbidden};

use crate::raw::{RawRequest, RawResponse};

const DATA: &str = r#"{"businesses": [{"id": "b1", "name": "Sol", "created_at": "2026-01-12T09:00:00.000Z",
    "clients": [{"id": "c1", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00.000Z"},
        {"id": "c2", "name": "Ärzte & Co", "created_at": "2026-01-12T09:30:00.000Z"}],
    "pipelines": [{"id": "p1", "name": "Sales", "created_at": "2026-01-12T10:00:00.000Z", "stages": [
        {"id": "s1", "name": "New", "position": 1}, {"id": "s2", "name": "Won", "position": 2}]}],
    "leads": [{"id": "l1", "client_id": "c1", "name": "Élodie", "notes": "a\nb", "value": 59.5, "stage_id": "s1",
        "created_at": "2026-05-04T07:58:12.004Z"}]}]}"#;

const START: &str = "2026-05-04T12:00:00Z";

/// Returns data with three known tokens: one with both scopes, one with the read scope, and an expired one.
fn data() -> (Dataset, [BearerToken; 3]) {
    let mut data = Dataset::parse(DATA).unwrap();
    let secrets = [(); 3].map(|()| BearerToken::generate().unwrap());
    let scopes = [Scopes::Both, Scopes::Read, Scopes::Both];
    let seeds = secrets.iter().zip(scopes);
    let mut tokens: Vec<_> =
        seeds.map(|(secret, scopes)| TokenSeed::new("t", scopes, TokenOrigin::Given(secret.clone()))).collect();
    tokens[2].expires_at = Some("2026-05-04T12:00:00Z".parse().unwrap());
    data.businesses[0].tokens = tokens;
    (data, secrets)
}

/// Builds a service independently of the fake. New leads get the ids in `ids`.
async fn by_hand(data: Dataset, clock: &Arc<ManualClock>, ids: Arc<Mutex<Vec<LeadId>>>) -> LeadService {
    let tokens = MemoryTokens::default();
    tokens::import(&tokens, &data, START.parse().unwrap()).await.unwrap();
    let time = || {
        let clock = clock.clone();
        move || clock.now()
    };
    let elapsed = clock.clone();
    LeadService::builder(MemoryStore::new(data), StoredTokens::new(tokens, time()))
        .base_path("/v1")
        .clock(time())
        .limiter(SlidingWindow::with_time(Limits::default(), move || elapsed.elapsed()))
        .ids(move |_: Timestamp| ids.lock().unwrap().pop().unwrap_or_else(|| "none".parse().unwrap()))
        .build()
        .unwrap()
}

/// Returns valid and invalid requests for all operations.
fn all_requests([both, read, expired]: &[BearerToken; 3]) -> Vec<RawRequest> {
    let ask = |line| RawRequest::new(line).by(both);
    let post = |body: &str| ask("POST /v1/leads").with("content-type", "application/json").body(body);
    let keyed = |body: &str| post(body).with("idempotency-key", "row-1");
    let big = format!(r#"{{"client_id":"c1","name":"{}"}}"#, "x".repeat(70_000));
    let mut all_requests = vec![
        ask("GET /v1/leads"),
        ask("HEAD /v1/leads"),
        ask("GET /v1/leads?limit=1&offset=7&client_id=c1&stage_id=s1"),
        ask("GET /v1/leads?limit=0&page=2&limit=1"),
        ask("GET /v1/leads?client_id=foreign"),
        ask("GET /v1/leads?stage_id=gone"),
        ask("GET /v1/leads?client_id=%63%31"),
        ask("GET /v1/leads/l1"),
        ask("GET /v1/leads/%6c1"),
        ask("GET /v1/leads/gone"),
        ask("GET /v1/leads/"),
        ask("GET /v1//leads"),
        ask("GET /v1/leads/a%2Fb'()%22"),
        ask("GET /v1/pipelines"),
        ask("GET /v1/clients?limit=1"),
        ask("GET /v1/forms"),
        ask("GET /leads"),
        ask("PUT /v1/leads"),
        ask("OPTIONS /v1/leads/l1"),
        RawRequest::new("GET /v1/leads"),
        RawRequest::new("GET /v1/leads").with("authorization", "Basic abc"),
        RawRequest::new("GET /v1/leads").with("authorization", "Bearer pak_abc"),
        RawRequest::new("GET /v1/leads").by(expired),
        RawRequest::new("DELETE /v1/leads/l1").by(read),
        post(r#"{"client_id":"c1","name":" Øyvind ","value":1e3,"stage_id":"s2","notes":"x\ty"}"#),
        keyed(r#"{"client_id":"c1","name":"Ann"}"#),
        keyed(r#"{"name":"Ann", "client_id":"c1"}"#),
        keyed(r#"{"client_id":"c1","name":"Bob"}"#),
        post(r#"{"client_id":"foreign","name":"Ann"}"#),
        post(r#"{"nmae":"Ann","value":"1"}"#),
        post("{"),
        post(""),
        post(&big),
        ask("POST /v1/leads").with("content-type", "text/plain").body("{}"),
        ask("PATCH /v1/leads/l1").body(r#"{"email":"e@example.com","notes":null}"#),
        ask("PATCH /v1/leads/l1").body("{}"),
        ask("PATCH /v1/leads/gone").body(r#"{"name":"Ann"}"#),
        ask("DELETE /v1/leads/l1"),
        ask("DELETE /v1/leads/l1"),
        ask("GET /v1/leads"),
    ];
    all_requests.extend((0..60).map(|_| ask("DELETE /v1/leads/gone")));
    all_requests
}

/// Returns the id of the created lead if the response is a 201.
fn created(raw: &RawResponse) -> Option<LeadId> {
    let lead: Lead = serde_json::from_str(&raw.body).ok()?;
    (raw.status == 201).then_some(lead.id)
}

#[tokio::test]
async fn the_fake_responds_like_the_service() {
    let (data, tokens) = data();
    let (clock, ids) = (Arc::new(ManualClock::at(START.parse().unwrap())), Arc::new(Mutex::new(Vec::new())));
    let service = by_hand(data.clone(), &clock, ids.clone()).await;
    let fake = FakeLeadApi::builder().data(data).at(START.parse().unwrap()).start().await;
    let mut statuses = Vec::new();
    for ask in all_requests(&tokens) {
        let answer = ask.send(&fake.url());
        ids.lock().unwrap().extend(created(&answer));
        assert_eq!(answer, ask.call(&service).await, "{ask:?}");
        ids.lock().unwrap().clear();
        for time in [Duration::from_micros(1_500), Duration::from_millis(20)] {
            clock.advance(time);
            fake.advance(time);
        }
        statuses.push(answer.status);
    }
    for status in [200, 201, 204, 400, 401, 403, 404, 405, 429] {
        assert!(statuses.contains(&status), "{status} is not among {statuses:?}");
    }
}

#[tokio::test]
async fn stubs_respond_like_the_service() {
    let (data, [both, read, _]) = data();
    let clock = Arc::new(ManualClock::at(START.parse().unwrap()));
    let ids = Arc::new(Mutex::new(vec!["a/b".parse().unwrap()]));
    let service = by_hand(data.clone(), &clock, ids).await;
    let api = MockLeadApi::start().await;
    let (url, id) = (api.url(), LeadId::parse("l1").unwrap());

    let post = |token| RawRequest::new("POST /v1/leads").by(token).body(r#"{"client_id":"c1","name":"Ann"}"#);
    let create = post(&both).with("idempotency-key", "row-1");
    let fresh = create.call(&service).await;
    let lead: Lead = serde_json::from_str(&fresh.body).unwrap();
    api.on_create().returns(lead.clone()).times(1).then().returns(lead).replayed().times(1);
    assert_eq!(post(api.token()).send(&url), fresh);
    assert_eq!(post(api.token()).send(&url), create.call(&service).await);

    // Returns the service's response, and the same request with the mock's token.
    let ask = async |line: &'static str| {
        (RawRequest::new(line).by(&both).call(&service).await, RawRequest::new(line).by(api.token()))
    };
    let (get, again) = ask("GET /v1/leads/l1").await;
    api.on_get(&id).returns(serde_json::from_str(&get.body).unwrap()).times(1);
    assert_eq!(again.send(&url), get);
    let (list, again) = ask("GET /v1/leads?limit=1").await;
    api.on_list().returns(serde_json::from_str::<Page<_>>(&list.body).unwrap()).times(1);
    assert_eq!(again.send(&url), list);
    let (pipelines, again) = ask("GET /v1/pipelines").await;
    api.on_pipelines().returns(serde_json::from_str(&pipelines.body).unwrap()).times(1);
    assert_eq!(again.send(&url), pipelines);
    let (clients, again) = ask("GET /v1/clients").await;
    api.on_clients().returns(serde_json::from_str(&clients.body).unwrap()).times(1);
    assert_eq!(again.send(&url), clients);
    let (deleted, again) = ask("DELETE /v1/leads/l1").await;
    api.on_delete(&id).returns(()).times(1);
    assert_eq!(again.send(&url), deleted);

    let (gone, again) = ask("GET /v1/leads/l1").await;
    api.on_get(&id).not_found().times(1);
    assert_eq!(again.send(&url), gone);
    let (nowhere, _) = ask("GET /v1/lead").await;
    api.on_list().not_found().times(1);
    assert_eq!(RawRequest::new("GET /v1/leads").by(api.token()).send(&url), nowhere);
    let (foreign, again) = ask("GET /v1/leads?client_id=foreign").await;
    api.on_list().forbidden(Forbidden::Client).times(1);
    assert_eq!(again.send(&url), foreign);
    let (invalid, again) = ask("GET /v1/leads?stage_id=gone").await;
    api.on_list().invalid("stage_id: no such stage").times(1);
    assert_eq!(again.send(&url), invalid);
    api.on_create().forbidden(Forbidden::Scope).times(1);
    assert_eq!(post(api.token()).send(&url), post(&read).call(&service).await);
    api.on_create().unauthorized().times(1);
    let stranger = BearerToken::generate().unwrap();
    assert_eq!(post(&stranger).send(&url), post(&stranger).call(&service).await);
    api.verify().await;
}

/// A verifier that either fails or accepts every token with the write scope.
struct Any(bool);

#[async_trait::async_trait]
impl TokenVerifier for Any {
    async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
        let scopes = if self.0 { Scopes::Write } else { Err("it is down")? };
        Ok(Verdict::Good(leadapi_core::auth::Caller::new("b1".parse()?, "t1".parse()?, scopes)))
    }
}

#[tokio::test]
async fn errors_match_the_errors_of_the_service() {
    let api = MockLeadApi::start().await;
    let fake = FakeLeadApi::start().await;
    let service = |good| {
        let limits = Limits::new(NonZeroU32::MIN, Limits::default().writes);
        let clock = ManualClock::at(SystemClock.now());
        let limiter = SlidingWindow::with_time(limits, move || clock.elapsed());
        LeadService::builder(MemoryStore::default(), Any(good)).base_path("/v1").limiter(limiter).build().unwrap()
    };
    let ask = RawRequest::new("GET /v1/clients").by(api.token());
    let down = ask.call(&service(false)).await;
    api.on_clients().server_error().times(1);
    assert_eq!(ask.send(&api.url()), down);
    fake.fail_nth(1);
    assert_eq!(ask.send(&fake.url()), down);

    let writer = service(true);
    api.on_clients().forbidden(Forbidden::Scope).times(1);
    assert_eq!(ask.send(&api.url()), ask.call(&writer).await);
    api.on_clients().rate_limited(Duration::from_secs(60)).times(1);
    let refused = ask.call(&writer).await;
    assert_eq!((ask.send(&api.url()), refused.status), (refused.clone(), 429));
    fake.rate_limited_until("2026-05-04T13:00:00Z".parse().unwrap());
    assert_eq!(RawRequest::new("GET /v1/clients").by(fake.token()).send(&fake.url()), refused);
    assert_eq!(ask.send(&fake.url()).status, 401, "the token is checked before the rate limit");
}

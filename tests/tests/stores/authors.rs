//! Tests that a write takes effect only while its token is valid, however long the write is held back.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use http::{Request, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full, StreamBody};
use leadapi_core::{
    auth::{BearerToken, Member, Role, Scopes},
    clock::SystemClock,
    dataset::Dataset,
    http::LeadService,
    model::NewLead,
    port::{Clock, Created, SettingsStore, Store, TokenRecord},
    tokens::{StoredTokens, Tokens},
    validate::NewLeadMeta,
};
use leadapi_memory::{MemorySettings, MemoryStore};
use leadapi_sql::SqlStore;
use leadapi_tests::eventually;
use tokio::{sync::oneshot, task::JoinHandle};
use tokio_postgres::NoTls;

use crate::{
    fixture::{DATA, business, open},
    idempotency::urls,
};

type Response = (StatusCode, String);

/// A service with one lead and one token.
struct World {
    service: LeadService,
    secret: BearerToken,
    record: TokenRecord,
}

impl World {
    /// Creates the lead and the token.
    async fn new(store: &dyn Store, settings: &dyn SettingsStore, service: LeadService) -> Self {
        let secret = BearerToken::generate().unwrap();
        let record = TokenRecord::new(&secret, "t", Scopes::Both, SystemClock.now());
        settings.insert(&business(), record.clone()).await.unwrap();
        let meta = NewLeadMeta::new("l1".parse().unwrap(), SystemClock.now());
        let draft = NewLead::new(&"c1".parse().unwrap(), "Ann").check().unwrap();
        let author = leadapi_core::auth::Author::Host;
        assert!(matches!(store.create(&business(), &author, meta, draft, None).await, Ok(Created::New(_))));
        Self { service, secret, record }
    }

    async fn in_database(store: &SqlStore) -> Self {
        let verifier = StoredTokens::new(store.clone(), store.clock()).cached().checked_by_store();
        let service = LeadService::builder(store.clone(), verifier).clock(store.clock()).build().unwrap();
        let world = Self::new(store, store, service).await;
        // From now on, the token is cached.
        assert_eq!(world.send("GET", "/leads", String::new()).await.0, StatusCode::OK);
        world
    }

    async fn send(&self, method: &str, path: &str, body: String) -> Response {
        self.send_body(method, path, Full::from(body)).await
    }

    async fn send_body<B>(&self, method: &str, path: &str, body: B) -> Response
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {}", self.secret.expose())).body(body).unwrap();
        let (response, _) = self.service.answer(request).await;
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    /// Starts each kind of write. The writes wait in the store.
    fn start_writes(self: &Arc<Self>) -> Vec<JoinHandle<Response>> {
        let writes = [
            ("POST", "/leads", r#"{"client_id": "c1", "name": "Bo"}"#),
            ("PATCH", "/leads/l1", r#"{"name": "Cy"}"#),
            ("DELETE", "/leads/l1", ""),
        ];
        let start = |(method, path, body): (&'static str, &'static str, &'static str)| {
            let world = self.clone();
            tokio::spawn(async move { world.send(method, path, body.to_owned()).await })
        };
        writes.into_iter().map(start).collect()
    }
}

async fn assert_refused(writes: Vec<JoinHandle<Response>>, text: &str) {
    for write in writes {
        let (status, body) = write.await.unwrap();
        assert!(status == StatusCode::UNAUTHORIZED && body.contains(text), "{status}: {body}");
    }
}

async fn assert_unchanged(store: &dyn Store) {
    let lead = store.get(&business(), &"l1".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(lead.name, "Ann");
    let query = leadapi_core::model::LeadQuery::new();
    let listed = store.list(&business(), &query).await.unwrap();
    assert!(matches!(listed, leadapi_core::port::Listed::Page(page) if page.total == 1));
}

/// How a token becomes invalid, and the message of the response.
const CHANGES: [(&str, &str); 3] = [
    ("UPDATE token SET revoked_at = 1", "token revoked"),
    ("UPDATE token SET expires_at = 1", "token expired"),
    ("DELETE FROM token", "invalid token"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waits_for_a_lock_in_postgres_is_refused_if_its_token_becomes_invalid() {
    for (change, text) in CHANGES {
        let (_folder, urls) = urls("authors").await;
        let Some(url) = urls.get(1) else { return };
        let store = open(url, 4).await;
        let world = Arc::new(World::in_database(&store).await);
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("BEGIN; SELECT * FROM business FOR NO KEY UPDATE").await.unwrap();
        let writes = world.start_writes();
        let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        eventually("the writes wait", async || client.query_opt(waits, &[]).await.unwrap()).await;
        client.batch_execute(&format!("{change}; COMMIT")).await.unwrap();
        assert_refused(writes, text).await;
        assert_unchanged(&store).await;
    }
}

/// The transaction of a write begins before the token expires, so the time must be read after the lock is granted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waits_for_a_lock_in_postgres_is_refused_if_its_token_expires_meanwhile() {
    let (_folder, urls) = urls("expiry").await;
    let Some(url) = urls.get(1) else { return };
    let store = open(url, 4).await;
    let world = Arc::new(World::in_database(&store).await);
    let connect = async || {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    };
    let (holder, client) = (connect().await, connect().await);
    holder.batch_execute("BEGIN; SELECT * FROM business FOR NO KEY UPDATE").await.unwrap();
    let writes = world.start_writes();
    let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    eventually("the writes wait", async || client.query_opt(waits, &[]).await.unwrap()).await;
    let expire = "UPDATE token SET expires_at = extract(epoch FROM clock_timestamp()) * 1000 + 50";
    client.batch_execute(expire).await.unwrap();
    let expired = "SELECT FROM token WHERE expires_at < extract(epoch FROM clock_timestamp()) * 1000 - 1";
    eventually("the token expires", async || client.query_opt(expired, &[]).await.unwrap()).await;
    holder.batch_execute("COMMIT").await.unwrap();
    assert_refused(writes, "token expired").await;
    assert_unchanged(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waits_for_another_writer_in_sqlite_is_refused_if_its_token_becomes_invalid() {
    for (change, text) in CHANGES {
        let (folder, urls) = urls("authors").await;
        let store = open(&urls[0], 4).await;
        let world = Arc::new(World::in_database(&store).await);
        let other = rusqlite::Connection::open(folder.path().join("leads.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let writes = world.start_writes();
        other.execute_batch(&format!("{change}; COMMIT")).unwrap();
        assert_refused(writes, text).await;
        assert_unchanged(&store).await;
    }
}

/// A refused write does not fail the other writes in its transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_write_does_not_fail_the_writes_of_other_tokens() {
    let (_folder, urls) = urls("neighbors").await;
    let Some(url) = urls.get(1) else { return };
    let store = open(url, 4).await;
    let refused = Arc::new(World::in_database(&store).await);
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN; SELECT * FROM business FOR NO KEY UPDATE").await.unwrap();
    let writes = refused.start_writes();
    let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    eventually("the writes wait", async || client.query_opt(waits, &[]).await.unwrap()).await;
    let others: Vec<_> = (0..8)
        .map(|nth| {
            let store = store.clone();
            tokio::spawn(async move { crate::fixture::create(&store, "other", &format!("key-{nth}")).await })
        })
        .collect();
    client.batch_execute("UPDATE token SET revoked_at = 1; COMMIT").await.unwrap();
    assert_refused(writes, "token revoked").await;
    for other in others {
        assert!(matches!(other.await.unwrap(), Ok(Created::New(_))));
    }
    assert_eq!(crate::fixture::count(&store, "other").await, 8);
}

/// Sends the requests that have a body, revokes the token while the bodies are held back, and then sends the bodies.
async fn hold_back_bodies(world: World, settings: impl SettingsStore + 'static, before_release: impl Fn()) {
    let world = Arc::new(world);
    let (mut writes, mut held_back) = (Vec::new(), Vec::new());
    for (method, path, body) in
        [("POST", "/leads", r#"{"client_id": "c1", "name": "Bo"}"#), ("PATCH", "/leads/l1", r#"{"name": "Cy"}"#)]
    {
        let (arrive, arrived) = oneshot::channel::<()>();
        let (release, released) = oneshot::channel::<()>();
        let held = StreamBody::new(stream::once(async move {
            arrive.send(()).unwrap();
            released.await.unwrap();
            Ok(Frame::data(Bytes::from(body)))
        }));
        let world = world.clone();
        writes.push(tokio::spawn(async move { world.send_body(method, path, Box::pin(held)).await }));
        held_back.push(release);
        arrived.await.unwrap();
    }
    let admin = Member::new(business(), "ann@example.org", Role::Owner).token_admin().unwrap();
    Tokens::new(settings, SystemClock).revoke(&admin, &world.record.id).await.unwrap();
    before_release();
    for release in held_back {
        release.send(()).unwrap();
    }
    assert_refused(writes, "token revoked").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_held_back_across_a_revocation_writes_nothing() {
    let dataset = || Dataset::parse(DATA).unwrap();
    let (store, settings) = (Arc::new(MemoryStore::new(dataset())), MemorySettings::new(&dataset()));
    let late = Arc::new(AtomicU64::new(0));
    let clock = {
        let late = late.clone();
        move || SystemClock.now().checked_add(Duration::from_millis(late.load(SeqCst))).unwrap()
    };
    let verifier = StoredTokens::new(settings.clone(), SystemClock);
    let service = LeadService::builder(store.clone(), verifier).clock(clock).build().unwrap();
    let world = World::new(&store, &settings, service).await;
    hold_back_bodies(world, settings, || late.store(1_000, SeqCst)).await;
    assert_unchanged(&store).await;

    let (_folder, urls) = urls("bodies").await;
    for url in urls {
        let store = open(&url, 4).await;
        let world = World::in_database(&store).await;
        hold_back_bodies(world, store.clone(), || {}).await;
        assert_unchanged(&store).await;
    }
}

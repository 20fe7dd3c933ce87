//! Counts what each operation costs on PostgreSQL: its statements, and how often it waits for the database.

use std::time::Duration;

use futures_util::future::join_all;
use leadapi_core::{
    auth::Author,
    dataset::{Dataset, SAMPLE},
    id::{BusinessId, ClientId, LeadId},
    model::{IdempotencyKey, Lead, LeadPatch, LeadQuery, NewLead, Pipeline, Timestamp, Window},
    port::{Created, Idempotency, Store, TokenStore, Updated},
    rate_limit::Limits,
    validate::NewLeadMeta,
};
use leadapi_sql::SqlStore;
use leadapi_tests::{postgres::Cluster, proxy::postgres::PostgresProxy};

/// A client that is slow to send seems to wait more often, so the best of several tries counts.
const TRIES: usize = 10;

struct Counted {
    proxy: PostgresProxy,
    store: SqlStore,
    business: BusinessId,
    author: Author,
    client: ClientId,
    pipeline: Pipeline,
}

impl Counted {
    /// Connects a store with one business, a token and a pipeline through a proxy.
    async fn new(cluster: &Cluster) -> Self {
        let database = cluster.create_database("round_trips").await;
        let proxy = PostgresProxy::to(cluster.address()).await;
        let url = cluster.url_at(proxy.address(), &database).parse::<leadapi_sql::DatabaseUrl>().unwrap();
        let store = SqlStore::open(&url.connections(1)).await.unwrap();
        let dataset = Dataset::parse(SAMPLE).unwrap();
        let seed = &dataset.businesses[0];
        let (business, client, pipeline) = (seed.id.clone(), seed.clients[0].id.clone(), seed.pipelines[0].clone());
        store.import(dataset, |_| {}).await.unwrap();
        let author = Author::Token(TokenStore::list(&store, &business).await.unwrap()[0].id.clone());
        proxy.hold_responses();
        Self { proxy, store, business, author, client, pipeline }
    }

    /// Asserts that a call waits for the database at most `waits` times, and runs at most `statements` statements.
    async fn assert<T>(&self, what: &str, waits: usize, statements: usize, call: impl AsyncFn() -> T) {
        // The first call prepares the statements.
        call().await;
        let mut best = (usize::MAX, usize::MAX);
        for _ in 0..TRIES {
            self.proxy.watch();
            call().await;
            best = best.min((self.proxy.round_trips(), self.proxy.statements()));
            if best.0 <= waits {
                break;
            }
        }
        assert!(best.0 <= waits && best.1 <= statements, "{what}: {} round trips, {} statements", best.0, best.1);
    }

    async fn create(&self, key: bool) -> LeadId {
        let draft = NewLead::new(&self.client, "Ann").pipeline(&self.pipeline.id).check().unwrap();
        let unique = uuid::Uuid::now_v7().to_string();
        let meta = NewLeadMeta::new(unique.parse().unwrap(), Timestamp::now());
        let key = key.then(|| Idempotency::new(IdempotencyKey::parse(&unique).unwrap(), draft.fingerprint()));
        match self.store.create(&self.business, &self.author, meta, draft, key.as_ref()).await.unwrap() {
            Created::New(lead) => lead.id.clone(),
            other => panic!("{other:?}"),
        }
    }

    async fn update(&self, id: &LeadId, patch: LeadPatch) {
        let updated = self.store.update(&self.business, &self.author, id, &patch.check().unwrap()).await.unwrap();
        assert!(matches!(updated, Updated::Changed(_)), "{updated:?}");
    }
}

#[tokio::test]
async fn each_read_is_one_statement() {
    let Some(cluster) = Cluster::shared() else { return };
    let counted = Counted::new(cluster).await;
    let Counted { store, business, pipeline, client, .. } = &counted;
    let lead = counted.create(false).await;
    counted.assert("get", 1, 1, async || store.get(business, &lead).await.unwrap().unwrap()).await;
    let (all, stage) = (LeadQuery::new(), &pipeline.stages[0].id);
    let of_client = all.clone().client(client.clone());
    let queries = [all.clone(), of_client.clone(), all.stage(stage.clone()), of_client.stage(stage.clone())];
    for query in queries {
        for offset in [0, 100_000] {
            let query = query.clone().window(Window::new(50, offset).unwrap());
            counted.assert("list", 1, 1, async || Store::list(store, business, &query).await.unwrap()).await;
        }
    }
    counted.assert("pipelines", 1, 1, async || store.pipelines(business, Window::default()).await.unwrap()).await;
    counted.assert("clients", 1, 1, async || store.clients(business, Window::default()).await.unwrap()).await;
}

/// Each write runs BEGIN, the lock, the look-up, the change and COMMIT. COMMIT does not wait for the response to the
/// change.
#[tokio::test]
async fn each_write_waits_twice_for_five_statements() {
    let Some(cluster) = Cluster::shared() else { return };
    let counted = Counted::new(cluster).await;
    counted.create(true).await;
    counted.assert("create", 2, 5, async || counted.create(false).await).await;
    counted.assert("create with a key", 2, 5, async || counted.create(true).await).await;
    let together = async || join_all((0..50).map(|nth| counted.create(nth % 2 == 0))).await;
    // The first write is alone, and the others share the next transaction.
    counted.assert("50 creates", 4, 10, together).await;
    let lead = counted.create(true).await;
    let rename = async || counted.update(&lead, LeadPatch::new().name(uuid::Uuid::now_v7().to_string())).await;
    counted.assert("update", 2, 5, rename).await;
    let stage = std::cell::Cell::new(0);
    let move_on = async || {
        stage.set(1 - stage.get());
        let patch = LeadPatch::new().stage(&counted.pipeline.stages[stage.get()].id);
        counted.update(&lead, patch).await;
    };
    counted.assert("update of the stage", 2, 5, move_on).await;
    let mut leads = Vec::new();
    for _ in 0..=TRIES {
        leads.push(counted.create(true).await);
    }
    let leads = std::cell::RefCell::new(leads);
    let delete = async || {
        let id = leads.borrow_mut().pop().unwrap();
        assert!(counted.store.delete(&counted.business, &counted.author, &id).await.unwrap());
    };
    counted.assert("delete", 2, 5, delete).await;
}

/// The store learns the bucket of an old lead only from the lead, so it waits once more.
#[tokio::test]
async fn a_delete_of_an_old_lead_waits_three_times() {
    let Some(cluster) = Cluster::shared() else { return };
    let counted = Counted::new(cluster).await;
    let Counted { store, business, author, .. } = &counted;
    let leads: Vec<LeadId> = join_all((0..3_000).map(|_| counted.create(false))).await;
    let next = std::cell::Cell::new(0);
    let delete = async || {
        next.set(next.get() + 1);
        assert!(store.delete(business, author, &leads[next.get()]).await.unwrap());
    };
    counted.assert("delete", 3, 6, delete).await;
    let found: Option<std::sync::Arc<Lead>> = store.get(business, &leads[1]).await.unwrap();
    assert!(found.is_none());
}

/// Each server reads the clock and sends a heartbeat every 10 s. `leadapi-limiter` tests servers that had requests
/// before.
#[tokio::test]
async fn three_idle_servers_run_less_than_one_statement_per_second_each() {
    const SECONDS: u32 = 5;
    let Some(cluster) = Cluster::shared() else { return };
    let proxy = PostgresProxy::to(cluster.address()).await;
    let url = cluster.url_at(proxy.address(), &cluster.create_database("idle").await);
    let mut servers = Vec::new();
    for _ in 0..3 {
        let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        let limiter = store.rate_limiter(Limits::default()).await.unwrap();
        servers.push((store, limiter));
    }
    proxy.watch();
    tokio::time::sleep(Duration::from_secs(SECONDS.into())).await;
    let statements = proxy.statements();
    assert!(statements < 3 * usize::try_from(SECONDS).unwrap(), "{statements} statements in {SECONDS} s");
}

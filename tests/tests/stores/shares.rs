//! Tests that businesses whose records are locked by another program, or are on a node that does not respond, leave
//! connections for the other businesses.

use std::time::{Duration, Instant};

use leadapi_core::{
    auth::{Author, BearerToken, Scopes},
    dataset::Dataset,
    id::{BusinessId, ClientId, LeadId},
    model::{NewLead, Timestamp, Window},
    port::{Store, StoreError, TokenRecord, TokenStore},
    validate::NewLeadMeta,
};
use leadapi_sql::{DatabaseUrl, SqlStore};
use leadapi_tests::{eventually, postgres::Cluster};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

use crate::outages::lose_standby;

const DATA: &str = r#"{"businesses": [
    {"id": "locked", "name": "L", "created_at": "2026-01-01T00:00:00Z",
        "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]},
    {"id": "free", "name": "F", "created_at": "2026-01-01T00:00:00Z",
        "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]}]}"#;
const CONNECTIONS: usize = 4;

fn business(id: &str) -> BusinessId {
    BusinessId::parse(id).unwrap()
}

async fn create(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    let draft = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann").check().unwrap();
    let lead = LeadId::parse(uuid::Uuid::now_v7().to_string()).unwrap();
    store.create(&business(id), &Author::Host, NewLeadMeta::new(lead, Timestamp::now()), draft, None).await.map(drop)
}

async fn add_token(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    let secret = BearerToken::generate().unwrap();
    store.insert(&business(id), TokenRecord::new(&secret, "t", Scopes::Both, Timestamp::now())).await
}

async fn read(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    store.clients(&business(id), Window::default()).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_business_leaves_connections_for_the_others() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("shares").await);
    let store = SqlStore::open(&url.parse::<DatabaseUrl>().unwrap().connections(CONNECTIONS)).await.unwrap();
    store.import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    for id in ["locked", "free"] {
        create(&store, id).await.unwrap();
    }
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN; SELECT * FROM business WHERE business_id = 'locked' FOR UPDATE").await.unwrap();
    let mut blocked = Vec::new();
    for _ in 0..50 {
        let (writer, admin, reader) = (store.clone(), store.clone(), store.clone());
        blocked.push(tokio::spawn(async move { create(&writer, "locked").await.is_ok() }));
        blocked.push(tokio::spawn(async move { add_token(&admin, "locked").await.is_ok() }));
        blocked.push(tokio::spawn(async move { read(&reader, "locked").await.is_ok() }));
    }
    let (observer, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = async || observer.query_one(waits, &[]).await.unwrap().get::<_, i64>(0);
    eventually("the locked business uses its share", async || waiting().await > 1).await;
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        create(&store, "free").await.unwrap();
        add_token(&store, "free").await.unwrap();
        read(&store, "free").await.unwrap();
        assert!(usize::try_from(waiting().await).unwrap() <= CONNECTIONS / 2);
    }
    client.batch_execute("COMMIT").await.unwrap();
    for task in blocked {
        task.await.unwrap();
    }
    for id in ["locked", "free"] {
        eventually("the business works", async || create(&store, id).await).await;
    }
}

/// The businesses that are locked or frozen together. Each of them may use half of the pool, so that two of them could
/// use all of it.
const MANY: usize = 10;
/// Much longer than a request may wait for a connection, and much longer than PostgreSQL waits for a lock.
const LOCKED: Duration = Duration::from_secs(6);

/// A store with the default number of connections, the businesses `b0` to `b9`, and `free`.
struct Many {
    url: String,
    store: SqlStore,
    stuck: Vec<String>,
}

impl Many {
    async fn open(cluster: &Cluster, name: &str) -> Self {
        let url = cluster.url(&cluster.create_database(name).await);
        let store = SqlStore::open(&url.parse::<DatabaseUrl>().unwrap()).await.unwrap();
        let stuck: Vec<String> = (0..MANY).map(|nth| format!("b{nth}")).collect();
        let business = |id: &str| {
            let at = "2026-01-01T00:00:00Z";
            json!({"id": id, "name": id, "created_at": at, "clients": [{"id": "c1", "name": "C", "created_at": at}]})
        };
        let all: Vec<_> = stuck.iter().map(String::as_str).chain(["free"]).map(business).collect();
        store.import(Dataset::parse(&json!({ "businesses": all }).to_string()).unwrap(), |_| {}).await.unwrap();
        for id in stuck.iter().map(String::as_str).chain(["free"]) {
            create(&store, id).await.unwrap();
        }
        Self { url, store, stuck }
    }

    async fn connect(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Until `end`, sends requests to all stuck businesses, several at a time to each.
    fn keep_requesting(&self, end: Instant) -> JoinSet<()> {
        let mut requests = JoinSet::new();
        for id in &self.stuck {
            for nth in 0..9 {
                let (store, id) = (self.store.clone(), id.clone());
                requests.spawn(async move {
                    while Instant::now() < end {
                        // The call may fail, but it must not hang.
                        drop(match nth % 3 {
                            0 => create(&store, &id).await,
                            1 => add_token(&store, &id).await,
                            _ => read(&store, &id).await,
                        });
                    }
                });
            }
        }
        requests
    }

    /// Until `end`, sends requests to the free business, and makes calls that belong to no business: looks up tokens,
    /// probes the store and deletes expired records. Most calls must succeed. If the stuck businesses left no
    /// connections, nearly all calls would fail. On a busy machine, a few may fail, because slow work seems stuck.
    async fn works(&self, end: Instant) {
        let (mut succeeded, mut failed) = (0, Vec::new());
        let mut note = |result: Result<(), String>| match result {
            Ok(()) => succeeded += 1,
            Err(error) => failed.push(error),
        };
        while Instant::now() < end {
            note(create(&self.store, "free").await.map_err(|error| error.to_string()));
            note(add_token(&self.store, "free").await.map_err(|error| error.to_string()));
            note(read(&self.store, "free").await.map_err(|error| error.to_string()));
            let unknown = BearerToken::generate().unwrap();
            note(self.store.find(&unknown.hash()).await.map(drop).map_err(|error| error.to_string()));
            note(self.store.probe_writes().await.map_err(|error| error.to_string()));
            note(self.store.delete_expired().await.map(drop).map_err(|error| error.to_string()));
        }
        assert!(succeeded > 4 * failed.len(), "{succeeded} calls succeeded, and these failed: {failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_locked_businesses_leave_connections_for_the_others() {
    let Some(cluster) = Cluster::shared() else { return };
    let many = Many::open(cluster, "many_locked").await;
    let locker = many.connect().await;
    locker.batch_execute("BEGIN; SELECT * FROM business WHERE business_id <> 'free' FOR UPDATE").await.unwrap();
    let end = Instant::now() + LOCKED;
    let requests = many.keep_requesting(end);
    many.works(end).await;
    locker.batch_execute("COMMIT").await.unwrap();
    requests.join_all().await;
    for id in &many.stuck {
        eventually("the business works", async || create(&many.store, id).await).await;
    }
}

/// Makes each statement that reads a table's records of a business other than `free` wait until the advisory lock 7 is
/// released, as if the node with these records did not respond.
async fn freeze(client: &tokio_postgres::Client, table: &str) {
    let freeze = format!(
        "CREATE FUNCTION respond(id text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
            WHILE id <> 'free' AND NOT pg_try_advisory_xact_lock_shared(7) LOOP PERFORM pg_sleep(0.05); END LOOP;
            RETURN true;
        END $$;
        ALTER TABLE {table} RENAME TO {table}_table;
        CREATE VIEW {table} AS SELECT * FROM {table}_table WHERE respond(business_id);
        SELECT pg_advisory_lock(7)"
    );
    client.batch_execute(&freeze).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_businesses_on_a_frozen_node_leave_connections_for_the_others() {
    let Some(cluster) = Cluster::shared() else { return };
    let many = Many::open(cluster, "many_frozen").await;
    let node = many.connect().await;
    freeze(&node, "client").await;
    let end = Instant::now() + LOCKED;
    let requests = many.keep_requesting(end);
    many.works(end).await;
    node.batch_execute("SELECT pg_advisory_unlock(7)").await.unwrap();
    requests.join_all().await;
    for id in &many.stuck {
        eventually("the business can be read", async || read(&many.store, id).await).await;
        eventually("the business can be written", async || create(&many.store, id).await).await;
    }
}

/// If the connection returned to the pool, the next statement on it would have to wait for the abandoned one, and a
/// request to cancel the abandoned statement could cancel the next one.
#[tokio::test]
async fn an_abandoned_read_leaves_no_statement_on_a_connection_of_the_pool() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("abandoned").await);
    let store = SqlStore::open(&url.parse::<DatabaseUrl>().unwrap().connections(1)).await.unwrap();
    store.import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    let [locked, free] = ["locked", "free"].map(|id| (business(id), LeadId::parse(format!("lead-of-{id}")).unwrap()));
    for (business, lead) in [&locked, &free] {
        let draft = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann").check().unwrap();
        let meta = NewLeadMeta::new(lead.clone(), Timestamp::now());
        store.create(business, &Author::Host, meta, draft, None).await.unwrap();
    }
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    freeze(&client, "lead").await;
    let backend = async |which: &str| -> Option<i32> {
        let find = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
                AND query LIKE '%FROM lead %' AND {which}"
        );
        client.query_opt(&find, &[]).await.unwrap().map(|row| row.get(0))
    };
    let read = tokio::spawn({
        let store = store.clone();
        async move { store.get(&locked.0, &locked.1).await }
    });
    let waiting = eventually("the read waits", async || backend("wait_event = 'PgSleep'").await).await;
    read.abort();
    assert!(read.await.unwrap_err().is_cancelled());
    assert!(store.get(&free.0, &free.1).await.unwrap().is_some());
    assert!(backend(&format!("pid <> {waiting}")).await.is_some(), "both reads used one connection");
    let error = async || {
        let log = cluster.log();
        log.lines().find(|line| line.contains(&format!("[{waiting}] ERROR"))).map(str::to_owned)
    };
    let error = eventually("the abandoned statement ends", error).await;
    assert!(error.ends_with("canceling statement due to user request"), "{error}");
}

/// Commits that wait for a standby cannot be cancelled, so the commits of several businesses could use the whole pool.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_that_wait_for_a_standby_leave_connections_for_reads() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let many = Many::open(&cluster, "standby").await;
    let client = many.connect().await;
    lose_standby(&client).await;
    let end = Instant::now() + LOCKED;
    let mut writes = JoinSet::new();
    for id in &many.stuck {
        let (store, id) = (many.store.clone(), id.clone());
        writes.spawn(async move {
            while Instant::now() < end {
                // The call fails, or its outcome stays unknown.
                drop(add_token(&store, &id).await);
            }
        });
    }
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'";
    let waiting = async || client.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) >= 8;
    eventually("the commits wait", waiting).await;
    while Instant::now() < end {
        for id in ["b0", "free"] {
            read(&many.store, id).await.unwrap();
        }
    }
    writes.abort_all();
}

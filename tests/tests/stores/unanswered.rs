//! Tests with a commit whose response is lost in an outage. Each write in the commit must be executed exactly once, and
//! no caller may receive a wrong outcome.

use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use leadapi_core::{
    auth::Author,
    id::{ClientId, LeadId},
    model::{NewLead, Timestamp},
    port::{Created, Store, StoreError, Updated},
    validate::NewLeadMeta,
};
use leadapi_sql::SqlStore;
use leadapi_tests::{eventually, postgres::Cluster, proxy::postgres::PostgresProxy};
use tokio_postgres::NoTls;

use crate::fixture::{all, business, create, open, rename};

/// The number of concurrent writes of each kind: creates with a key, creates without a key, renames, and deletes.
const OF_EACH: usize = 6;

/// The outcome of a write from its caller's point of view.
#[derive(Debug)]
enum WriteOutcome {
    Created(String, Result<Created, StoreError>),
    Renamed(LeadId, Result<Updated, StoreError>),
    Deleted(LeadId, Result<bool, StoreError>),
}

/// Two servers on the same database. The first one's connections can be cut; the second one stays connected.
struct Servers {
    proxy: PostgresProxy,
    one: SqlStore,
    two: SqlStore,
    url: String,
    to_rename: Vec<LeadId>,
    to_delete: Vec<LeadId>,
}

impl Servers {
    async fn new(cluster: &Cluster) -> Self {
        let database = cluster.create_database("unanswered").await;
        let url = cluster.url(&database);
        let two = open(&url, 4).await;
        let proxy = PostgresProxy::to(cluster.address()).await;
        let one = open(&cluster.url_at(proxy.address(), &database), 4).await;
        // Creates the commit record of the first server.
        create(&one, "warm", "warm").await.unwrap();
        let make = async |kind: &str| {
            let each = (0..OF_EACH).map(|nth| {
                let (two, name) = (&two, format!("{kind}-{nth}"));
                async move { crate::fixture::id(create(two, &name, &name).await.unwrap()) }
            });
            join_all(each).await
        };
        let (to_rename, to_delete) = (make("rename").await, make("delete").await);
        Self { proxy, one, two, url, to_rename, to_delete }
    }

    /// Runs writes of all kinds concurrently through the first server.
    async fn write(&self) -> Vec<WriteOutcome> {
        let mut writes: Vec<BoxFuture<'_, WriteOutcome>> = Vec::new();
        for nth in 0..OF_EACH {
            let [keyed, plain] = ["keyed", "plain"].map(|kind| format!("{kind}-{nth}"));
            let (renamed, deleted) = (self.to_rename[nth].clone(), self.to_delete[nth].clone());
            writes.push(Box::pin(async move {
                WriteOutcome::Created(keyed.clone(), create(&self.one, &keyed, &keyed).await)
            }));
            writes.push(Box::pin(async move {
                WriteOutcome::Created(plain.clone(), create_plain(&self.one, &plain).await)
            }));
            writes.push(Box::pin(async move {
                WriteOutcome::Renamed(renamed.clone(), rename(&self.one, &renamed, "A").await)
            }));
            writes.push(Box::pin(async move {
                WriteOutcome::Deleted(deleted.clone(), self.one.delete(&business(), &Author::Host, &deleted).await)
            }));
        }
        join_all(writes).await
    }

    /// Blocks an initial write on its business's lock until all `writes` are queued. They all wait for the commit of
    /// the initial write, and then share the next commit.
    async fn together<T>(&self, writes: impl Future<Output = T>) -> T {
        let connect = async || {
            let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        };
        // A transaction caches `pg_stat_activity` when it first reads it, so a second connection polls it.
        let (holder, observer) = (connect().await, connect().await);
        holder.batch_execute("BEGIN; SELECT * FROM business FOR NO KEY UPDATE").await.unwrap();
        let one = self.one.clone();
        let first = tokio::spawn(async move { create(&one, "first", "first").await.map(drop) });
        let waits = "SELECT count(*) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let waiting = async || observer.query_one(waits, &[]).await.unwrap().get::<_, i64>(0);
        eventually("the first write waits", async || waiting().await > 0).await;
        // `join!` polls the writes first, so they are queued before the lock is released.
        let (written, released) = tokio::join!(writes, holder.batch_execute("COMMIT"));
        released.unwrap();
        first.await.unwrap().unwrap();
        written
    }

    /// Waits for the outage to begin. During the outage, the second server gives a different new name to every lead
    /// that the first one renamed. Ends the outage after `duration`, and returns the leads that the second server renamed.
    async fn outage(&self, duration: Duration) -> Vec<LeadId> {
        eventually("the outage", async || self.proxy.has_cut()).await;
        let over = tokio::time::sleep(duration);
        let leads = all(&self.two).await;
        let mut renamed_again = Vec::new();
        for (id, _) in leads.iter().filter(|(_, name)| name == "A") {
            assert!(matches!(rename(&self.two, id, "B").await, Ok(Updated::Changed(_))));
            renamed_again.push(id.clone());
        }
        over.await;
        self.proxy.refuse(false);
        renamed_again
    }
}

async fn create_plain(store: &SqlStore, name: &str) -> Result<Created, StoreError> {
    let draft = NewLead::new(&ClientId::parse("c1").unwrap(), name).check().unwrap();
    let id = LeadId::parse(uuid::Uuid::now_v7().to_string()).unwrap();
    store.create(&business(), &Author::Host, NewLeadMeta::new(id, Timestamp::now()), draft, None).await
}

/// Runs the writes around an outage. Returns their outcomes, the leads that the second server renamed, and all leads
/// that are stored afterwards.
async fn around_an_outage(
    cluster: &Cluster,
    duration: Duration,
) -> (Vec<WriteOutcome>, Vec<LeadId>, Vec<(LeadId, String)>) {
    let servers = Servers::new(cluster).await;
    servers.proxy.outage_after(1);
    let (outcomes, renamed_again) = tokio::join!(servers.together(servers.write()), servers.outage(duration));
    (outcomes, renamed_again, all(&servers.two).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_during_a_seven_second_outage_are_executed_exactly_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let (outcomes, renamed_again, stored) = around_an_outage(cluster, Duration::from_secs(7)).await;
    assert!(!renamed_again.is_empty(), "the unanswered commit contained no rename");
    for outcome in outcomes {
        match outcome {
            WriteOutcome::Created(name, created) => {
                assert!(matches!(created, Ok(Created::New(_))), "{name}: {created:?}");
                assert_eq!(stored.iter().filter(|(_, stored)| *stored == name).count(), 1, "{name}");
            }
            WriteOutcome::Renamed(id, renamed) => {
                assert!(matches!(renamed, Ok(Updated::Changed(_))), "{id}: {renamed:?}");
            }
            WriteOutcome::Deleted(id, deleted) => assert!(matches!(deleted, Ok(true)), "{id}: {deleted:?}"),
        }
    }
    for id in renamed_again {
        let name = &stored.iter().find(|(stored, _)| *stored == id).unwrap().1;
        assert_eq!(name, "B", "{id} was acknowledged by the second server");
    }
}

/// A program or a server of an earlier version deletes the commit records during the outage.
#[tokio::test]
async fn a_missing_commit_record_is_not_a_rollback() {
    let Some(cluster) = Cluster::shared() else { return };
    let servers = Servers::new(cluster).await;
    let (business, [first, second]) = (business(), [&servers.to_delete[0], &servers.to_delete[1]]);
    assert!(servers.one.delete(&business, &Author::Host, first).await.unwrap());
    let (client, connection) = tokio_postgres::connect(&servers.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    servers.proxy.outage_after(0);
    let delete_records = async {
        eventually("the outage", async || servers.proxy.has_cut()).await;
        client.batch_execute("DELETE FROM operation").await.unwrap();
        servers.proxy.refuse(false);
    };
    let (deleted, ()) = tokio::join!(servers.one.delete(&business, &Author::Host, second), delete_records);
    assert!(matches!(deleted, Err(StoreError::UnknownOutcome(_))), "{deleted:?}");
    assert!(!all(&servers.two).await.iter().any(|(id, _)| id == second));
    // The next write creates the record again.
    let third = &servers.to_delete[2];
    servers.proxy.outage_after(1);
    let end_outage = async {
        eventually("the outage", async || servers.proxy.has_cut()).await;
        servers.proxy.refuse(false);
    };
    let (deleted, ()) = tokio::join!(servers.one.delete(&business, &Author::Host, third), end_outage);
    assert!(matches!(deleted, Ok(true)), "{deleted:?}");
}

/// The outage lasts longer than the store waits. A write may then fail, but must not report a wrong outcome.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_with_an_unknown_outcome_is_not_repeated() {
    let Some(cluster) = Cluster::shared() else { return };
    let (outcomes, renamed_again, stored) = around_an_outage(cluster, Duration::from_secs(18)).await;
    let mut unknown = 0;
    for outcome in outcomes {
        match outcome {
            WriteOutcome::Created(name, Ok(created)) => {
                assert!(matches!(created, Created::New(_)), "{name}: {created:?}");
            }
            WriteOutcome::Renamed(id, Ok(renamed)) => {
                assert!(matches!(renamed, Updated::Changed(_)), "{id}: {renamed:?}");
            }
            WriteOutcome::Deleted(id, Ok(deleted)) => assert!(deleted, "{id}"),
            WriteOutcome::Created(_, Err(error))
            | WriteOutcome::Renamed(_, Err(error))
            | WriteOutcome::Deleted(_, Err(error)) => {
                unknown += usize::from(matches!(error, StoreError::UnknownOutcome(_)));
            }
        }
    }
    assert!(unknown > 0);
    for id in renamed_again {
        let name = &stored.iter().find(|(stored, _)| *stored == id).unwrap().1;
        assert_eq!(name, "B", "{id} was acknowledged by the second server");
    }
}

//! Checks that the store never reports a wrong outcome of a write, no matter at which message the connection to
//! PostgreSQL breaks (contract D10).

use leadapi_core::{
    admin::Admin,
    auth::{Author, BearerToken, Scopes},
    model::Timestamp,
    port::{Created, Store, StoreError, TokenRecord, TokenStore, Updated},
};
use leadapi_sql::SqlStore;
use leadapi_tests::{
    postgres::Cluster,
    proxy::{
        CutKind,
        postgres::{CommitError, Cut, Direction, PostgresProxy},
    },
};
use tokio::{runtime::Runtime, task::spawn_blocking};

use crate::fixture::{all, business, count, create, id, open, rename};

/// A store behind a proxy, and a second store with a direct connection to the same database.
struct ProxiedStore {
    proxy: PostgresProxy,
    /// The URL of the database through the proxy.
    url: String,
    store: SqlStore,
    direct: SqlStore,
}

impl ProxiedStore {
    async fn new(cluster: &Cluster) -> Self {
        let database = cluster.create_database("commits").await;
        let direct = open(&cluster.url(&database), 2).await;
        let proxy = PostgresProxy::to(cluster.address()).await;
        // With a single connection and without background tasks, repeated calls produce the same messages. The tasks
        // end with the runtime that runs them.
        let url = cluster.url_at(proxy.address(), &database);
        let opened = url.clone();
        let open = move || Runtime::new().unwrap().block_on(open(&opened, 1));
        let store = spawn_blocking(open).await.unwrap();
        store.businesses().await.unwrap();
        Self { proxy, url, store, direct }
    }

    /// Returns the number of messages per direction that a call causes on a warm connection.
    async fn messages(&self, call: impl AsyncFn()) -> [usize; 2] {
        call().await;
        self.proxy.watch();
        call().await;
        [Direction::ToServer, Direction::ToClient].map(|direction| self.proxy.seen_going(direction).len())
    }

    /// Returns all cuts of the call that both sides notice: before, within and after each message.
    async fn cuts(&self, call: impl AsyncFn()) -> Vec<Cut> {
        let [to_server, to_client] = self.messages(call).await;
        let places = (0..to_server).map(|nth| (Direction::ToServer, nth));
        let places = places.chain((0..to_client).map(|nth| (Direction::ToClient, nth)));
        let ways = [CutKind::Before, CutKind::Half, CutKind::After];
        places.flat_map(|(direction, nth)| ways.map(|kind| Cut { direction, nth, kind })).collect()
    }
}

#[tokio::test]
async fn a_create_cut_at_any_message_reports_its_true_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    let cuts = proxied.cuts(async || drop(create(&proxied.store, "warm", &new_key()).await.unwrap())).await;
    let (mut acknowledged, mut failed) = (0, 0);
    for (nth, cut) in cuts.iter().enumerate() {
        let name = format!("lead-{nth}");
        proxied.proxy.cut(*cut);
        let first = create(&proxied.store, &name, &name).await;
        assert!(proxied.proxy.has_cut(), "{cut:?}");
        proxied.proxy.watch();
        let stored = count(&proxied.direct, &name).await;
        match first {
            Ok(created) => {
                acknowledged += 1;
                assert_eq!(stored, 1, "acknowledged at {cut:?}");
                assert!(proxied.direct.get(&business(), &id(created)).await.unwrap().is_some());
            }
            Err(error) => {
                failed += 1;
                assert!(
                    stored == 0 || !matches!(error, StoreError::Unavailable(_)),
                    "the lead is stored, but the create returned {error:?} at {cut:?}"
                );
            }
        }
        // Whatever the first call returned, a retry must succeed. It also warms the connection up for the next cut.
        let again = id(create(&proxied.store, &name, &name).await.unwrap());
        let leads: Vec<_> = all(&proxied.direct).await.into_iter().filter(|(_, found)| *found == name).collect();
        assert_eq!(leads, [(again, name)], "{cut:?}");
    }
    eprintln!("{} cuts of a create: {acknowledged} acknowledged, {failed} failed", cuts.len());
    assert!(cuts.len() > 20 && acknowledged > failed);
}

#[tokio::test]
async fn an_update_cut_at_any_message_reports_its_true_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    let lead = id(create(&proxied.store, "first", &new_key()).await.unwrap());
    let cuts = proxied.cuts(async || drop(rename(&proxied.store, &lead, "warm").await.unwrap())).await;
    for (nth, cut) in cuts.iter().enumerate() {
        let name = format!("name {nth}");
        proxied.proxy.cut(*cut);
        let outcome = rename(&proxied.store, &lead, &name).await;
        proxied.proxy.watch();
        if let Ok(Updated::Changed(changed)) = outcome {
            assert_eq!(proxied.direct.get(&business(), &lead).await.unwrap(), Some(changed), "{cut:?}");
        } else {
            assert!(outcome.is_err(), "the lead exists, but the update returned {outcome:?} at {cut:?}");
        }
        rename(&proxied.store, &lead, "warm").await.unwrap();
    }
}

/// If the response to a successful delete is lost, the store must not retry the delete and report "no such lead".
#[tokio::test]
async fn a_delete_cut_at_any_message_reports_its_true_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    let remove = async || {
        let lead = id(create(&proxied.direct, "to go", &new_key()).await.unwrap());
        (proxied.store.delete(&business(), &Author::Host, &lead).await, lead)
    };
    let cuts = proxied.cuts(async || drop(remove().await)).await;
    for cut in cuts {
        proxied.proxy.cut(cut);
        let (outcome, lead) = remove().await;
        proxied.proxy.watch();
        let is_there = proxied.direct.get(&business(), &lead).await.unwrap().is_some();
        match outcome {
            Ok(removed) => {
                assert!(removed && !is_there, "{cut:?}: the delete returned {removed}, the lead exists: {is_there}");
            }
            Err(_) => drop(proxied.direct.delete(&business(), &Author::Host, &lead).await.unwrap()),
        }
        remove().await.0.unwrap();
    }
    assert_eq!(count(&proxied.direct, "to go").await, 0);
}

/// The commit or the response to it is lost, but the connection stays open.
#[tokio::test]
async fn a_create_succeeds_once_although_its_commit_is_never_answered() {
    let Some(cluster) = Cluster::shared() else { return };
    let swallowed = async |direction: Direction| {
        let proxied = ProxiedStore::new(cluster).await;
        create(&proxied.store, "warm", &new_key()).await.unwrap();
        proxied.proxy.watch();
        create(&proxied.store, "warm", &new_key()).await.unwrap();
        // The commit is the last message to the server. Its response consists of the last two messages from the server.
        let seen = proxied.proxy.seen_going(direction);
        let nth = if direction == Direction::ToServer { seen.len() - 1 } else { seen.len() - 2 };
        assert!(direction == Direction::ToClient || seen[nth].is_commit());
        proxied.proxy.cut(Cut { direction, nth, kind: CutKind::Stall });
        let lead = id(create(&proxied.store, "slow", "k").await.unwrap());
        assert!(proxied.proxy.has_cut());
        let leads: Vec<_> = all(&proxied.direct).await.into_iter().filter(|(_, name)| name == "slow").collect();
        assert_eq!(leads, [(lead, "slow".to_owned())], "{direction:?}");
    };
    tokio::join!(swallowed(Direction::ToServer), swallowed(Direction::ToClient));
}

/// Errors that a database, a distributed database or a pooler may send instead of the response to a commit. None of
/// these errors shows whether the commit was executed.
const UNCLEAR: [&str; 8] = ["XX000", "08006", "08P01", "40003", "53100", "57014", "57P01", "58030"];

/// Returns each unclear error, with and without the commit.
fn unclear_errors() -> impl Iterator<Item = CommitError> {
    UNCLEAR.into_iter().flat_map(|state| [false, true].map(|is_applied| CommitError { state, is_applied }))
}

#[tokio::test]
async fn a_write_whose_commit_is_answered_with_an_error_reports_its_true_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    let lead = id(create(&proxied.store, "renamed", &new_key()).await.unwrap());
    for (nth, error) in unclear_errors().enumerate() {
        let name = format!("lead-{nth}");
        proxied.proxy.fail_commit(error);
        let created = create(&proxied.store, &name, &name).await;
        assert!(proxied.proxy.has_cut() && matches!(created, Ok(Created::New(_))), "{error:?}: {created:?}");
        assert_eq!(count(&proxied.direct, &name).await, 1, "{error:?}");
        proxied.proxy.fail_commit(error);
        let deleted = proxied.store.delete(&business(), &Author::Host, &id(created.unwrap())).await;
        assert!(proxied.proxy.has_cut() && matches!(deleted, Ok(true)), "{error:?}: {deleted:?}");
        proxied.proxy.fail_commit(error);
        let renamed = rename(&proxied.store, &lead, &name).await;
        assert!(proxied.proxy.has_cut() && matches!(renamed, Ok(Updated::Changed(_))), "{error:?}: {renamed:?}");
    }
}

/// These errors are sent only for a transaction that was rolled back.
#[tokio::test]
async fn a_conflict_at_the_commit_is_a_rollback() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    for state in ["40001", "40P01", "23503"] {
        let messages = async || {
            proxied.proxy.fail_commit(CommitError { state, is_applied: false });
            let created = create(&proxied.store, state, state).await;
            (created, proxied.proxy.seen_going(Direction::ToServer))
        };
        create(&proxied.store, "warm", &new_key()).await.unwrap();
        let (created, seen) = messages().await;
        assert_eq!(created.is_ok(), state.starts_with("40"), "{created:?}");
        assert!(!seen.iter().any(|message| message.text.contains("RETURNING operation_id")), "{state}: {seen:?}");
        assert_eq!(count(&proxied.direct, state).await, usize::from(state.starts_with("40")));
    }
}

/// Administrative changes have no commit record, so their outcome stays unknown and they are not repeated.
#[tokio::test]
async fn an_administrative_change_whose_commit_is_answered_with_an_error_has_an_unknown_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    for error in unclear_errors() {
        let secret = BearerToken::generate().unwrap();
        let token = TokenRecord::new(&secret, "t", Scopes::Both, Timestamp::now());
        proxied.proxy.fail_commit(error);
        let outcome = proxied.store.insert(&business(), token).await;
        assert!(matches!(outcome, Err(StoreError::UnknownOutcome(_))), "{error:?}: {outcome:?}");
        let found = proxied.direct.find(&secret.hash()).await.unwrap();
        assert_eq!(found.is_some(), error.is_applied, "{error:?}");
    }
}

/// The first write of a server to a business finds no earlier commit record.
#[tokio::test]
async fn the_first_create_of_a_server_cut_at_any_message_reports_its_true_outcome() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxied = ProxiedStore::new(cluster).await;
    for direction in Direction::ALL {
        for nth in 0.. {
            let store = open(&proxied.url, 1).await;
            proxied.proxy.cut(Cut { direction, nth, kind: CutKind::Before });
            let name = format!("{direction:?}-{nth}");
            let created = create(&store, &name, &name).await;
            let was_cut = proxied.proxy.has_cut();
            proxied.proxy.watch();
            assert!(matches!(created, Ok(Created::New(_))), "{direction:?} {nth}: {created:?}");
            assert_eq!(count(&proxied.direct, &name).await, 1, "{direction:?} {nth}");
            if !was_cut {
                assert!(nth > 10, "{nth} messages");
                break;
            }
        }
    }
}

fn new_key() -> String {
    uuid::Uuid::now_v7().to_string()
}

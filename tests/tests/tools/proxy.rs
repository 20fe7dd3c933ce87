//! Checks that the proxy sees every message, and cuts, stalls or refuses connections as requested.

use std::time::Duration;

use leadapi_tests::{
    equals, eventually,
    postgres::Cluster,
    proxy::{
        CutKind,
        postgres::{CommitError, Cut, Direction, Message, PostgresProxy},
    },
};
use tokio::time::timeout;
use tokio_postgres::{Client, Error, NoTls};

/// A database with a one-column table, behind a proxy.
struct ProxiedDatabase {
    proxy: PostgresProxy,
    through: String,
    direct: Client,
}

impl ProxiedDatabase {
    async fn new() -> Option<Self> {
        let cluster = Cluster::shared()?;
        let database = cluster.create_database("proxy").await;
        let proxy = PostgresProxy::to(cluster.address()).await;
        let direct = connect(&cluster.url(&database)).await.unwrap();
        direct.batch_execute("CREATE TABLE t (n int)").await.unwrap();
        let through = cluster.url_at(proxy.address(), &database);
        Some(Self { proxy, through, direct })
    }

    /// Stores a number in its own transaction on a new connection.
    async fn store(&self, number: i32) -> Result<(), Error> {
        let client = connect(&self.through).await?;
        client.batch_execute("BEGIN").await?;
        client.execute("INSERT INTO t VALUES ($1)", &[&number]).await?;
        client.batch_execute("COMMIT").await
    }

    /// Returns whether the number is stored. First waits until the server has handled everything that came through the
    /// proxy.
    async fn holds(&self, number: i32) -> bool {
        let others =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let others = async || self.direct.query_one(others, &[]).await.unwrap().get::<_, i64>(0);
        eventually("no other connections", async || equals(others().await, &0)).await;
        !self.direct.query("SELECT FROM t WHERE n = $1", &[&number]).await.unwrap().is_empty()
    }

    /// Returns the messages of an uninterrupted run.
    async fn whole_run(&self) -> Vec<Message> {
        self.proxy.watch();
        self.store(-1).await.unwrap();
        assert!(self.holds(-1).await && !self.proxy.has_cut());
        self.proxy.seen()
    }
}

async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // Cutting the connection makes it return an error, as intended.
    tokio::spawn(connection);
    Ok(client)
}

fn going(run: &[Message], direction: Direction) -> Vec<Message> {
    run.iter().filter(|message| message.direction == direction).cloned().collect()
}

fn commit(run: &[Message], direction: Direction) -> usize {
    going(run, direction).iter().position(Message::is_commit).expect("every run has a commit")
}

#[tokio::test]
async fn the_proxy_sees_every_message() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    let run = database.whole_run().await;
    let kinds = |direction| going(&run, direction).iter().map(|message| message.kind).collect::<String>();
    // Startup, begin, prepare, execute, close of the prepared statement, and commit.
    assert_eq!(kinds(Direction::ToServer), "\0Q PDS BES CS Q".replace(' ', ""));
    // The parameters that the server reports at startup depend on its version.
    let (greeting, rest) =
        kinds(Direction::ToClient).split_once('Z').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert!(greeting.starts_with('R') && greeting.ends_with('K'), "{greeting}");
    assert_eq!(rest, "CZ 1tnZ 2CZ 3Z CZ".replace(' ', ""));
    let texts: Vec<_> = run.iter().filter(|message| !message.text.is_empty()).map(|message| &*message.text).collect();
    assert!(texts[2].ends_with("INSERT INTO t VALUES ($1)"), "{texts:?}");
    assert_eq!([&texts[..2], &texts[3..]].concat(), ["BEGIN", "BEGIN", "INSERT 0 1", "COMMIT", "COMMIT"]);
}

#[tokio::test]
async fn a_cut_loses_the_commit_or_only_its_answer() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    let run = database.whole_run().await;
    let mut number = 0;
    for (direction, kind, acknowledged, stored) in [
        (Direction::ToServer, CutKind::Before, false, false),
        (Direction::ToServer, CutKind::Half, false, false),
        (Direction::ToServer, CutKind::After, false, true),
        (Direction::ToClient, CutKind::Before, false, true),
        (Direction::ToClient, CutKind::Half, false, true),
        (Direction::ToClient, CutKind::After, false, true),
    ] {
        number += 1;
        database.proxy.cut(Cut { direction, nth: commit(&run, direction), kind });
        assert_eq!(database.store(number).await.is_ok(), acknowledged, "{direction:?} {kind:?}");
        assert!(database.proxy.has_cut());
        let seen = database.proxy.seen_going(direction);
        assert!(seen.last().unwrap().is_commit(), "{direction:?} {kind:?}: {seen:?}");
        assert_eq!(database.holds(number).await, stored, "{direction:?} {kind:?}");
        database.store(-number).await.expect("a cut happens only once");
    }
}

#[tokio::test]
async fn an_acknowledged_row_is_stored_whichever_message_is_cut() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    let run = database.whole_run().await;
    let mut number = 0;
    for direction in Direction::ALL {
        for nth in 0..going(&run, direction).len() {
            for kind in [CutKind::Before, CutKind::Half, CutKind::After] {
                number += 1;
                database.proxy.cut(Cut { direction, nth, kind });
                let acknowledged = database.store(number).await.is_ok();
                let stored = database.holds(number).await;
                assert!(stored || !acknowledged, "{direction:?} {nth} {kind:?}");
                assert!(database.proxy.has_cut(), "{direction:?} {nth} {kind:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_failed_commit_is_applied_only_if_the_test_wants_it() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    for (number, is_applied) in [(1, false), (2, true)] {
        database.proxy.fail_commit(CommitError { state: "XX000", is_applied });
        let error = database.store(number).await.unwrap_err();
        assert_eq!(error.code().unwrap().code(), "XX000");
        assert!(database.proxy.has_cut());
        assert_eq!(database.holds(number).await, is_applied);
        database.store(-number).await.expect("only one commit fails");
    }
}

#[tokio::test]
async fn a_stalled_connection_stays_open() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    let client = connect(&database.through).await.unwrap();
    database.proxy.cut(Cut { direction: Direction::ToClient, nth: 0, kind: CutKind::Stall });
    let answer = client.batch_execute("INSERT INTO t VALUES (1)");
    tokio::pin!(answer);
    tokio::select! {
        answered = &mut answer => panic!("{answered:?}"),
        () = eventually("the stall", async || database.proxy.has_cut()) => {}
    }
    assert!(timeout(Duration::from_millis(200), answer).await.is_err());
    assert!(!client.is_closed());
    let rows = database.direct.query("SELECT FROM t", &[]).await.unwrap();
    assert_eq!(rows.len(), 1, "only the response was lost");
    connect(&database.through).await.expect("other connections must be unaffected");
}

#[tokio::test]
async fn the_proxy_can_refuse_new_connections() {
    let Some(database) = ProxiedDatabase::new().await else { return };
    let old = connect(&database.through).await.unwrap();
    database.proxy.refuse(true);
    assert!(connect(&database.through).await.is_err());
    old.batch_execute("SELECT 1").await.expect("existing connections must stay open");
    database.proxy.refuse(false);
    connect(&database.through).await.unwrap();
}

//! Tests of schema creation and migrations. The first server to start creates the schema; later ones use it.

use futures_util::future::join_all;
use leadapi_core::auth::Author;
use leadapi_core::port::{Created, SettingsStore, Store};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use tokio_postgres::NoTls;

use crate::idempotency::{create, export, fingerprint, replayed};

async fn open_at_once(url: &str) -> Vec<SqlStore> {
    let url = url.parse().unwrap();
    let opened = join_all((0..8).map(|_| async { SqlStore::open(&url).await })).await;
    opened.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn concurrent_starts_create_one_schema() {
    let folder = tempfile::tempdir().unwrap();
    open_at_once(&format!("sqlite:{}", folder.path().join("leads.db").display())).await;
    let Some(cluster) = Cluster::shared() else { return };
    open_at_once(&cluster.url(&cluster.create_database("migrations").await)).await;
}

#[tokio::test]
async fn a_newer_schema_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let url = format!("sqlite:{}", path.display()).parse().unwrap();
    drop(SqlStore::open(&url).await.unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(SqlStore::open(&url).await.unwrap_err().to_string().contains("newer"));

    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("later").await);
    drop(SqlStore::open(&url.parse().unwrap()).await.unwrap());
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.execute("INSERT INTO leadapi_schema VALUES (99, now())", &[]).await.unwrap();
    assert!(SqlStore::open(&url.parse().unwrap()).await.unwrap_err().to_string().contains("newer"));
}

/// Creates a lead and its idempotency key as servers did before keys referred to leads. The lead has been renamed since
/// then; in the first response its name was "Ann".
const OLD_DATA: &str = r#"
    INSERT INTO business VALUES ('b1', 'B', 0);
    INSERT INTO client VALUES ('b1', 'c1', 'C', 0);
    INSERT INTO pipeline VALUES ('b1', 'p1', 'P', 0);
    INSERT INTO stage VALUES ('b1', 's1', 'p1', 'One', 1);
    INSERT INTO lead VALUES
        ('b1', 'old', 'c1', 'Bo', NULL, NULL, NULL, NULL, 7, 'p1', 's1', NULL, 1777896000000);
    INSERT INTO tally VALUES ('b1', '', '', 0, '', 1), ('b1', 'c1', '', 0, '', 1), ('b1', '', 's1', 0, '', 1),
        ('b1', 'c1', 's1', 0, '', 1);
    INSERT INTO idempotency VALUES ('b1', 'key', FINGERPRINT, 1777896000000, '{"id": "old", "client_id": "c1",
        "name": "Ann", "email": null, "phone": null, "source": null, "notes": null, "value": 7, "pipeline_id": "p1",
        "stage_id": "s1", "business_name": null, "created_at": "2026-05-04T12:00:00.000Z"}');
"#;

/// Checks replays after a migration of `OLD_DATA`.
async fn check_old_replay(url: &str) {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    let replay = async |at: &str| create(&store, "key", "new", at).await;
    for _ in 0..2 {
        let lead = replayed(replay("2026-05-05T11:59:59.999Z").await);
        assert_eq!((lead.id.as_str(), lead.name.as_str()), ("old", "Ann"));
        store.delete(&crate::fixture::business(), &Author::Host, &lead.id).await.unwrap();
    }
    assert_eq!(export(&store).await[0].idempotency[0].lead.name, "Ann");
    assert!(matches!(replay("2026-05-05T12:00:00Z").await, Created::New(_)));
}

#[tokio::test]
async fn a_sqlite_migration_keeps_the_replays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let url = format!("sqlite:{}", path.display());
    drop(SqlStore::open(&url.parse().unwrap()).await.unwrap());
    let old = rusqlite::Connection::open(&path).unwrap();
    let application: i64 = old.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    drop(old);
    std::fs::remove_file(&path).unwrap();
    let old = rusqlite::Connection::open(&path).unwrap();
    for migration in [
        include_str!("../../../leadapi-server/sql/src/sqlite/0001.sql"),
        include_str!("../../../leadapi-server/sql/src/sqlite/0002.sql"),
    ] {
        old.execute_batch(migration).unwrap();
    }
    old.execute_batch(&OLD_DATA.replace("FINGERPRINT", &format!("x'{}'", old_fingerprint()))).unwrap();
    old.pragma_update(None, "application_id", application).unwrap();
    old.pragma_update(None, "user_version", 2).unwrap();
    drop(old);
    check_old_replay(&url).await;
}

#[tokio::test]
async fn a_postgres_migration_keeps_the_replays_and_stops_earlier_servers_from_writing() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("upgrade").await);
    let (old, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    for migration in [
        include_str!("../../../leadapi-server/sql/src/postgres/0001.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0002.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0003.sql"),
        "CREATE TABLE leadapi_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)",
        "INSERT INTO leadapi_schema VALUES (1, now()), (2, now()), (3, now())",
    ] {
        old.batch_execute(migration).await.unwrap();
    }
    old.batch_execute(&OLD_DATA.replace("FINGERPRINT", &format!("'\\x{}'", old_fingerprint()))).await.unwrap();
    // Prepares statements before the migration, like a server of an earlier version.
    let record =
        old.prepare("INSERT INTO operation (business_id, server_id, operation_id, at) VALUES ('b1', $1, '', 0)");
    let record = record.await.unwrap();
    let probe = old.prepare("TRUNCATE write_probe").await.unwrap();
    let read = old.prepare("SELECT name FROM lead WHERE business_id = $1 AND id = $2").await.unwrap();
    old.execute(&record, &[&"one"]).await.unwrap();
    old.execute(&probe, &[]).await.unwrap();
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    old.execute(&record, &[&"two"]).await.unwrap_err();
    old.execute(&probe, &[]).await.unwrap_err();
    assert_eq!(old.query_one(&read, &[&"b1", &"old"]).await.unwrap().get::<_, &str>(0), "Bo");
    store.probe_writes().await.unwrap();
    check_old_replay(&url).await;
}

/// A business with members of a version that compared addresses without keys.
const OLD_MEMBERS: &str = "INSERT INTO business VALUES ('b1', 'B', 0); \
    INSERT INTO member VALUES ('b1', 'Zoë@Example.org', 'owner'), ('b1', 'ann@b1.example', 'admin')";

/// Checks that people are found after a migration of `OLD_MEMBERS`, whatever the case of their addresses.
async fn check_old_members(url: &str) {
    for _ in 0..2 {
        let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        for email in ["zoë@example.ORG", "ZOË@example.org", "Ann@B1.example"] {
            let found = store.memberships(email).await.unwrap();
            assert_eq!(found.len(), 1, "{email}");
            let member = store.membership(&found[0].business, email).await.unwrap();
            assert_eq!(member.as_ref(), found.first());
        }
        assert_eq!(store.memberships("zoe@example.org").await.unwrap(), []);
    }
}

#[tokio::test]
async fn people_are_found_after_a_sqlite_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let url = format!("sqlite:{}", path.display());
    drop(SqlStore::open(&url.parse().unwrap()).await.unwrap());
    let application: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let old = rusqlite::Connection::open(&path).unwrap();
    for migration in [
        include_str!("../../../leadapi-server/sql/src/sqlite/0001.sql"),
        include_str!("../../../leadapi-server/sql/src/sqlite/0002.sql"),
        include_str!("../../../leadapi-server/sql/src/sqlite/0003.sql"),
        include_str!("../../../leadapi-server/sql/src/sqlite/0004.sql"),
        OLD_MEMBERS,
    ] {
        old.execute_batch(migration).unwrap();
    }
    old.pragma_update(None, "application_id", application).unwrap();
    old.pragma_update(None, "user_version", 4).unwrap();
    drop(old);
    check_old_members(&url).await;
}

#[tokio::test]
async fn people_are_found_after_a_postgres_migration() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("old_members").await);
    let (old, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    for migration in [
        include_str!("../../../leadapi-server/sql/src/postgres/0001.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0002.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0003.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0004.sql"),
        include_str!("../../../leadapi-server/sql/src/postgres/0005.sql"),
        OLD_MEMBERS,
        "CREATE TABLE leadapi_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)",
        "INSERT INTO leadapi_schema VALUES (1, now()), (2, now()), (3, now()), (4, now()), (5, now())",
    ] {
        old.batch_execute(migration).await.unwrap();
    }
    check_old_members(&url).await;
}

/// Returns the fingerprint of the create in `OLD_DATA`, in hexadecimal.
fn old_fingerprint() -> String {
    fingerprint().iter().fold(String::new(), |hexadecimal, byte| format!("{hexadecimal}{byte:02x}"))
}

/// Once the tables exist, a server whose role may only read and write rows can serve requests.
#[tokio::test]
async fn a_role_without_create_privileges_can_serve() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.create_database("role").await;
    let url = cluster.url(&database);
    drop(crate::fixture::open(&url, 1).await);
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let role = format!("role_{}", database.replace('-', "_"));
    let grant = format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'p'; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}"
    );
    client.batch_execute(&grant).await.unwrap();
    let url = url.replacen("postgres://postgres", &format!("postgres://{role}:p"), 1);
    let store = crate::fixture::open(&url, 1).await;
    crate::fixture::create(&store, "n", "k").await.unwrap();
}

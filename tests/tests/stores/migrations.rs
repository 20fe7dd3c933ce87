//! The first server to start creates the schema; later ones do not create it again.

use futures_util::future::join_all;
use leadapi_server::store::SqlStore;
use leadapi_tests::postgres::Cluster;
use tokio_postgres::NoTls;

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

/// Once the tables exist, a role that may only read and write rows can serve requests.
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

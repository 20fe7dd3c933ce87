//! Tests of the id of a store: a restored store has a different id from the original.

use leadapi_sql::SqlStore;
use leadapi_tests::{postgres::Cluster, read_released, released_folder};
use tokio_postgres::NoTls;

async fn store_id(url: &str) -> String {
    SqlStore::open(&url.parse().unwrap()).await.unwrap().store_id().await.unwrap()
}

async fn execute(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_restored_sqlite_store_has_another_id() {
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let original = store_id(&url("leads.db")).await;
    assert_eq!(store_id(&url("leads.db")).await, original);
    let backup = folder.path().join("backup.db");
    SqlStore::open(&url("leads.db").parse().unwrap()).await.unwrap().backup(&backup, |_, _| ()).unwrap();
    let mut ids = vec![original, store_id(&url("backup.db")).await];
    for name in ["leads.db", "leads.db", "new.db"] {
        url(name).parse::<leadapi_sql::DatabaseUrl>().unwrap().restore(&backup, true).unwrap();
        let id = store_id(&url(name)).await;
        assert!(!ids.contains(&id), "{name}: {ids:?}");
        ids.push(id);
    }
}

#[tokio::test]
async fn a_restored_postgres_store_has_another_id() {
    let Some(cluster) = Cluster::shared() else { return };
    let dump = String::from_utf8(read_released(&released_folder("0.1.0"), "postgres.sql")).unwrap();
    let mut ids = Vec::new();
    let urls = [cluster.create_database("one").await, cluster.create_database("two").await];
    let urls = urls.map(|name| cluster.url(&name));
    for (url, clean) in
        [(&urls[0], ""), (&urls[1], ""), (&urls[0], "DROP SCHEMA public CASCADE; CREATE SCHEMA public;")]
    {
        execute(url, &format!("{clean}{dump}")).await;
        let id = store_id(url).await;
        assert!(!id.contains(' ') && !ids.contains(&id), "{id}: {ids:?}");
        assert_eq!(store_id(url).await, id);
        ids.push(id);
    }
    // A dump with data only is restored into empty tables.
    execute(
        &urls[0],
        "CREATE TABLE dump AS TABLE leadapi_schema; TRUNCATE leadapi_schema; INSERT INTO leadapi_schema TABLE dump",
    )
    .await;
    assert!(!ids.contains(&store_id(&urls[0]).await));
}

/// A promoted standby is a physical copy. VACUUM rewrites the rows, and an update of the schema adds some.
#[tokio::test]
async fn a_postgres_store_keeps_its_id_in_a_failover_and_maintenance() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("kept").await);
    let id = store_id(&url).await;
    for maintenance in ["VACUUM (FREEZE)", "VACUUM (FULL)", "CLUSTER leadapi_schema USING leadapi_schema_pkey"] {
        execute(&url, maintenance).await;
        assert_eq!(store_id(&url).await, id, "{maintenance}");
    }
    cluster.restart_as_standby();
    execute(&url, "SELECT pg_promote()").await;
    assert_eq!(store_id(&url).await, id);
}

/// Some services do not let their users call the function that shows the identifier of the cluster.
#[tokio::test]
async fn a_postgres_user_with_few_privileges_has_an_id() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("few").await);
    let id = store_id(&url).await;
    execute(
        &url,
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public; CREATE ROLE few LOGIN; \
         GRANT ALL ON ALL TABLES IN SCHEMA public TO few",
    )
    .await;
    let few = store_id(&url.replacen("postgres@", "few@", 1)).await;
    assert!(few.len() > 10 && id.ends_with(&few), "{few} and {id}");
}

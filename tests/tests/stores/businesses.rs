//! Tests of adding and removing businesses in PostgreSQL.

use std::process::Command;

use leadapi_core::{
    admin::{Admin, AdminExt, NewBusiness},
    model::{LeadQuery, Timestamp},
    port::{Created, Listed, Store},
};
use leadapi_tests::postgres::Cluster;
use tokio_postgres::Client;

use crate::fixture::{self, business, connect, create};

/// Returns each table that has the `business_id` column, and the number of its rows that belong to the business.
async fn rows(client: &Client, business: &str) -> Vec<(String, i64)> {
    let tables = "SELECT c.table_name FROM information_schema.columns AS c JOIN information_schema.tables AS t \
        ON t.table_name = c.table_name AND t.table_schema = c.table_schema WHERE c.column_name = 'business_id' \
        AND c.table_schema = 'public' AND c.table_name NOT LIKE 'idempotency\\__' ORDER BY 1";
    let mut rows = Vec::new();
    for table in client.query(tables, &[]).await.unwrap() {
        let table: String = table.get(0);
        let count = format!("SELECT count(*) FROM {table} WHERE business_id = $1");
        rows.push((table, client.query_one(&count, &[&business]).await.unwrap().get(0)));
    }
    rows
}

/// Before the removal, every table with the `business_id` column has a row, so a table that the store forgets fails the
/// test.
#[tokio::test]
async fn a_removed_business_leaves_no_record_behind() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("businesses").await);
    let command = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_server")).args(args).args(["--store", &url]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
    };
    let owner = "ann@sol.example";
    command(&["init", "--name", "Sol", "--owner", owner, "--id", "b1"]);
    command(&["client", "add", "--business", "b1", "--id", "c1", "--name", "C"]);
    command(&["login-link", "--business", "b1", "--as", owner]);
    let [store, other] = [fixture::open(&url, 2).await, fixture::open(&url, 2).await];
    let form = serde_json::from_str(r#"{"form": {"id": "f1", "client_id": "c1"}}"#).unwrap();
    store.admin(&business()).forms().add(&form).await.unwrap();
    create(&store, "Ann", "k1").await.unwrap();
    create(&other, "Ben", "k2").await.unwrap();
    let client = connect(&url).await;
    client.execute("INSERT INTO session VALUES ('b1', 's', '\\x00', $1, 0, 0, NULL)", &[&owner]).await.unwrap();
    let before = rows(&client, "b1").await;
    assert!(before.len() >= 14 && before.iter().all(|(_, rows)| *rows > 0), "{before:?}");

    let new = NewBusiness::new("b2".parse().unwrap(), "Other", owner, Timestamp::now()).unwrap();
    store.add_business(&new).await.unwrap();
    let others = rows(&client, "b2").await;
    let refused = store.admin(&business()).delete(false).await.unwrap_err();
    assert_eq!(refused.to_string(), "the business has 2 leads");
    assert_eq!(rows(&client, "b1").await, before);
    assert_eq!(store.admin(&business()).delete(true).await.unwrap(), 2);
    let after = rows(&client, "b1").await;
    assert!(after.iter().all(|(_, rows)| *rows == 0), "{after:?}");
    assert_eq!(rows(&client, "b2").await, others);
    let again = store.admin(&business()).delete(true).await.unwrap_err();
    assert_eq!(again.to_string(), "no such business: b1");
}

/// Another server creates leads until the business disappears. The refused create leaves no record behind.
#[tokio::test]
async fn a_business_can_be_removed_while_another_server_writes() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("businesses_race").await);
    let [store, other] = [fixture::open(&url, 2).await, fixture::open(&url, 2).await];
    create(&other, "first", "first").await.unwrap();
    let writing = tokio::spawn(async move {
        let mut created = 0_u64;
        while create(&other, "Ann", &format!("k{created}"))
            .await
            .is_ok_and(|created| matches!(created, Created::New(_)))
        {
            created += 1;
        }
        created
    });
    while matches!(store.list(&business(), &LeadQuery::new()).await, Ok(Listed::Page(page)) if page.total < 20) {}
    let removed = store.admin(&business()).delete(true).await.unwrap();
    assert_eq!(writing.await.unwrap() + 1, removed);
    let after = rows(&connect(&url).await, "b1").await;
    assert!(after.iter().all(|(_, rows)| *rows == 0), "{after:?}");
}

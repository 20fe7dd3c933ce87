//! Tests an export to a slow reader.

use std::{thread::sleep, time::Duration};

use leadapi_core::dataset::Dataset;
use leadapi_tests::postgres::Cluster;

use crate::fixture::{create, open};

/// Longer than the `idle_in_transaction_session_timeout` that applies to ordinary requests.
const SLOW: Duration = Duration::from_millis(5_500);

#[tokio::test]
async fn an_export_waits_for_a_slow_reader() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = open(&cluster.url(&cluster.create_database("export").await), 2).await;
    create(&store, "Ann", "key").await.unwrap();
    let second = r#"{"businesses": [{"id": "b2", "name": "B", "created_at": "2026-01-01T00:00:00Z"}]}"#;
    store.import(Dataset::parse(second).unwrap(), |_| {}).await.unwrap();
    let (sender, exported) = std::sync::mpsc::channel();
    let slowly = move |business| {
        sleep(SLOW);
        Ok(sender.send(business)?)
    };
    store.export(slowly).await.unwrap();
    let leads: Vec<usize> = exported.iter().map(|business| business.leads.len()).collect();
    assert_eq!(leads, [1, 0]);
}

//! Runs the conformance suites on each SQL store.

use leadapi_core::{BoxError, dataset::Dataset};
use leadapi_sql::SqlStore;
use leadapi_tests::{maintenance, postgres::Cluster};
use tempfile::TempDir;

async fn sqlite(folder: &TempDir, dataset: Dataset) -> Result<SqlStore, BoxError> {
    let folder = tempfile::Builder::new().tempdir_in(folder)?.keep();
    let store = SqlStore::open(&maintenance::sqlite_url(&folder).await.parse()?).await?;
    store.import(dataset, |_| {}).await?;
    Ok(store)
}

async fn postgres(cluster: &Cluster, connections: usize, dataset: Dataset) -> Result<SqlStore, BoxError> {
    let url = cluster.url(&cluster.create_database("conformance").await);
    let store = SqlStore::open(&url.parse::<leadapi_sql::DatabaseUrl>()?.connections(connections)).await?;
    store.import(dataset, |_| {}).await?;
    Ok(store)
}

/// Runs the suites for leads, tokens, API settings and the administration.
async fn run_all(make: impl AsyncFn(Dataset) -> Result<SqlStore, BoxError>) {
    leadapi_conformance::run(&make).await.unwrap();
    leadapi_conformance::run_tokens(&make).await.unwrap();
    leadapi_conformance::run_settings(&make).await.unwrap();
    leadapi_conformance::run_admin(&make).await.unwrap();
}

#[tokio::test]
async fn sqlite_passes_the_conformance_suites() {
    let folder = TempDir::new().unwrap();
    run_all(async |dataset| sqlite(&folder, dataset).await).await;
}

#[tokio::test]
async fn postgres_passes_the_conformance_suites() {
    let Some(cluster) = Cluster::shared() else { return };
    run_all(async |dataset| postgres(cluster, 10, dataset).await).await;
}

/// The pool has a single connection, so a call that holds it and requests a second one would fail.
#[tokio::test]
async fn postgres_with_one_connection_passes_the_conformance_suites() {
    let Some(cluster) = Cluster::shared() else { return };
    run_all(async |dataset| postgres(cluster, 1, dataset).await).await;
}

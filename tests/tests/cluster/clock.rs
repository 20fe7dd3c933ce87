//! PostgreSQL's clock is set back while two servers share its rate limits (contract D9).

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use leadapi_tests::{postgres::Cluster, secret};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::time::sleep;
use tokio_postgres::NoTls;

use crate::{calls::WINDOW, server::Server};

/// A clock that precedes PostgreSQL's own in the search path, and that the test can set.
const CLOCK: &str = "
    CREATE SCHEMA stepped;
    CREATE TABLE stepped.step AS SELECT 0 AS seconds;
    CREATE FUNCTION stepped.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM stepped.step))';
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = stepped, pg_catalog, public', current_database());
    END $$;";
const WRITES: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_not_refused_for_longer_after_the_clock_of_postgres_was_set_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = cluster.url(&cluster.create_database("clock").await);
    let (sql, connection) = tokio_postgres::connect(&store, NoTls).await.unwrap();
    tokio::spawn(connection);
    sql.batch_execute(CLOCK).await.unwrap();
    let token = secret("clock");
    let settings = ["--store", &store, "--writes-per-minute", &WRITES.to_string()];
    let servers = [Server::start(&settings, &token), Server::start(&settings, &token)];
    let client = Client::new();
    let write = async |server: &Server| {
        let request = client.post(format!("{}/leads", server.url)).bearer_auth(&token);
        request.body("{}").send().await.unwrap().status()
    };
    for _ in 0..WRITES {
        assert_eq!(write(&servers[0]).await, StatusCode::BAD_REQUEST, "counts towards the limit");
    }
    sql.batch_execute("UPDATE stepped.step SET seconds = -7200").await.unwrap();
    let start = Instant::now();
    assert_eq!(write(&servers[1]).await, StatusCode::TOO_MANY_REQUESTS);
    let shares: String = sql.query_one("SELECT shares FROM stepped.rate_limit", &[]).await.unwrap().get(0);
    let shares: Value = serde_json::from_str(&shares).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().checked_sub(Duration::from_secs(7_000)).unwrap();
    let is_stepped = |share: &Value| share["reported_at"].as_u64().is_some_and(|at| u128::from(at) < now.as_millis());
    assert!(shares.as_object().unwrap().values().all(is_stepped), "the ledger must read the stepped clock: {shares}");
    // A busy machine gets twice the window. Without the fix, the server refuses the token for two hours.
    while write(&servers[1]).await == StatusCode::TOO_MANY_REQUESTS {
        assert!(start.elapsed() < 2 * WINDOW, "refused for {:?}", start.elapsed());
        sleep(Duration::from_secs(1)).await;
    }
}

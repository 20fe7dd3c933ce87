//! Tests that set PostgreSQL's clock while two servers share rate limits in the database (contract D9).

use std::time::{Duration, Instant};

use leadapi_tests::{ServerProcess, eventually, postgres::Cluster, secret};
use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
use tokio::time::sleep;
use tokio_postgres::NoTls;

use crate::{calls::WINDOW, server::start};

/// A clock function that the test can set, and that precedes PostgreSQL's own clock function in the search path.
const CLOCK: &str = "
    CREATE SCHEMA stepped;
    CREATE TABLE stepped.step AS SELECT 0 AS seconds;
    CREATE FUNCTION stepped.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM stepped.step))';
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = stepped, pg_catalog, public', current_database());
    END $$;";
const WRITES: usize = 3;

/// Two servers on a database whose clock a test can set.
struct Site {
    sql: tokio_postgres::Client,
    servers: [ServerProcess; 2],
    client: Client,
    token: String,
}

impl Site {
    async fn start(cluster: &Cluster) -> Self {
        let store = cluster.url(&cluster.create_database("clock").await);
        let (sql, connection) = tokio_postgres::connect(&store, NoTls).await.unwrap();
        tokio::spawn(connection);
        sql.batch_execute(CLOCK).await.unwrap();
        let token = secret("clock");
        let settings = ["--store", &store, "--writes-per-minute", &WRITES.to_string()];
        let servers = [start(&settings, &token), start(&settings, &token)];
        Self { sql, servers, client: Client::new(), token }
    }

    /// Sends a request that counts towards the limit. It is answered with 400 unless it exceeds the limit.
    async fn write(&self, server: usize) -> Response {
        let request = self.client.post(format!("{}/leads", self.servers[server].url)).bearer_auth(&self.token);
        request.body("{}").send().await.unwrap()
    }

    async fn use_up_the_limit(&self) {
        for _ in 0..WRITES {
            assert_eq!(self.write(0).await.status(), StatusCode::BAD_REQUEST, "counts towards the limit");
        }
    }

    async fn set_clock(&self, seconds: i64) {
        self.sql.batch_execute(&format!("UPDATE stepped.step SET seconds = {seconds}")).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_is_not_too_short_after_the_clock_of_postgres_was_set_forward() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::start(cluster).await;
    let start = Instant::now();
    site.use_up_the_limit().await;
    site.set_clock(30).await;
    let refused = site.write(1).await;
    // On a very busy machine, the window may have passed by now.
    if start.elapsed() < WINDOW {
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        let wait: u64 = refused.headers()[RETRY_AFTER].to_str().unwrap().parse().unwrap();
        let retried_after = start.elapsed() + Duration::from_secs(wait);
        assert!(retried_after >= WINDOW, "Retry-After is {wait}, but the first request was {:?} ago", start.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_not_refused_for_longer_after_the_clock_of_postgres_was_set_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::start(cluster).await;
    site.use_up_the_limit().await;
    site.set_clock(-7_200).await;
    let start = Instant::now();
    assert_eq!(site.write(1).await.status(), StatusCode::TOO_MANY_REQUESTS);
    let reads = "SELECT 1 FROM stepped.key_clock \
        WHERE clock < extract(epoch FROM pg_catalog.clock_timestamp() - interval '1 hour') * 1000000";
    let read = async || site.sql.query_opt(reads, &[]).await.unwrap().is_some();
    eventually("the servers read the stepped clock", read).await;
    // The limit of twice the window leaves time for a busy machine. A server that trusted the database's clock would
    // refuse the token for two hours.
    while site.write(1).await.status() == StatusCode::TOO_MANY_REQUESTS {
        assert!(start.elapsed() < 2 * WINDOW, "refused for {:?}", start.elapsed());
        sleep(Duration::from_secs(1)).await;
    }
}

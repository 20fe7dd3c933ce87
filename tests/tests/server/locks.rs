//! Tests of two servers while other programs hold locks on their database, as backups do.

use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use leadapi_core::auth::BearerToken;
use leadapi_tests::{equals, eventually, one_business, postgres::Cluster};
use tokio_postgres::{Client, NoTls};

use crate::ready::{NOT_WRITABLE, READY, Server};

/// Two servers that share a database, and a connection to the database.
struct Servers {
    both: [Server; 2],
    token: String,
    url: String,
    client: Client,
    _cluster: Cluster,
}

impl Servers {
    async fn start() -> Option<Self> {
        let cluster = Cluster::start(&[])?;
        let url = cluster.url(&cluster.create_database("locks").await);
        let token = BearerToken::generate().unwrap().expose().to_owned();
        let data = one_business(&[&token]);
        let start = || {
            Server::on(&url, |command| {
                let limits = ["--reads-per-minute", "1000000", "--writes-per-minute", "1000000"];
                command.args(limits).arg("--data").arg(data.path());
            })
        };
        let both = [start(), start()];
        let client = connect(&url).await;
        Some(Self { both, token, url, client, _cluster: cluster })
    }

    /// Sends requests and queries the readiness of both servers for four seconds, during which each server performs
    /// several readiness checks. On a busy machine, a check may exceed its timeout, but not every check.
    fn work(&self) {
        let end = Instant::now() + Duration::from_secs(4);
        while Instant::now() < end {
            for server in &self.both {
                server.wait_for(READY);
                self.request(server);
            }
        }
    }

    fn request(&self, server: &Server) {
        let created = server.send("POST", "/v1/leads", &self.token, r#"{"client_id":"c1","name":"Ann"}"#);
        assert!(created.starts_with("201"), "{created}");
        let list = server.send("GET", "/v1/clients", &self.token, "");
        assert!(list.starts_with("200"), "{list}");
    }

    /// Returns the number of connections of the servers that wait for a lock on a table.
    async fn waiting(&self) -> i64 {
        let waiting = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) \
            WHERE application_name = 'leadapi' AND relation IS NOT NULL AND NOT granted";
        self.client.query_one(waiting, &[]).await.unwrap().get(0)
    }

    async fn connections(&self) -> i64 {
        let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'leadapi'";
        self.client.query_one(connections, &[]).await.unwrap().get(0)
    }

    async fn tables(&self) -> String {
        let tables = "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = 'public'";
        self.client.query_one(tables, &[]).await.unwrap().get(0)
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A `pg_dump` process. Nothing reads its output, so it keeps its locks until this value is dropped.
struct Dump(Child);

impl Dump {
    fn start(url: &str) -> Self {
        Self(Command::new("pg_dump").arg(url).stdout(Stdio::piped()).spawn().unwrap())
    }
}

impl Drop for Dump {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_the_database_disturbs_no_server() {
    let Some(servers) = Servers::start().await else { return };
    let holder = connect(&servers.url).await;
    let lock = format!("BEGIN; LOCK TABLE {} IN ACCESS SHARE MODE", servers.tables().await);
    holder.batch_execute(&lock).await.unwrap();
    servers.work();
    assert_eq!(servers.waiting().await, 0);
    holder.batch_execute("COMMIT").await.unwrap();
    // The dump writes more data than the pipe holds.
    let fill = "INSERT INTO form SELECT 'b1', nth::text, repeat('x', 1000) FROM generate_series(1, 2000) AS nth";
    servers.client.batch_execute(fill).await.unwrap();
    let _dump = Dump::start(&servers.url);
    let locks = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) \
        WHERE application_name = 'pg_dump' AND relation = 'readiness_probe'::regclass";
    let locks = async || servers.client.query_one(locks, &[]).await.unwrap().get::<_, i64>(0);
    eventually("pg_dump locks the tables", async || locks().await > 0).await;
    servers.work();
    assert_eq!(servers.waiting().await, 0);
    assert!(locks().await > 0, "the dump has ended");
}

/// A forgotten lock on the table of the probe makes the servers unready, but they keep working.
#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_readiness_check_takes_no_connection_from_requests() {
    let Some(servers) = Servers::start().await else { return };
    servers.work();
    let before = servers.connections().await;
    let holder = connect(&servers.url).await;
    holder.batch_execute("BEGIN; LOCK TABLE readiness_probe IN ACCESS EXCLUSIVE MODE").await.unwrap();
    for server in &servers.both {
        server.wait_for(NOT_WRITABLE);
    }
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        for server in &servers.both {
            server.wait_for(NOT_WRITABLE);
            servers.request(server);
        }
        assert!(servers.waiting().await <= 2, "more than one check of a server waits");
    }
    assert!(servers.connections().await <= before + 2);
    holder.batch_execute("COMMIT").await.unwrap();
    for server in &servers.both {
        server.wait_for(READY);
    }
}

/// All connections of the pool wait, but none of them is needed to find out whether the database works.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_busy_pool_stays_ready() {
    let Some(servers) = Servers::start().await else { return };
    let holder = connect(&servers.url).await;
    holder.batch_execute("BEGIN; LOCK TABLE client IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let server = &servers.both[0];
    std::thread::scope(|scope| {
        // Fewer than the connections that the operator listener grants one address.
        for _ in 0..12 {
            scope.spawn(|| server.send("GET", "/v1/clients", &servers.token, ""));
        }
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end {
            server.wait_for(READY);
        }
    });
    holder.batch_execute("COMMIT").await.unwrap();
    eventually("the requests succeed", async || {
        equals(server.send("GET", "/v1/clients", &servers.token, "")[..3].to_owned(), "200")
    })
    .await;
}

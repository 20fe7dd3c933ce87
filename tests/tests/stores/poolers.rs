//! Tests of connections to PostgreSQL through PgBouncer.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::{Child, Command, Stdio},
};

use leadapi_sql::{DatabaseUrl, SqlStore};
use leadapi_tests::{free_port, postgres::Cluster, proxy_program, wait_until};
use tempfile::TempDir;

use crate::fixture::{all, create, open};

/// A PgBouncer process that runs until it is dropped.
struct PgBouncer {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts PgBouncer in this pool mode in front of a cluster. If PgBouncer is not installed, returns `None`, or
    /// panics if `LEADAPI_REQUIRE_PROXIES` is 1.
    fn start(cluster: &Cluster, mode: &str) -> Option<Self> {
        let program = proxy_program("pgbouncer")?;
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let (host, server_port) = cluster.address().split_once(':').unwrap();
        let settings = folder.path().join("pgbouncer.ini");
        let url = cluster.url("d");
        let user = url.split("//").nth(1).unwrap().split([':', '@']).next().unwrap();
        let text = format!(
            "[databases]\n* = host={host} port={server_port} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n\
             ignore_startup_parameters = extra_float_digits\n"
        );
        fs::write(&settings, text).unwrap();
        let mut command = Command::new(program);
        command.arg(&settings).stdout(Stdio::null()).stderr(Stdio::null());
        if folder.path().metadata().unwrap().uid() == 0 {
            // PgBouncer refuses to run as root. With `-u`, it switches to this user.
            command.args(["-u", "nobody"]);
            fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        }
        let process = command.spawn().unwrap();
        wait_until("PgBouncer", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self { process, port, _folder: folder })
    }

    fn url(&self, cluster: &Cluster, database: &str) -> String {
        cluster.url_at(format!("127.0.0.1:{}", self.port), database)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test]
async fn a_pooler_in_transaction_mode_is_refused_with_the_reason() {
    let Some(cluster) = Cluster::shared() else { return };
    let Some(pooler) = PgBouncer::start(cluster, "transaction") else { return };
    let database = cluster.create_database("pooled").await;
    let url: DatabaseUrl = pooler.url(cluster, &database).parse().unwrap();
    let error = SqlStore::open(&url).await.unwrap_err().to_string();
    assert!(error.contains("PgBouncer in transaction mode") && error.contains("session mode"), "{error}");
}

#[tokio::test]
async fn a_pooler_in_session_mode_works() {
    let Some(cluster) = Cluster::shared() else { return };
    let Some(pooler) = PgBouncer::start(cluster, "session") else { return };
    let database = cluster.create_database("pooled").await;
    let store = open(&pooler.url(cluster, &database), 4).await;
    for nth in 0..20 {
        create(&store, "Ann", &format!("key-{nth}")).await.unwrap();
    }
    assert_eq!(all(&store).await.len(), 20);
}

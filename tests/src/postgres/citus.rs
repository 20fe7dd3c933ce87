//! Citus clusters for tests: a coordinator and two workers.

use std::{
    env,
    io::{self, Write},
    sync::Once,
};

use leadapi_sql::SqlStore;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls};

use super::{Cluster, programs};

const MISSING: &str = "Citus was not found: tests that need it are skipped; install it for the newest PostgreSQL";

/// The settings that Citus needs on each node, with a few shards for a small machine.
const SETTINGS: [&str; 8] = [
    "shared_preload_libraries=citus",
    "wal_level=logical",
    "max_prepared_transactions=200",
    "max_worker_processes=40",
    "max_wal_senders=20",
    "citus.node_conninfo=sslmode=disable",
    "citus.shard_count=4",
    "citus.enable_statistics_collection=off",
];

const WORKERS: usize = 2;

/// The database that each new database copies. It is distributed, and empty.
const TEMPLATE: &str = "leadapi_distributed";

/// The workers of a coordinator.
#[derive(Debug, Default)]
pub(super) struct Workers {
    clusters: Vec<Cluster>,
    template: OnceCell<()>,
}

impl Cluster {
    /// Starts the coordinator and two workers of a Citus cluster, in which each new database has the schema of this
    /// version and is distributed. `settings` apply to the coordinator. Returns `None` if Citus is not installed.
    ///
    /// # Panics
    ///
    /// Panics if a node does not start, or if Citus is not installed and `LEADAPI_REQUIRE_CITUS` is 1.
    pub fn start_citus(settings: &[&str]) -> Option<Self> {
        if !is_installed() {
            return None;
        }
        let mut coordinator = Self::start(&[&SETTINGS[..], settings].concat())?;
        let clusters = (0..WORKERS).map(|_| Self::start(&SETTINGS)).collect::<Option<_>>()?;
        coordinator.workers = Some(Workers { clusters, ..Workers::default() });
        Some(coordinator)
    }

    /// Returns a worker of a Citus cluster.
    ///
    /// # Panics
    ///
    /// Panics if there is no such worker.
    pub fn worker(&mut self, nth: usize) -> &mut Self {
        &mut self.workers.as_mut().unwrap().clusters[nth]
    }

    /// Creates a database on all nodes of a Citus cluster, which know each other but have no tables.
    ///
    /// # Panics
    ///
    /// Panics if a node cannot be reached.
    pub async fn create_undistributed_database(&self, name: &str) {
        let workers = &self.workers.as_ref().unwrap().clusters;
        for node in workers.iter().chain([self]) {
            node.execute("postgres", &format!("CREATE DATABASE \"{name}\" TEMPLATE template0")).await;
            node.execute(name, "CREATE EXTENSION citus").await;
        }
        let split = |node: &Self| node.address().replace(':', "', ");
        self.execute(name, &format!("SELECT citus_set_coordinator_host('{})", split(self))).await;
        for worker in workers {
            self.execute(name, &format!("SELECT citus_add_node('{})", split(worker))).await;
        }
    }

    /// Copies the template on all nodes.
    pub(super) async fn create_distributed_database(&self, workers: &Workers, name: &str) {
        workers.template.get_or_init(|| self.create_template(&workers.clusters)).await;
        let create = format!("CREATE DATABASE \"{name}\" TEMPLATE {TEMPLATE}");
        for node in workers.clusters.iter().chain([self]) {
            node.execute("postgres", &create).await;
        }
    }

    async fn create_template(&self, workers: &[Self]) {
        self.create_undistributed_database(TEMPLATE).await;
        SqlStore::distribute(&self.url(TEMPLATE).parse().unwrap()).await.unwrap();
        // The first server of each copy stores its key time, as in a new database.
        self.execute(TEMPLATE, "DELETE FROM key_clock").await;
        for node in workers.iter().chain([self]) {
            // A database to which someone is connected cannot be copied, and Citus connects to each database.
            let close = "ALTER DATABASE leadapi_distributed ALLOW_CONNECTIONS false; \
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'leadapi_distributed'";
            for statement in close.split("; ") {
                node.execute("postgres", statement).await;
            }
        }
    }

    pub(super) async fn execute(&self, database: &str, statement: &str) {
        self.connect(database).await.batch_execute(statement).await.unwrap();
    }

    async fn connect(&self, database: &str) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url(database), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

/// Prints a message once if Citus is not installed.
fn is_installed() -> bool {
    static REPORTED: Once = Once::new();
    // The program may be a link to the folder that has the libraries next to it.
    let Some(program) = programs::find().and_then(|folder| folder.join("postgres").canonicalize().ok()) else {
        return false;
    };
    let root = program.ancestors().nth(2).unwrap();
    let libraries = ["lib/citus.so", "lib/postgresql/citus.so"];
    let installed = libraries.iter().any(|path| root.join(path).is_file());
    if !installed {
        assert!(env::var_os("LEADAPI_REQUIRE_CITUS").is_none_or(|required| required != "1"), "{MISSING}");
        // The test harness captures `eprintln!` and hides its output if the test passes.
        REPORTED.call_once(|| io::stderr().write_all(format!("{MISSING}\n").as_bytes()).unwrap());
    }
    installed
}

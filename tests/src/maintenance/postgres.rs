//! The maintenance of PostgreSQL databases.

use std::{
    collections::VecDeque,
    process::{Child, Stdio},
    sync::{Mutex, PoisonError},
};

use leadapi_sql::SqlStore;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls};

use super::Ongoing;
use crate::{eventually, postgres::Cluster};

/// A database with the schema of this version, and with a table that is larger than the buffer of a pipe, so that
/// `pg_dump` blocks.
const TEMPLATE: &str = "leadapi_maintained";
const FILLER: &str = "CREATE SCHEMA filler; CREATE TABLE filler.text AS SELECT repeat(md5(nth::text), 100) AS line \
    FROM generate_series(1, 400) AS nth; ALTER TABLE filler.text ALTER COLUMN line SET STORAGE EXTERNAL";

/// The business whose row another program has locked.
const LOCKED: &str = "INSERT INTO business (business_id, name, created_at) VALUES ('locked', 'Locked', 0)";
const LOCK: &str = "BEGIN; SELECT business_id FROM business WHERE business_id = 'locked' FOR UPDATE";

/// The programs and connections that maintain databases. If there are more than [`MAX`], the oldest is dropped, because
/// its suite has ended.
static RUNNING: Mutex<VecDeque<Box<dyn Send>>> = Mutex::new(VecDeque::new());
const MAX: usize = 16;

/// A program that is killed when this value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Creates a database with the schema of this version, and begins its maintenance.
pub(super) async fn create(cluster: &Cluster, name: &str, ongoing: Ongoing) {
    static READY: OnceCell<()> = OnceCell::const_new();
    READY.get_or_init(|| create_template(cluster)).await;
    let admin = connect(cluster, "postgres").await;
    // A connection that was just closed may still be open on the server, where it prevents copying the template.
    eventually("a copy of the template", async || {
        admin.batch_execute(&format!("CREATE DATABASE \"{name}\" TEMPLATE {TEMPLATE}")).await
    })
    .await;
    let running: Box<dyn Send> = match ongoing {
        Ongoing::Dump => Box::new(Program(dump(cluster, name).await)),
        Ongoing::ForeignLock => {
            let client = connect(cluster, name).await;
            client.batch_execute(LOCKED).await.unwrap();
            client.batch_execute(LOCK).await.unwrap();
            Box::new(client)
        }
        Ongoing::Preset(setting) => {
            let role: String = admin.query_one("SELECT current_user::text", &[]).await.unwrap().get(0);
            let preset = format!("ALTER ROLE \"{role}\" IN DATABASE \"{name}\" SET {setting}");
            return admin.batch_execute(&preset).await.unwrap();
        }
        // A wrong clock applies to the process, not to the database.
        _ => return,
    };
    let mut all = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    all.push_back(running);
    if all.len() > MAX {
        all.pop_front();
    }
}

async fn create_template(cluster: &Cluster) {
    let admin = connect(cluster, "postgres").await;
    admin.batch_execute(&format!("CREATE DATABASE {TEMPLATE} TEMPLATE template0")).await.unwrap();
    drop(SqlStore::open(&cluster.url(TEMPLATE).parse().unwrap()).await.unwrap());
    connect(cluster, TEMPLATE).await.batch_execute(FILLER).await.unwrap();
}

/// Starts `pg_dump`, whose output nobody reads, and waits until it holds a lock on every table.
async fn dump(cluster: &Cluster, name: &str) -> Child {
    const UNLOCKED: &str = "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') \
        AND relnamespace IN ('public'::regnamespace, 'filler'::regnamespace) AND NOT EXISTS (SELECT FROM pg_locks \
        WHERE relation = pg_class.oid AND mode = 'AccessShareLock' AND granted AND pid <> pg_backend_pid())";
    let mut command = cluster.program("pg_dump");
    let process = command.arg(cluster.url(name)).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let client = connect(cluster, name).await;
    eventually("the locks of pg_dump", async || {
        let unlocked: i64 = client.query_one(UNLOCKED, &[]).await.unwrap().get(0);
        if unlocked == 0 { Ok(()) } else { Err(format!("{unlocked} tables without a lock")) }
    })
    .await;
    process
}

async fn connect(cluster: &Cluster, database: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(&cluster.url(database), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

//! What goes on in a database while the store suites run: backups, locks, presets and wrong clocks.
//!
//! [`ALL`] is the table. A suite runs during each kind of maintenance in a process of its own, which
//! [`run_suites`] starts: `LEADAPI_TEST_MAINTENANCE` names the kind, and every database that the process creates for a
//! suite is then maintained in this way.

mod postgres;
mod sqlite;
mod suites;

use std::{env, path::Path, sync::LazyLock};

pub use suites::run_suites;

use crate::postgres::Cluster;

/// The variable that names the kind of maintenance in this process.
const VARIABLE: &str = "LEADAPI_TEST_MAINTENANCE";

/// Every kind of maintenance. A new kind is a new line.
pub const ALL: &[Maintenance] = &[
    Maintenance::postgres("pg_dump_holds_its_locks", Ongoing::Dump),
    Maintenance::postgres("another_program_locks_a_business", Ongoing::ForeignLock),
    Maintenance::postgres(
        "repeatable_read_is_the_default",
        Ongoing::Preset("default_transaction_isolation = 'repeatable read'"),
    ),
    Maintenance::postgres(
        "serializable_is_the_default",
        Ongoing::Preset("default_transaction_isolation = 'serializable'"),
    ),
    Maintenance::postgres("the_role_limits_statements", Ongoing::Preset("statement_timeout = 1000")),
    Maintenance::postgres(
        "the_role_limits_idle_transactions",
        Ongoing::Preset("idle_in_transaction_session_timeout = 50"),
    ),
    Maintenance::postgres("the_server_is_ten_days_ahead", Ongoing::Clock("+10d")),
    Maintenance::postgres("the_server_is_ten_days_behind", Ongoing::Clock("-10d")),
    Maintenance::sqlite("a_backup_runs", Ongoing::Backup),
    Maintenance::sqlite("a_reader_holds_a_snapshot", Ongoing::Reader),
    Maintenance::sqlite("a_command_writes", Ongoing::Command),
];

/// A kind of maintenance of a database.
#[derive(Debug)]
pub struct Maintenance {
    /// The name, which `LEADAPI_TEST_MAINTENANCE` selects.
    pub name: &'static str,
    engine: Engine,
    ongoing: Ongoing,
}

/// The database that a kind of maintenance concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ongoing {
    /// A `pg_dump` that never ends.
    Dump,
    /// A transaction that holds the row lock of a business that no suite uses.
    ForeignLock,
    /// A setting of the server's role in this database.
    Preset(&'static str),
    /// The server's clock differs from the database's by this time, in the format of `faketime`.
    Clock(&'static str),
    /// One online backup after the other.
    Backup,
    /// A transaction that reads.
    Reader,
    /// A command that opens the store and writes, again and again.
    Command,
}

impl Maintenance {
    const fn postgres(name: &'static str, ongoing: Ongoing) -> Self {
        Self { name, engine: Engine::Postgres, ongoing }
    }

    const fn sqlite(name: &'static str, ongoing: Ongoing) -> Self {
        Self { name, engine: Engine::Sqlite, ongoing }
    }

    /// Returns whether it adds rows to the database, so that a suite that compares whole tables cannot run.
    pub const fn adds_rows(&self) -> bool {
        matches!(self.ongoing, Ongoing::ForeignLock)
    }

    /// Returns whether databases of this engine are maintained in this process, or no database is.
    pub fn concerns(engine: Engine) -> bool {
        current().is_none_or(|maintenance| maintenance.engine == engine)
    }
}

/// Returns whether a program holds locks that prevent a table from being truncated, so that expired keys stay.
pub fn prevents_truncation() -> bool {
    current().is_some_and(|maintenance| maintenance.ongoing == Ongoing::Dump)
}

/// Returns the kind of maintenance in this process.
fn current() -> Option<&'static Maintenance> {
    static CURRENT: LazyLock<Option<&'static Maintenance>> = LazyLock::new(|| {
        let name = env::var(VARIABLE).ok()?;
        Some(ALL.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("{VARIABLE}: no such kind: {name}")))
    });
    *CURRENT
}

/// Creates a maintained database. Returns `false` if no PostgreSQL database is maintained in this process.
pub(crate) async fn create_database(cluster: &Cluster, name: &str) -> bool {
    let Some(Maintenance { engine: Engine::Postgres, ongoing, .. }) = current() else { return false };
    postgres::create(cluster, name, *ongoing).await;
    true
}

/// Returns the URL of a new SQLite store in this directory. If SQLite stores are maintained in this process, the file
/// exists, and its maintenance has begun.
pub async fn sqlite_url(folder: &Path) -> String {
    let path = folder.join("leads.db");
    let url = format!("sqlite:{}", path.display());
    if let Some(Maintenance { engine: Engine::Sqlite, ongoing, .. }) = current() {
        sqlite::begin(&path, &url, *ongoing).await;
    }
    url
}

//! Conditions under which the store suites also run: ongoing backups, locks of other programs, unusual database
//! settings, and wrong clocks.
//!
//! [`ALL`] lists these conditions, called kinds of maintenance. [`run_suites`] runs a suite once for each kind, each
//! time in a separate process. `LEADAPI_TEST_MAINTENANCE` names the kind, which applies to every database that the
//! process creates for a suite.

mod postgres;
mod sqlite;
mod suites;

use std::{env, path::Path, sync::LazyLock};

pub use suites::run_suites;

use crate::postgres::Cluster;

/// The variable that names the kind of maintenance in this process.
const VARIABLE: &str = "LEADAPI_TEST_MAINTENANCE";

/// Every kind of maintenance. To add a kind, add a line.
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

/// The database to which a kind of maintenance applies.
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
    /// A transaction that locks the row of a business that no suite uses.
    ForeignLock,
    /// A setting that the server's role has by default in this database.
    Preset(&'static str),
    /// The clock of the process that runs the suite has this offset from the database's clock, in the format of
    /// `faketime`.
    Clock(&'static str),
    /// A sequence of online backups without a pause.
    Backup,
    /// A read transaction that stays open.
    Reader,
    /// A command that repeatedly opens the store and writes.
    Command,
}

impl Maintenance {
    const fn postgres(name: &'static str, ongoing: Ongoing) -> Self {
        Self { name, engine: Engine::Postgres, ongoing }
    }

    const fn sqlite(name: &'static str, ongoing: Ongoing) -> Self {
        Self { name, engine: Engine::Sqlite, ongoing }
    }

    /// Returns whether this kind adds rows to the database. If it does, a suite that compares whole tables cannot run.
    pub const fn adds_rows(&self) -> bool {
        matches!(self.ongoing, Ongoing::ForeignLock)
    }

    /// Returns whether a kind of maintenance for this engine, or no maintenance at all, applies in this process.
    pub fn concerns(engine: Engine) -> bool {
        current().is_none_or(|maintenance| maintenance.engine == engine)
    }
}

/// Returns whether a program holds locks that prevent the store from truncating a table. In that case, expired keys
/// stay.
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

/// Creates a database and begins its maintenance. Returns `false` if no maintenance of PostgreSQL applies in this
/// process.
pub(crate) async fn create_database(cluster: &Cluster, name: &str) -> bool {
    let Some(Maintenance { engine: Engine::Postgres, ongoing, .. }) = current() else { return false };
    postgres::create(cluster, name, *ongoing).await;
    true
}

/// Returns the URL of a new SQLite store in this directory. If maintenance of SQLite applies in this process, creates
/// the file and begins its maintenance.
pub async fn sqlite_url(folder: &Path) -> String {
    let path = folder.join("leads.db");
    let url = format!("sqlite:{}", path.display());
    if let Some(Maintenance { engine: Engine::Sqlite, ongoing, .. }) = current() {
        sqlite::begin(&path, &url, *ongoing).await;
    }
    url
}

//! Opens connections to a file, configured for durable commits.

use std::{io::ErrorKind, path::Path};

use leadapi_core::validate::email_key;
use leadapi_sqlite_file::{BUSY_TIMEOUT, FileError, file, keep_log_on_close};
use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::error::OpenError;
use crate::migrations;

/// The oldest safe SQLite version. In earlier versions, resetting the write-ahead log at the wrong time could corrupt
/// the file.
const MIN_VERSION: (i32, &str) = (3_051_003, "3.51.3");
/// The application id that marks a file as a store: "lead" in ASCII.
const APPLICATION: i32 = 0x6c65_6164;
const CACHED_STATEMENTS: usize = 128;
/// The number of log pages (16 MB) that triggers a checkpoint. A higher number means that frequently changed pages are
/// copied to the file less often.
const CHECKPOINT_PAGES: u32 = 4_000;
/// The size to which SQLite truncates the log file after a checkpoint: slightly more than `CHECKPOINT_PAGES` pages.
const MAX_LOG_BYTES: i64 = 16 << 20;

/// Creates an empty file if there is no file.
pub(super) fn create_missing(path: &Path) -> Result<(), OpenError> {
    match file::create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists || path.exists() => Ok(()),
        other => Ok(other.map_err(|error| FileError::of_path(path, error))?),
    }
}

/// Opens an existing file for writing, and migrates the schema to this version. With `accept_loss`, opens the file even
/// if its log was lost.
pub(super) fn open(path: &Path, accept_loss: bool) -> Result<Connection, OpenError> {
    if rusqlite::version_number() < MIN_VERSION.0 {
        return Err(OpenError::Old { found: rusqlite::version(), oldest: MIN_VERSION.1 });
    }
    leadapi_sqlite_file::check(path, accept_loss)?;
    let had_log = file::has_log(path)?;
    let mut connection = Connection::open_with_flags(path, flags() | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if had_log {
        // If the store is refused below, its log must not be removed.
        keep_log_on_close(&connection, true)?;
    }
    // Checked before anything is written, so another application's file stays unchanged.
    check(&connection)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoLog(mode));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Keeps the rollback data of savepoints in memory instead of a file. It is not needed after the transaction.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", MAX_LOG_BYTES)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    cache_statements(&connection)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens an existing file that cannot be written, and has no log.
pub(super) fn open_unchanged(path: &Path, accept_loss: bool) -> Result<Connection, OpenError> {
    leadapi_sqlite_file::check(path, accept_loss)?;
    let connection = immutable_reader(path)?;
    match check(&connection)? {
        found if found == migrations::SQLITE.len() => Ok(connection),
        found => Err(OpenError::Unmigrated { path: path.to_owned(), found, known: migrations::SQLITE.len() }),
    }
}

/// Opens a read-only connection.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags() | OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    cache_statements(&connection)?;
    Ok(connection)
}

/// Opens a read-only connection to a file that has no log and that nobody changes. SQLite then creates no files.
pub(super) fn immutable_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = flags() | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(file::immutable_uri(path), flags)?;
    cache_statements(&connection)?;
    Ok(connection)
}

/// Opens a connection that may run checkpoints.
pub(super) fn writable(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags() | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Caches prepared statements. `ENABLE_QPSG` keeps SQLite from re-preparing a statement on a table with partial indexes
/// whenever the statement's parameters change.
fn cache_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Returns the open flags that all connections share. Only one thread uses a connection at a time, so SQLite needs no
/// mutex.
fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn number(connection: &Connection, sql: &str) -> rusqlite::Result<i64> {
    connection.query_row(sql, (), |row| row.get(0))
}

/// Returns the schema version, or 0 for an empty file. Fails if the file belongs to another application or a newer
/// version.
pub(super) fn check(connection: &Connection) -> Result<usize, OpenError> {
    let tables = number(connection, "SELECT count(*) FROM sqlite_schema")?;
    let application = number(connection, "PRAGMA application_id")?;
    let version = number(connection, "PRAGMA user_version")?;
    if application != i64::from(APPLICATION) && (tables > 0 || application != 0 || version != 0) {
        return Err(OpenError::Foreign);
    }
    let newer = OpenError::Newer { found: version, known: migrations::SQLITE.len() };
    usize::try_from(version).ok().filter(|version| *version <= migrations::SQLITE.len()).ok_or(newer)
}

/// Migrates in one transaction. If two processes start at the same time, the second finds nothing left to do.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    if check(connection)? == migrations::SQLITE.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for migration in migrations::SQLITE.iter().skip(check(&transaction)?) {
        transaction.execute_batch(migration)?;
        if *migration == migrations::SQLITE_EMAIL_KEYS {
            fix_email_keys(&transaction)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", i64::try_from(migrations::SQLITE.len()).unwrap_or(i64::MAX))?;
    transaction.commit()?;
    Ok(())
}

fn fix_email_keys(connection: &Connection) -> rusqlite::Result<()> {
    let mut members = connection.prepare(migrations::MEMBERS_TO_FIX)?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let members: Vec<(String, String)> = members.query_map((), read)?.collect::<Result<_, _>>()?;
    for (business, email) in members {
        let key = email_key(&email);
        if key != email {
            connection.execute(migrations::FIX_EMAIL_KEY, (key, business, email))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::{lead_statement, settings};

    fn with_reader(test: impl FnOnce(&Connection)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.db");
        create_missing(&path).unwrap();
        let _writer = open(&path, false).unwrap();
        test(&reader(&path).unwrap());
    }

    /// The index must be used even though SQLite plans the statement before the parameters are known.
    #[test]
    fn pages_are_read_through_an_index() {
        with_reader(|reader| {
            for (page, index) in [
                (&lead_statement::PAGE, "lead_by_age"),
                (&lead_statement::PAGE_OF_CLIENT, "lead_by_client"),
                (&lead_statement::PAGE_OF_STAGE, "lead_by_stage"),
                (&lead_statement::PAGE_OF_BOTH, "lead_by_both"),
            ] {
                let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {}", page.as_str())).unwrap();
                let mut steps = plan.raw_query();
                let step: String = steps.next().unwrap().unwrap().get(3).unwrap();
                assert!(step.contains(&format!("USING INDEX {index} ")), "{step}");
                assert!(steps.next().unwrap().is_none(), "{index}");
            }
        });
    }

    #[test]
    fn people_are_found_through_an_index() {
        with_reader(|reader| {
            for statement in settings::FIND_PERSON {
                let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
                let steps: Vec<String> = plan.raw_query().mapped(|row| row.get(3)).map(Result::unwrap).collect();
                assert!(
                    steps.iter().any(|step| step.contains("SEARCH member USING INDEX member_by_key ")),
                    "{steps:?}"
                );
                assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{steps:?}");
            }
        });
    }

    /// Changed parameters must not cause SQLite to prepare the statement again.
    #[test]
    fn statements_are_prepared_once() {
        with_reader(|reader| {
            for stage in ["one", "two", "three"] {
                let mut page = reader.prepare_cached(&lead_statement::PAGE_OF_STAGE).unwrap();
                let rows: Vec<String> = page
                    .query_map(("b1", stage, i64::MAX, "", 50, 0), |row| row.get(0))
                    .unwrap()
                    .map(Result::unwrap)
                    .collect();
                assert_eq!((rows.len(), page.get_status(StatementStatus::RePrepare)), (0, 0));
            }
        });
    }
}

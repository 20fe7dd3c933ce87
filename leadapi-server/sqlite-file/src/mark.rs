//! The mark: a flag in a file that is incomplete without its write-ahead log.

use rusqlite::{Connection, config::DbConfig};

use crate::{error::FileError, lineage};

/// Sets whether the log stays when the last connection is closed.
///
/// # Errors
///
/// Returns an error if SQLite fails.
pub fn keep_log_on_close(connection: &Connection, keep: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(drop)
}

/// The mark of a file that is incomplete without its write-ahead log. Only one connection of a process may write, and
/// it uses this value.
///
/// The first commit sets the mark, and an orderly close clears it. A file that has the mark and no log has lost its
/// log.
#[derive(Debug)]
pub struct Mark {
    store_id: String,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// This process has not written anything.
    Unset,
    /// The mark is only in the log.
    InLog,
    InFile,
}

impl Mark {
    /// Keeps the connection from removing the log when it is closed, until the mark is cleared.
    ///
    /// # Errors
    ///
    /// Returns an error if SQLite fails, for example because the file has no table `lineage`.
    pub fn of(connection: &Connection) -> rusqlite::Result<Self> {
        keep_log_on_close(connection, true)?;
        Ok(Self { store_id: lineage::store_id(connection)?, state: State::Unset })
    }

    /// Sets the mark and counts the commit, in the transaction that is about to be committed.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Overwritten`] if the file has the id of a different store, and a different error if SQLite
    /// fails.
    pub fn record_commit(&mut self, connection: &Connection) -> Result<(), FileError> {
        if connection.prepare_cached(lineage::RECORD_COMMIT)?.execute([&self.store_id])? != 1 {
            return Err(FileError::Overwritten);
        }
        if self.state == State::Unset {
            self.state = State::InLog;
        }
        Ok(())
    }

    /// Copies the mark from the log into the file, if it is not there yet. Without the mark in the file, nothing would
    /// reveal that the log was lost. If a reader of an old snapshot or a full disk prevents the copy, the next write
    /// tries again.
    pub fn copy_into_file(&mut self, connection: &Connection) {
        if self.state != State::InLog {
            return;
        }
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(1)?, row.get(2)?));
        let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), read);
        if copied.is_ok_and(|(logged, copied): (i64, i64)| logged == copied) {
            self.state = State::InFile;
        }
    }

    /// Clears the mark, and lets the connection copy the log into the file and remove it when it is closed.
    ///
    /// # Errors
    ///
    /// Returns an error if SQLite fails. The log then stays.
    pub fn clear(connection: &Connection) -> rusqlite::Result<()> {
        if lineage::read_mark(connection)? {
            connection.execute_batch(lineage::CLEAR_MARK)?;
        }
        keep_log_on_close(connection, false)
    }
}

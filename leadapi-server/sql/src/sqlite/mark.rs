//! The mark: a flag in a file that is incomplete without its write-ahead log.

use rusqlite::Connection;

use super::{lineage, open, session::map_error};
use crate::error::SqlError;

/// Sets and clears the mark.
#[derive(Debug)]
pub(super) struct Mark {
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

/// The error for a file that now has the id of a different store.
#[derive(Debug, thiserror::Error)]
#[error("another store was copied over the file while it was in use")]
struct Overwritten;

impl Mark {
    /// Keeps the connection from removing the log when it is closed, until the mark is cleared.
    pub(super) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        open::keep_log_on_close(connection, true)?;
        Ok(Self { store_id: lineage::store_id(connection)?, state: State::Unset })
    }

    /// Sets the mark and counts the commit, in the transaction that is about to be committed.
    pub(super) fn record_commit(&mut self, connection: &Connection) -> Result<(), SqlError> {
        let mut statement = connection.prepare_cached(lineage::RECORD_COMMIT).map_err(map_error)?;
        if statement.execute([&self.store_id]).map_err(map_error)? != 1 {
            return Err(SqlError::Fatal(std::sync::Arc::new(Overwritten)));
        }
        if self.state == State::Unset {
            self.state = State::InLog;
        }
        Ok(())
    }

    /// Copies the mark from the log into the file, if it is not there yet. Without the mark in the file, nothing would
    /// reveal that the log was lost. If a reader of an old snapshot or a full disk prevents the copy, the next write
    /// tries again.
    pub(super) fn copy_into_file(&mut self, connection: &Connection) {
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
    pub(super) fn clear(connection: &Connection) -> rusqlite::Result<()> {
        if lineage::read_mark(connection)? {
            connection.execute_batch(lineage::CLEAR_MARK)?;
        }
        open::keep_log_on_close(connection, false)
    }
}

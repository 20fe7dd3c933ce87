//! Distinguishes a full disk, an exhausted quota and a file size limit (`ulimit -f`) from a failed disk.
//!
//! SQLite reports a full disk as such, but the other two as an I/O error. In all three cases, the write has not reached
//! the log, the transaction is rolled back, and the next transaction may succeed. A failed *sync* always stops the
//! server, because the server cannot know which data reached the disk.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
    sync::Arc,
};

use rusqlite::ffi::SQLITE_IOERR_WRITE;
use uuid::Uuid;

use super::file::with_suffix;
use crate::error::SqlError;

/// The size of the probe file. A commit usually adds less to the log, so a quota that prevents the commit usually also
/// prevents the probe.
const PROBE_BYTES: usize = 64 << 10;

/// Makes a transaction's error non-fatal if a full disk or an exhausted quota caused it.
pub(super) fn classify(error: SqlError, database: &Path) -> SqlError {
    match error {
        SqlError::Fatal(cause) if is_failed_write(&cause) && is_exhausted(database) => SqlError::Other(cause),
        other => other,
    }
}

fn is_failed_write(cause: &Arc<dyn std::error::Error + Send + Sync>) -> bool {
    let cause = cause.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error);
    cause.is_some_and(|cause| cause.extended_code == SQLITE_IOERR_WRITE)
}

/// Returns whether writing a file next to the database fails for lack of space.
fn is_exhausted(database: &Path) -> bool {
    let probe = database.with_file_name(format!(".{}", Uuid::now_v7()));
    // The probe has as many bytes as the log, so that it meets the same limit. Only its end occupies space.
    let length = fs::metadata(with_suffix(database, "-wal")).map_or(0, |log| log.len());
    let written = write(&probe, length);
    fs::remove_file(&probe).unwrap_or_default();
    let is_exhausted =
        |kind| matches!(kind, ErrorKind::QuotaExceeded | ErrorKind::StorageFull | ErrorKind::FileTooLarge);
    written.is_err_and(|error| is_exhausted(error.kind()))
}

fn write(probe: &Path, at: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(probe)?;
    file.write_all_at(&vec![0; PROBE_BYTES], at)?;
    file.sync_all()
}

//! Distinguishes a full disk or an exhausted quota from a failed disk.
//!
//! SQLite reports a full disk as such, but an exhausted quota as an I/O error. In both cases, the write has not reached
//! the log, the transaction is rolled back, and the next transaction may succeed. A failed *sync* always stops the
//! server, because the server cannot know which data reached the disk.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Arc,
};

use rusqlite::ffi::SQLITE_IOERR_WRITE;
use uuid::Uuid;

use crate::store::error::SqlError;

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
    let written = write(&probe);
    fs::remove_file(&probe).unwrap_or_default();
    written.is_err_and(|error| matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::StorageFull))
}

fn write(probe: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(probe)?;
    file.write_all(&vec![0; PROBE_BYTES])?;
    file.sync_all()
}

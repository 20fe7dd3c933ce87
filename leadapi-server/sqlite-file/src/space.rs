//! Distinguishes a full disk, an exhausted quota and a file size limit (`ulimit -f`) from a failed disk.
//!
//! SQLite reports a full disk as such, but the other two as an I/O error. In all three cases, the write has not reached
//! the log, the transaction is rolled back, and the next transaction may succeed. A failed *sync* must always stop the
//! program, because the program cannot know which data reached the disk.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

use rusqlite::ffi::SQLITE_IOERR_WRITE;
use uuid::Uuid;

use crate::file::with_suffix;

/// The size of the probe file. A commit usually adds less to the log, so a quota that prevents the commit usually also
/// prevents the probe.
const PROBE_BYTES: usize = 64 << 10;

/// Returns whether SQLite failed to write because the disk of the database is full, or a quota or a limit exhausted.
pub fn is_out_of_space(cause: &rusqlite::Error, database: &Path) -> bool {
    let is_failed_write = cause.sqlite_error().is_some_and(|cause| cause.extended_code == SQLITE_IOERR_WRITE);
    is_failed_write && is_exhausted(database)
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

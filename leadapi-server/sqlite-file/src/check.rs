//! Checks a file before SQLite opens it.

use std::{fs::File, io::ErrorKind, os::unix::fs::FileExt, path::Path};

use crate::{descriptor::Descriptor, error::FileError, file, lineage};

/// Refuses a file that is not a database, or whose log is missing or belongs to another file. With `accept_loss`,
/// accepts a file whose log is missing.
///
/// The check is valid even while a server is writing to the file and its log.
///
/// # Errors
///
/// Returns an error if the file is refused or cannot be read.
pub fn check(path: &Path, accept_loss: bool) -> Result<(), FileError> {
    check_header(path)?;
    match lineage::check(&path.canonicalize()?) {
        Err(FileError::LostLog { .. }) if accept_loss => Ok(()),
        other => other,
    }
}

/// Refuses a file that is neither empty nor a database. SQLite treats a file shorter than the header as an empty
/// database, and would overwrite it.
fn check_header(path: &Path) -> Result<(), FileError> {
    const MAGIC: [u8; 16] = *b"SQLite format 3\0";
    let descriptor = Descriptor::new(File::open(path).map_err(|error| FileError::of_path(path, error))?)?;
    let mut header = [0; MAGIC.len()];
    let Some(file) = descriptor.file() else { return Ok(()) };
    // After a crash in the first checkpoint, the log contains the header.
    if file.metadata()?.len() == 0 || file::has_log(path)? {
        return Ok(());
    }
    match file.read_exact_at(&mut header, 0) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(error.into()),
        Ok(()) if header == MAGIC => Ok(()),
        _ => Err(FileError::NotADatabase),
    }
}

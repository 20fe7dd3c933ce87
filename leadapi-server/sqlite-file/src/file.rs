//! Names, creates and syncs the files of a database.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

/// The identity of a file: device and inode number.
pub(crate) type Inode = (u64, u64);

pub(crate) fn inode(path: &Path) -> io::Result<Inode> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// Creates an empty file that only its owner can access, and syncs the file and its directory entry to disk.
///
/// # Errors
///
/// Returns an error if the file exists, or if the file system fails.
pub fn create(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.sync_all()?;
    sync_folder(path)
}

/// Returns the path with a suffix added to the file name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns whether a database has a write-ahead log. If the path is a symbolic link, the log is next to its target.
///
/// # Errors
///
/// Returns an error if the database does not exist or cannot be looked up.
pub fn has_log(path: &Path) -> io::Result<bool> {
    with_suffix(&path.canonicalize()?, "-wal").try_exists()
}

/// Returns a URI that makes SQLite read the file alone, without locks and without its log.
pub fn immutable_uri(path: &Path) -> String {
    const RESERVED: AsciiSet = CONTROLS.add(b'%').add(b'?').add(b'#').add(b' ');
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("file://{}?immutable=1", percent_encode(path.as_os_str().as_encoded_bytes(), &RESERVED))
}

/// Syncs a file and its directory entry to disk.
///
/// # Errors
///
/// Returns an error if the file system fails.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    sync_folder(path)
}

/// Syncs the directory entry of a file to disk.
///
/// # Errors
///
/// Returns an error if the file system fails.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// Returns the folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Removes a file that may not exist.
///
/// # Errors
///
/// Returns an error if the file exists and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

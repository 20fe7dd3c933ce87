//! Restores a store from a backup.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use leadapi_core::model::Timestamp;
use rusqlite::{Connection, backup::Backup};
use uuid::Uuid;

use super::{
    error::OpenError,
    file::{self, with_suffix},
    lineage,
    lock::FileLock,
    open,
};

/// Replaces a store with a copy of a backup, or creates it from the backup. Returns the path of the former store, if
/// one existed.
///
/// After a crash, the path holds the former store, the restored store, or a file and a log that every server refuses to
/// open. It never holds a mixture of both stores.
pub(crate) fn restore(backup: &Path, to: &Path, replace: bool) -> Result<Option<PathBuf>, OpenError> {
    let exists = to.try_exists()?;
    if exists && !replace {
        return Err(OpenError::Exists);
    }
    let to = if exists { to.canonicalize()? } else { std::path::absolute(to)? };
    let _lock = exists.then(|| FileLock::acquire(&to)).transpose()?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let copy = Incomplete(to.with_file_name(format!(".{name}.{}", Uuid::now_v7())));
    copy_and_check(backup, &copy.0)?;
    let kept = exists.then(|| keep_former(&to)).transpose()?;
    fs::rename(&copy.0, &to)?;
    // Up to this point, the former store's log may be next to the restored file. If the process crashes here, the
    // checks in `lineage` reject the pair.
    for suffix in ["-wal", "-shm"] {
        remove(&with_suffix(&to, suffix))?;
    }
    file::sync_folder(&to)?;
    Ok(kept)
}

/// A copy that is deleted on drop unless it has been renamed.
struct Incomplete(PathBuf);

impl Drop for Incomplete {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            remove(&with_suffix(&self.0, suffix)).unwrap_or_default();
        }
    }
}

/// Copies a backup including its log, checks every page and index of the copy, and assigns it a new id.
fn copy_and_check(backup: &Path, to: &Path) -> Result<(), OpenError> {
    const PAGES: i32 = 4_096;
    lineage::check(&backup.canonicalize()?)?;
    let source = open::reader(backup)?;
    if open::check(&source)? == 0 {
        return Err(OpenError::Foreign);
    }
    file::create(to)?;
    let mut copy = Connection::open(to)?;
    Backup::new(&source, &mut copy)?.run_to_completion(PAGES, std::time::Duration::ZERO, None)?;
    let found: String = copy.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    if found != "ok" {
        return Err(OpenError::Damaged(backup.to_owned(), found.replace('\n', " ")));
    }
    copy.close().map_err(|(_, error)| error)?;
    // Also migrates the copy, because the first version of the schema has no `lineage` table.
    let copy = open::open(to)?;
    lineage::assign_new_id(&copy)?;
    copy.close().map_err(|(_, error)| error)?;
    file::sync(to)?;
    Ok(())
}

/// Keeps the former store, including every acknowledged write, under a second name, and returns that name.
fn keep_former(store: &Path) -> Result<PathBuf, OpenError> {
    // Runs a checkpoint, if the log belongs to the file and both can still be read.
    if lineage::check(store).is_ok()
        && let Ok(former) = open::writable(store)
    {
        former.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap_or_default();
    }
    let kept = with_suffix(store, &format!(".replaced-{}", Timestamp::now().to_string().replace(['-', ':', '.'], "")));
    fs::hard_link(store, &kept)?;
    match fs::hard_link(with_suffix(store, "-wal"), with_suffix(&kept, "-wal")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(kept),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

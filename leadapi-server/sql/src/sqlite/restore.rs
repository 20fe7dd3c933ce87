//! Restores a store from a backup.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use leadapi_core::model::Timestamp;
use leadapi_sqlite_file::{
    Allowed, FileError, FileLock, Mark, assign_new_id, check,
    file::{self, remove, with_suffix},
};
use rusqlite::{Connection, backup::Backup};
use uuid::Uuid;

use super::{error::OpenError, open};

/// Replaces a store with a copy of a backup, or creates it from the backup. Returns the path of the former store, if
/// one existed. Fails if a process has the store open. With `accept_loss`, also restores a file whose log was lost.
///
/// After a crash, the path holds the former store, the restored store, or a file and a log that every server refuses to
/// open. It never holds a mixture of both stores.
pub(crate) fn restore(
    backup: &Path,
    to: &Path,
    replace: bool,
    accept_loss: bool,
) -> Result<Option<PathBuf>, OpenError> {
    let exists = to.try_exists().map_err(|error| FileError::of_path(to, error))?;
    if exists && !replace {
        return Err(OpenError::Exists);
    }
    let to = if exists { to.canonicalize()? } else { std::path::absolute(to)? };
    let lock = exists.then(|| FileLock::exclusive(&to)).transpose()?;
    remove_leftovers(&to);
    let copy = Incomplete(to.with_file_name(format!("{}{}", copy_prefix(&to), Uuid::now_v7())));
    // Until the restore is complete, nobody can open the copy, under its own name or under the name of the store.
    let copy_lock = FileLock::create(&copy.0)?;
    copy_and_check(backup, &copy.0, accept_loss)?;
    let kept = match &lock {
        Some(lock) if lock.is_current()? => {
            let kept = keep_former(&to)?;
            fs::rename(&copy.0, &to)?;
            Some(kept)
        }
        Some(_) => return Err(FileError::Changed.into()),
        // Unlike a rename, a link does not replace a store that was created in the meantime.
        None => match fs::hard_link(&copy.0, &to) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(FileError::Changed.into()),
            linked => linked.map(|()| None)?,
        },
    };
    // Up to this point, the former store's log may be next to the restored file. If the process crashes here, the
    // check of the log rejects the pair.
    for suffix in ["-wal", "-shm"] {
        remove(&with_suffix(&to, suffix))?;
    }
    file::sync_folder(&to)?;
    drop(copy_lock);
    Ok(kept)
}

/// A copy that is deleted on drop unless it has been renamed.
struct Incomplete(PathBuf);

impl Drop for Incomplete {
    fn drop(&mut self) {
        remove_copy(&self.0);
    }
}

fn remove_copy(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        remove(&with_suffix(path, suffix)).unwrap_or_default();
    }
}

/// The names of the copies of a store begin with this prefix, and end with a UUID.
fn copy_prefix(to: &Path) -> String {
    format!(".{}.", to.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes the copies that killed restores have left behind. The copy of a running restore is locked.
fn remove_leftovers(to: &Path) {
    let prefix = copy_prefix(to);
    let is_copy = |name: &str| name.strip_prefix(&prefix).is_some_and(|id| Uuid::try_parse(id).is_ok());
    for entry in fs::read_dir(file::folder(to)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_copy)
            && let Ok(_lock) = FileLock::exclusive(&entry.path())
        {
            remove_copy(&entry.path());
        }
    }
}

/// Copies a backup including its log, checks every page and index of the copy, and assigns it a new id.
fn copy_and_check(backup: &Path, to: &Path, accept_loss: bool) -> Result<(), OpenError> {
    const PAGES: i32 = 4_096;
    let allowed = Allowed::of(backup).map_err(FileError::from)?;
    let index = with_suffix(&backup.canonicalize()?, "-shm");
    let had_index = index.exists();
    let (source, _lock) = open_backup(backup, accept_loss)?;
    if open::check(&source)? == 0 {
        return Err(OpenError::Foreign);
    }
    let mut copy = Connection::open(to)?;
    Backup::new(&source, &mut copy)?.run_to_completion(PAGES, std::time::Duration::ZERO, None)?;
    let found: String = copy.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    if found != "ok" {
        return Err(OpenError::Damaged(backup.to_owned(), found.replace('\n', " ")));
    }
    copy.close().map_err(|(_, error)| error)?;
    source.close().map_err(|(_, error)| error)?;
    // Reading a log creates its index.
    if !had_index && allowed == Allowed::Write {
        remove(&index)?;
    }
    // Also migrates the copy, because the first version of the schema has no `lineage` table.
    let copy = open::open(to, true)?;
    assign_new_id(&copy)?;
    Mark::clear(&copy)?;
    copy.close().map_err(|(_, error)| error)?;
    file::sync(to)?;
    Ok(())
}

/// Opens a backup. A backup without a log is read without creating files next to it, and its lock keeps others from
/// writing to it.
fn open_backup(backup: &Path, accept_loss: bool) -> Result<(Connection, FileLock), OpenError> {
    let lock = FileLock::shared(backup)?;
    if !file::has_log(backup)? {
        check(backup, accept_loss)?;
        return Ok((open::immutable_reader(backup)?, lock));
    }
    drop(lock);
    if Allowed::of(backup).map_err(FileError::from)? == Allowed::Read {
        return Err(FileError::log_is_unreadable(backup).into());
    }
    let lock = FileLock::open(backup)?;
    check(backup, accept_loss)?;
    lock.share()?;
    Ok((open::reader(backup)?, lock))
}

/// Keeps the former store, including every acknowledged write, under a second name, and returns that name.
fn keep_former(store: &Path) -> Result<PathBuf, OpenError> {
    // Closes the former store in an orderly way, if the log belongs to the file and both can still be read.
    if check(store, false).is_ok()
        && let Ok(former) = open::writable(store)
        && Mark::of(&former).is_ok()
    {
        // If this fails, the former store still needs its log, which is also kept.
        Mark::clear(&former).unwrap_or_default();
    }
    let kept = with_suffix(store, &format!(".replaced-{}", Timestamp::now().to_string().replace(['-', ':', '.'], "")));
    fs::hard_link(store, &kept)?;
    match fs::hard_link(with_suffix(store, "-wal"), with_suffix(&kept, "-wal")) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(kept),
    }
}

//! Checks whether the process may change a store, and explains why not.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, access},
    io::Errno,
    process::geteuid,
};

use crate::file;

/// The mode bits that let other users read a file.
const READABLE_BY_OTHERS: u32 = 0o077;

/// The error for a file or folder that the user of the process may not access as required.
#[derive(Debug, thiserror::Error)]
#[error(
    "this process runs as {user} and may not {right} {}, which belongs to {owner} and has mode {mode:04o}{hint}",
    path.display()
)]
pub struct Denied {
    path: PathBuf,
    right: &'static str,
    owner: String,
    mode: u32,
    user: String,
    hint: String,
}

/// What the process may do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// The file and its folder can be written.
    Write,
    /// The file or its folder cannot be written, for example because the file system is read-only.
    Read,
}

impl Allowed {
    /// Determines what the process may do with an existing file. SQLite also needs to create files in its folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the process may not read the file.
    pub fn of(path: &Path) -> Result<Self, Denied> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if may(&target, Access::READ_OK) {
            let is_writable = may(&target, Access::WRITE_OK) && may(file::folder(&target), Access::WRITE_OK);
            return Ok(if is_writable { Self::Write } else { Self::Read });
        }
        // Any other error is reported by the attempt to open the file.
        Denied::of(&target).map_or(Ok(Self::Write), Err)
    }
}

impl Denied {
    /// Returns the first missing right of those needed to read and write the file and to create files in its folder, or
    /// `None` if the user has all of them.
    pub fn of(path: &Path) -> Option<Self> {
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = file::folder(path);
        let rights = [
            (folder, Access::EXEC_OK, "enter"),
            (path, Access::READ_OK, "read"),
            (path, Access::WRITE_OK, "write"),
            (folder, Access::WRITE_OK, "create files in"),
        ];
        let (path, refused, right) = rights.into_iter().find(|(path, right, _)| !may(path, *right))?;
        let metadata = fs::metadata(path).ok()?;
        let owner = user(metadata.uid());
        let hint = match access(path, refused) {
            Err(Errno::ROFS) => ": the file system is read-only".to_owned(),
            _ if metadata.uid() == geteuid().as_raw() => ": change the mode with chmod".to_owned(),
            _ => format!(": run it as {owner}, or change the owner with chown"),
        };
        Some(Self {
            path: path.to_owned(),
            right,
            owner,
            mode: metadata.mode() & 0o7777,
            user: user(geteuid().as_raw()),
            hint,
        })
    }
}

/// Returns whether the process has the right. If the check fails for a reason other than a missing right, returns
/// `true`, because the attempt to use the right will report the error.
fn may(path: &Path, right: Access) -> bool {
    !matches!(access(path, right), Err(Errno::ACCESS | Errno::ROFS | Errno::PERM))
}

/// Returns a user's name and number.
fn user(id: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    });
    match name {
        Some(name) => format!("{name} (user {id})"),
        None => format!("user {id}"),
    }
}

/// Returns the mode of a file if users other than its owner can access the file, otherwise `None`. SQLite gives the
/// file's log the same mode.
///
/// # Errors
///
/// Returns an error if the file cannot be looked up.
pub fn mode_for_others(path: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(path)?.mode() & 0o777;
    Ok((mode & READABLE_BY_OTHERS != 0).then_some(mode))
}

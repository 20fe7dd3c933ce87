//! Simulates power losses with a disk that keeps only synced data.
//!
//! `shim.c` documents which writes the simulated disk makes durable, and which writes the simulation does not support.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

use tempfile::TempDir;

/// Adds this delay to each sync of a process, to measure the effect of a slower disk.
pub fn slow_syncs(command: &mut Command, longer: Duration) {
    command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
    command.env("LEADAPI_POWERLOSS_SLOWER", longer.as_micros().to_string());
}

/// A directory on a disk that a test can fill up.
#[derive(Debug)]
pub struct FullDisk {
    /// A flag file. If it contains an errno, every write to the directory fails with that error.
    flag: PathBuf,
}

impl FullDisk {
    /// The errno for "no space left on device".
    pub const ENOSPC: i32 = 28;
    /// The errno for "file too large", beyond the limit of the process.
    pub const EFBIG: i32 = 27;
    /// The errno for an I/O error, after which the state of the disk is unknown.
    pub const EIO: i32 = 5;
    /// The errno for "disk quota exceeded".
    pub const EDQUOT: i32 = 122;

    /// Creates a disk with free space.
    ///
    /// # Panics
    ///
    /// Panics if the directory does not exist.
    pub fn new(folder: &Path) -> Self {
        Self { flag: folder.canonicalize().unwrap().join("full") }
    }

    /// Makes a process use this disk.
    pub fn command(&self, command: &mut Command) {
        command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
        command.env("LEADAPI_POWERLOSS_FULL", &self.flag);
    }

    /// Makes all later writes fail with this errno.
    ///
    /// # Panics
    ///
    /// Panics if the directory no longer exists.
    pub fn fill(&self, errno: i32) {
        fs::write(&self.flag, errno.to_string()).unwrap();
    }

    /// Makes writes succeed again.
    ///
    /// # Panics
    ///
    /// Panics if the disk is not full.
    pub fn empty(&self) {
        fs::remove_file(&self.flag).unwrap();
    }
}

/// A directory on a disk that can lose power.
#[derive(Debug)]
pub struct PowerLoss {
    disk: PathBuf,
    mirror: TempDir,
}

impl PowerLoss {
    /// Creates a disk on which the current contents of the directory are durable.
    ///
    /// # Panics
    ///
    /// Panics if the directory cannot be read.
    pub fn new(disk: &Path) -> Self {
        let mirror = tempfile::tempdir().unwrap();
        fs::create_dir(mirror.path().join("inodes")).unwrap();
        let kit = Self { disk: disk.canonicalize().unwrap(), mirror };
        copy(&kit.disk, &kit.names(), &|file, name| {
            let inode = kit.mirror.path().join(format!("inodes/{}", file.metadata()?.ino()));
            fs::copy(file, &inode)?;
            fs::hard_link(inode, name)
        });
        kit
    }

    /// Makes a process use this disk. Only one process at a time may use the disk; a second one may start after the
    /// first has exited.
    pub fn command(&self, command: &mut Command) {
        command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
        command.env("LEADAPI_POWERLOSS_DISK", &self.disk);
        command.env("LEADAPI_POWERLOSS_MIRROR", self.mirror.path());
    }

    /// Kills the process, and returns a directory with the contents of the disk after the power loss.
    ///
    /// # Panics
    ///
    /// Panics if the process cannot be killed or the returned directory cannot be written.
    pub fn cut(self, process: &mut Child) -> TempDir {
        process.kill().unwrap();
        process.wait().unwrap();
        let found = tempfile::tempdir().unwrap();
        copy(&self.names(), found.path(), &|file, name| fs::copy(file, name).map(drop));
        found
    }

    fn names(&self) -> PathBuf {
        self.mirror.path().join("names")
    }
}

/// Recreates the directory tree `from` in `to`, and calls `file` to copy each file.
fn copy(from: &Path, to: &Path, file: &impl Fn(&Path, &Path) -> io::Result<()>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, file);
        } else {
            file(&entry.path(), &target).unwrap();
        }
    }
}

//! Power losses: a disk that keeps only what was synced.
//!
//! The shim says what it takes for durable, and what it does not see.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

use tempfile::TempDir;

/// A process whose disk takes so much longer for each sync, to measure what a disk slower than this machine's would do.
pub fn slow_syncs(command: &mut Command, longer: Duration) {
    command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
    command.env("LEADAPI_POWERLOSS_SLOWER", longer.as_micros().to_string());
}

/// A folder whose disk can be full.
#[derive(Debug)]
pub struct FullDisk {
    /// While it holds the number of an error, writes to the folder fail with that.
    flag: PathBuf,
}

impl FullDisk {
    /// No space is left on the device.
    pub const ENOSPC: i32 = 28;
    /// The quota of the user is exhausted.
    pub const EDQUOT: i32 = 122;

    /// A disk with space.
    ///
    /// # Panics
    ///
    /// When the folder does not exist.
    pub fn new(folder: &Path) -> Self {
        Self { flag: folder.canonicalize().unwrap().join("full") }
    }

    /// A process that meets this disk.
    pub fn command(&self, command: &mut Command) {
        command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
        command.env("LEADAPI_POWERLOSS_FULL", &self.flag);
    }

    /// Every write fails with this error from now on.
    ///
    /// # Panics
    ///
    /// When the folder is gone.
    pub fn fill(&self, errno: i32) {
        fs::write(&self.flag, errno.to_string()).unwrap();
    }

    /// There is space again.
    ///
    /// # Panics
    ///
    /// When it was not full.
    pub fn empty(&self) {
        fs::remove_file(&self.flag).unwrap();
    }
}

/// A folder whose disk can lose its power.
#[derive(Debug)]
pub struct PowerLoss {
    disk: PathBuf,
    mirror: TempDir,
}

impl PowerLoss {
    /// All that is in the folder now is durable.
    ///
    /// # Panics
    ///
    /// When the folder cannot be read.
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

    /// A process that will feel the power loss. It is one at a time, though one after the other is fine.
    pub fn command(&self, command: &mut Command) {
        command.env("LD_PRELOAD", env!("LEADAPI_POWERLOSS_SHIM"));
        command.env("LEADAPI_POWERLOSS_DISK", &self.disk);
        command.env("LEADAPI_POWERLOSS_MIRROR", self.mirror.path());
    }

    /// Takes the power away, and returns the disk as it is found when the power is back.
    ///
    /// # Panics
    ///
    /// When the process cannot be killed, or there is no place for the disk.
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

/// Makes the folders of one folder in another, and lets the files be made.
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

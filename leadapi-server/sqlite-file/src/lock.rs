//! The locks on a store.
//!
//! Each process that opens a store holds a shared [`FileLock`], so that a restore, which needs an exclusive one, does
//! not replace a file that is in use. A server also holds a [`ServerLock`], so that no other server serves the file.
//!
//! On Linux, a `FileLock` is a lock (`flock`) on the database itself, so it also covers hard links. These locks are
//! independent of SQLite's locks (`fcntl`). On other systems, the two kinds of locks may conflict, so a file next to
//! the database is locked instead.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use uuid::Uuid;

use crate::{
    BUSY_TIMEOUT,
    descriptor::Descriptor,
    error::FileError,
    file::{self, with_suffix},
    lock_holder,
};

/// Whether the database itself is locked, instead of a file next to it.
const LOCKS_DATABASE: bool = cfg!(target_os = "linux");

/// The interval between attempts to lock a store that another process is opening or restoring.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// A lock on a store, released on drop. It must be dropped after the last connection.
#[derive(Debug)]
pub struct FileLock {
    descriptor: Descriptor,
    path: PathBuf,
}

/// The result of an attempt to lock a file.
enum Attempt {
    Locked,
    Refused,
}

impl FileLock {
    /// Locks an existing store to open it. The lock is exclusive if no other process has the store open, and otherwise
    /// shared. [`share`](Self::share) makes it shared.
    ///
    /// If processes used two names (hard links) of a file, each name would have its own write-ahead log, and the two
    /// logs would corrupt the file. Only the first process may therefore open a file without a log: if other processes
    /// have the file open although there is no log, they use a different name.
    ///
    /// # Errors
    ///
    /// Returns an error if another process still has an exclusive lock after [`BUSY_TIMEOUT`], or uses another name of
    /// the file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::acquire(path, |lock| {
            if let Attempt::Locked = lock.try_exclusive()? {
                return Ok(None);
            }
            match lock.try_shared()? {
                Attempt::Refused => Ok(Some(lock.refused())),
                Attempt::Locked if file::has_log(path)? => Ok(None),
                Attempt::Locked => Ok(Some(FileError::OtherName(lock.holder()))),
            }
        })
    }

    /// Locks a store that has no log, in order to read it.
    ///
    /// # Errors
    ///
    /// Returns an error if another process still has an exclusive lock after [`BUSY_TIMEOUT`].
    pub fn shared(path: &Path) -> Result<Self, FileError> {
        Self::acquire(path, |lock| match lock.try_shared()? {
            Attempt::Locked => Ok(None),
            Attempt::Refused => Ok(Some(lock.refused())),
        })
    }

    /// Locks a store exclusively.
    ///
    /// # Errors
    ///
    /// Returns an error if another process has the file open, or has replaced it at the same time.
    pub fn exclusive(path: &Path) -> Result<Self, FileError> {
        let lock = Self::unlocked(path)?;
        match lock.try_exclusive()? {
            Attempt::Locked if lock.is_current()? => Ok(lock),
            Attempt::Locked => Err(FileError::Changed),
            Attempt::Refused => Err(FileError::InUse(lock.holder())),
        }
    }

    /// Creates a file that only its owner can access, and locks it before another process can notice it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists or cannot be created.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
        let file = file.map_err(|error| FileError::of_path(path, error))?;
        let lock = if LOCKS_DATABASE {
            Self { descriptor: Descriptor::new(file)?, path: path.to_owned() }
        } else {
            Self::unlocked(path)?
        };
        match lock.try_exclusive()? {
            Attempt::Locked if lock.is_current()? => Ok(lock),
            _ => Err(FileError::Changed),
        }
    }

    /// Repeats an attempt until it succeeds, or until the other process has had time to finish opening or closing the
    /// store. The file may be replaced in the meantime.
    fn acquire(
        path: &Path,
        attempt: impl Fn(&Self) -> Result<Option<FileError>, FileError>,
    ) -> Result<Self, FileError> {
        let started = Instant::now();
        let mut lock = Self::unlocked(path)?;
        loop {
            let refused = match attempt(&lock)? {
                None if lock.is_current()? => return Ok(lock),
                None => FileError::Changed,
                Some(refused) => refused,
            };
            if started.elapsed() > BUSY_TIMEOUT {
                return Err(refused);
            }
            lock.descriptor.unlock();
            // Processes that started at the same time must not stay in step. The last bits of a version 7 UUID are
            // random.
            let jitter = u64::try_from(Uuid::now_v7().as_u128() % 10).unwrap_or_default();
            thread::sleep(RETRY_INTERVAL + Duration::from_millis(jitter));
            if !lock.is_current()? {
                lock = Self::unlocked(path)?;
            }
        }
    }

    fn unlocked(path: &Path) -> Result<Self, FileError> {
        let target = path.canonicalize()?;
        let path = if LOCKS_DATABASE { target } else { with_suffix(&target, "-open") };
        let descriptor = if LOCKS_DATABASE { File::open(&path) } else { open_lock_file(&path) };
        Ok(Self { descriptor: Descriptor::new(descriptor?)?, path })
    }

    /// Makes the lock shared. Fails if a restore has locked the store in the meantime.
    ///
    /// # Errors
    ///
    /// Returns an error if another process has an exclusive lock.
    pub fn share(&self) -> Result<(), FileError> {
        match self.try_shared()? {
            Attempt::Locked => Ok(()),
            Attempt::Refused => Err(self.refused()),
        }
    }

    /// Tries to make the lock exclusive, so that nobody can open the store until this lock is dropped. Returns whether
    /// it succeeded. Otherwise, other processes still have the store open, and this lock is lost.
    pub fn is_last(&self) -> bool {
        let is_last = matches!(self.descriptor.file().map(File::try_lock), Some(Ok(())));
        if is_last && !LOCKS_DATABASE {
            // A process that has already opened the lock file notices that the file no longer has its name.
            std::fs::remove_file(&self.path).unwrap_or_default();
        }
        is_last
    }

    fn try_exclusive(&self) -> Result<Attempt, FileError> {
        attempt(self.descriptor.file().map(File::try_lock))
    }

    fn try_shared(&self) -> Result<Attempt, FileError> {
        attempt(self.descriptor.file().map(File::try_lock_shared))
    }

    /// Returns whether the path still names the locked file.
    ///
    /// # Errors
    ///
    /// Returns an error if the path cannot be looked up.
    pub fn is_current(&self) -> io::Result<bool> {
        match file::inode(&self.path) {
            Ok(inode) => Ok(inode == self.descriptor.inode()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn refused(&self) -> FileError {
        FileError::InUseExclusively(self.holder())
    }

    fn holder(&self) -> String {
        lock_holder::describe(self.descriptor.inode())
    }
}

/// Returns the result of an attempt. On a file system without locks, every attempt succeeds, and only the checks after
/// each commit protect the store.
fn attempt(done: Option<Result<(), TryLockError>>) -> Result<Attempt, FileError> {
    match done {
        None | Some(Ok(())) => Ok(Attempt::Locked),
        Some(Err(TryLockError::WouldBlock)) => Ok(Attempt::Refused),
        Some(Err(TryLockError::Error(error))) if has_no_locks(&error) => Ok(Attempt::Locked),
        Some(Err(TryLockError::Error(error))) => Err(error.into()),
    }
}

fn has_no_locks(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    error.kind() == ErrorKind::Unsupported || code == Some(rustix::io::Errno::NOLCK.raw_os_error())
}

/// A lock that prevents a second server from serving the same file, released on drop.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Locks a file next to the database.
    ///
    /// # Errors
    ///
    /// Returns an error if another server is serving the database, or if the file cannot be created.
    pub fn acquire(path: &Path) -> Result<Self, FileError> {
        let file = open_lock_file(&with_suffix(&path.canonicalize()?, "-lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(FileError::Served),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

fn open_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

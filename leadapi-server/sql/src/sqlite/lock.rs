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

use super::{
    BUSY_TIMEOUT,
    descriptor::Descriptor,
    error::OpenError,
    file::{self, with_suffix},
    lock_holder,
};

/// Whether the database itself is locked, instead of a file next to it.
const LOCKS_DATABASE: bool = cfg!(target_os = "linux");

/// The interval between attempts to lock a store that another process is opening or restoring.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// A lock on a store, released on drop. It must be dropped after the last connection.
#[derive(Debug)]
pub(super) struct FileLock {
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
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        Self::acquire(path, |lock| {
            if let Attempt::Locked = lock.try_exclusive()? {
                return Ok(None);
            }
            match lock.try_shared()? {
                Attempt::Refused => Ok(Some(lock.refused())),
                Attempt::Locked if file::has_log(path)? => Ok(None),
                Attempt::Locked => Ok(Some(OpenError::OtherName(lock.holder()))),
            }
        })
    }

    /// Locks a store that has no log, in order to read it.
    pub(super) fn shared(path: &Path) -> Result<Self, OpenError> {
        Self::acquire(path, |lock| match lock.try_shared()? {
            Attempt::Locked => Ok(None),
            Attempt::Refused => Ok(Some(lock.refused())),
        })
    }

    /// Locks a store exclusively. Fails if another process has the store open.
    pub(super) fn exclusive(path: &Path) -> Result<Self, OpenError> {
        let lock = Self::unlocked(path)?;
        match lock.try_exclusive()? {
            Attempt::Locked if lock.is_current()? => Ok(lock),
            Attempt::Locked => Err(OpenError::Changed),
            Attempt::Refused => Err(OpenError::InUse(lock.holder())),
        }
    }

    /// Creates a file that only its owner can access, and locks it before another process can notice it.
    pub(super) fn create(path: &Path) -> Result<Self, OpenError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
        let file = file.map_err(|error| OpenError::of_path(path, error))?;
        let lock = if LOCKS_DATABASE {
            Self { descriptor: Descriptor::new(file)?, path: path.to_owned() }
        } else {
            Self::unlocked(path)?
        };
        match lock.try_exclusive()? {
            Attempt::Locked if lock.is_current()? => Ok(lock),
            _ => Err(OpenError::Changed),
        }
    }

    /// Repeats an attempt until it succeeds, or until the other process has had time to finish opening or closing the
    /// store. The file may be replaced in the meantime.
    fn acquire(
        path: &Path,
        attempt: impl Fn(&Self) -> Result<Option<OpenError>, OpenError>,
    ) -> Result<Self, OpenError> {
        let started = Instant::now();
        let mut lock = Self::unlocked(path)?;
        loop {
            let refused = match attempt(&lock)? {
                None if lock.is_current()? => return Ok(lock),
                None => OpenError::Changed,
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

    fn unlocked(path: &Path) -> Result<Self, OpenError> {
        let target = path.canonicalize()?;
        let path = if LOCKS_DATABASE { target } else { with_suffix(&target, "-open") };
        let descriptor = if LOCKS_DATABASE { File::open(&path) } else { open_lock_file(&path) };
        Ok(Self { descriptor: Descriptor::new(descriptor?)?, path })
    }

    /// Makes the lock shared. Fails if a restore has locked the store in the meantime.
    pub(super) fn share(&self) -> Result<(), OpenError> {
        match self.try_shared()? {
            Attempt::Locked => Ok(()),
            Attempt::Refused => Err(self.refused()),
        }
    }

    /// Tries to make the lock exclusive, so that nobody can open the store until this lock is dropped. Returns whether
    /// it succeeded. Otherwise, other processes still have the store open, and this lock is lost.
    pub(super) fn is_last(&self) -> bool {
        let is_last = matches!(self.descriptor.file().map(File::try_lock), Some(Ok(())));
        if is_last && !LOCKS_DATABASE {
            // A process that has already opened the lock file notices that the file no longer has its name.
            std::fs::remove_file(&self.path).unwrap_or_default();
        }
        is_last
    }

    fn try_exclusive(&self) -> Result<Attempt, OpenError> {
        attempt(self.descriptor.file().map(File::try_lock))
    }

    fn try_shared(&self) -> Result<Attempt, OpenError> {
        attempt(self.descriptor.file().map(File::try_lock_shared))
    }

    /// Returns whether the path still names the locked file.
    pub(super) fn is_current(&self) -> io::Result<bool> {
        match file::inode(&self.path) {
            Ok(inode) => Ok(inode == self.descriptor.inode()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn refused(&self) -> OpenError {
        OpenError::InUseExclusively(self.holder())
    }

    fn holder(&self) -> String {
        lock_holder::describe(self.descriptor.inode())
    }
}

/// Returns the result of an attempt. On a file system without locks, every attempt succeeds, and only the checks after
/// each commit protect the store.
fn attempt(done: Option<Result<(), TryLockError>>) -> Result<Attempt, OpenError> {
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
pub(super) struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Locks a file next to the database. Fails if another server is serving the database.
    pub(super) fn acquire(path: &Path) -> Result<Self, OpenError> {
        let file = open_lock_file(&with_suffix(&path.canonicalize()?, "-lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OpenError::Served),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

fn open_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

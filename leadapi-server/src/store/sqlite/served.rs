//! Checks that the paths of a served database still refer to the same files.
//!
//! SQLite continues to write to a file that was deleted, replaced or moved. Later writes would be acknowledged, but
//! lost or stored in an unexpected file.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{Health, error::OpenError, file::with_suffix};

/// The interval between checks. A check also runs after each commit.
const INTERVAL: Duration = Duration::from_secs(1);

/// The identities of the database, its write-ahead log, the log index and the lock file when the server started.
#[derive(Debug)]
pub(super) struct ServedFiles(Vec<(PathBuf, Inode)>);

/// The identity of a file: device and inode number.
type Inode = (u64, u64);

/// The error for a path that no longer refers to the served file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Displaced {
    #[error("{} was deleted or moved while it was being served", .0.display())]
    Missing(PathBuf),
    #[error("{} was replaced while it was being served", .0.display())]
    Replaced(PathBuf),
    #[error("cannot look up {}", .0.display())]
    Unknown(PathBuf, #[source] io::Error),
}

impl ServedFiles {
    /// Records a database's files. The database must be open, so that its log exists.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        // If the path is a symbolic link, the other files are next to the link's target and named after the target.
        let target = path.canonicalize()?;
        let files = ["", "-wal", "-shm", "-lock"].map(|suffix| with_suffix(&target, suffix));
        let names = files.into_iter().chain([std::path::absolute(path)?]);
        names.map(|name| Ok((name.clone(), inode(&name)?))).collect::<io::Result<_>>().map(Self)
    }

    pub(super) fn check(&self) -> Result<(), Displaced> {
        self.0.iter().try_for_each(|(name, served)| match inode(name) {
            Ok(found) if found == *served => Ok(()),
            Ok(_) => Err(Displaced::Replaced(name.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Displaced::Missing(name.clone())),
            Err(error) => Err(Displaced::Unknown(name.clone(), error)),
        })
    }
}

fn inode(path: &Path) -> io::Result<Inode> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// A handle to the thread that checks the served files every second. Dropping the handle stops the thread.
#[derive(Debug)]
pub(super) struct Watch {
    _stop: Sender<()>,
}

impl Watch {
    pub(super) fn start(health: Arc<Health>) -> Result<Self, OpenError> {
        let (stop, stopped) = channel();
        let watch = move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if health.confirm().is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("leadapi-sqlite-watch".into()).spawn(watch).map_err(OpenError::Thread)?;
        Ok(Self { _stop: stop })
    }
}

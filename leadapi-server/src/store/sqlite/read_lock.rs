//! Holds the lock on the log that all readers share, for longer than one read.
//!
//! Each read takes and releases this lock. That takes two system calls, a third of the time of a short read. SQLite
//! makes no system call for a lock that the process already holds. So while others read, one more connection stays in a
//! read transaction.
//!
//! That transaction keeps newer commits from being checkpointed. Therefore it is short and never overlaps a write of
//! this process, and a checkpoint follows when other processes have committed much meanwhile.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, Thread},
    time::Duration,
};

use rusqlite::Connection;

use super::{
    Health,
    open::{self, OpenError},
    session::{execute, failure},
};
use crate::store::session::SqlError;

/// How long the lock is held at a time.
const STAY: Duration = Duration::from_millis(10);

/// The handle of the thread that holds the lock. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct ReadLock {
    keeper: Arc<Keeper>,
    thread: Thread,
}

#[derive(Debug)]
pub(super) struct Keeper {
    path: PathBuf,
    /// `None` once the database is closed.
    connection: Mutex<Option<Connection>>,
    /// Whether there was a read since the lock was last taken.
    is_wanted: AtomicBool,
    health: Arc<Health>,
}

enum Turn {
    Held,
    Unwanted,
    /// Not held: the log has grown so much that a checkpoint must come first.
    Behind,
    Closed,
}

impl ReadLock {
    pub(super) fn start(path: &Path, health: Arc<Health>) -> Result<Self, OpenError> {
        let connection = Mutex::new(Some(open::beside(path)?));
        let keeper = Arc::new(Keeper { path: path.to_owned(), connection, is_wanted: AtomicBool::new(false), health });
        let run = {
            let keeper = keeper.clone();
            move || keeper.run()
        };
        let thread = thread::Builder::new().name("leadapi-sqlite-lock".into()).spawn(run).map_err(OpenError::Thread)?;
        Ok(Self { keeper, thread: thread.thread().clone() })
    }

    /// Announces a read.
    pub(super) fn want(&self) {
        if !self.keeper.is_wanted.load(Relaxed) {
            self.keeper.is_wanted.store(true, Relaxed);
            self.thread.unpark();
        }
    }

    pub(super) fn keeper(&self) -> Arc<Keeper> {
        self.keeper.clone()
    }
}

/// Does not wait for the thread, which ends by itself.
impl Drop for ReadLock {
    fn drop(&mut self) {
        drop(self.keeper.connection().take());
        self.thread.unpark();
    }
}

impl Keeper {
    /// Releases the lock, and keeps it from being taken until the returned guard is dropped.
    pub(super) fn step_aside(&self) -> Result<impl Drop, SqlError> {
        let connection = self.connection();
        connection.as_ref().map_or(Ok(()), leave).inspect_err(|error| self.health.note(error))?;
        Ok(connection)
    }

    fn run(&self) {
        loop {
            let done = match self.turn() {
                Ok(Turn::Closed) => return,
                Ok(Turn::Unwanted) => {
                    // Returns at once if there was a read meanwhile.
                    thread::park();
                    continue;
                }
                Ok(Turn::Held) => Ok(()),
                Ok(Turn::Behind) => open::checkpoint(&self.path).map_err(failure),
                Err(error) => Err(error),
            };
            done.unwrap_or_else(|error| self.health.note(&error));
            thread::sleep(STAY);
        }
    }

    fn turn(&self) -> Result<Turn, SqlError> {
        let connection = self.connection();
        let Some(connection) = connection.as_ref() else { return Ok(Turn::Closed) };
        let is_wanted = self.is_wanted.swap(false, Relaxed);
        leave(connection)?;
        if !is_wanted {
            return Ok(Turn::Unwanted);
        }
        if open::is_behind(connection).map_err(failure)? {
            return Ok(Turn::Behind);
        }
        execute(connection, "BEGIN")?;
        // The first read of the transaction takes the lock.
        let mut first = connection.prepare_cached("SELECT 1 FROM sqlite_schema").map_err(failure)?;
        first.exists(()).map_err(failure)?;
        Ok(Turn::Held)
    }

    fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn leave(connection: &Connection) -> Result<(), SqlError> {
    if connection.is_autocommit() { Ok(()) } else { execute(connection, "COMMIT") }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use async_trait::async_trait;
    use tokio::task::{JoinHandle, yield_now};

    use super::{super::Sqlite, *};
    use crate::store::session::{Session, Work, query};

    /// More pages than a commit leaves in the log.
    const PAGES: i64 = 6_000;
    const PAGE: i64 = 4_096;

    /// A database whose log is not empty, and a connection that acts as another process.
    fn opened(folder: &Path) -> (Arc<Sqlite>, Connection) {
        let path = folder.join("leads.db");
        let sqlite = Arc::new(Sqlite::open(&path).unwrap());
        let other = Connection::open(&path).unwrap();
        other.busy_timeout(Duration::ZERO).unwrap();
        other.execute_batch("CREATE TABLE blob (bytes BLOB)").unwrap();
        (sqlite, other)
    }

    fn read(sqlite: &Sqlite) {
        sqlite.row(&query!("SELECT 1 FROM blob"), |_| Ok(())).unwrap();
    }

    /// Waits until the condition holds, and fails after ten seconds.
    async fn until(mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            yield_now().await;
        }
    }

    /// Whether a reader keeps commits from being checkpointed.
    fn is_held(other: &Connection) -> bool {
        other.execute("INSERT INTO blob VALUES ('')", ()).unwrap();
        other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn it_is_held_while_others_read_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, other) = opened(folder.path());
        for _ in 0..3 {
            until(|| {
                read(&sqlite);
                is_held(&other)
            })
            .await;
            until(|| !is_held(&other)).await;
        }
    }

    /// Then the connection of the writer is the last, and leaves no log behind.
    #[tokio::test]
    async fn it_is_not_held_when_the_database_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, other) = opened(folder.path());
        until(|| {
            read(&sqlite);
            is_held(&other)
        })
        .await;
        other.close().unwrap();
        drop(sqlite);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    struct Fill;

    #[async_trait]
    impl Work for Fill {
        type Output = ();

        async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
            session.tell(query!("INSERT INTO blob VALUES (zeroblob($1))", PAGES * PAGE)).await
        }
    }

    /// Requests the lock without pause, as many readers would, but never holds it itself.
    fn crowd(sqlite: &Arc<Sqlite>) -> JoinHandle<()> {
        let sqlite = sqlite.clone();
        tokio::spawn(async move {
            loop {
                sqlite.read_lock.want();
                yield_now().await;
            }
        })
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn writes_among_reads_do_not_let_the_log_grow() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, _other) = opened(folder.path());
        let crowd = crowd(&sqlite);
        for _ in 0..8 {
            sqlite.work(Fill).await.unwrap();
        }
        crowd.abort();
        let log = std::fs::metadata(folder.path().join("leads.db-wal")).unwrap().len();
        assert_eq!(log / u64::try_from(PAGES * PAGE).unwrap(), 1, "so many commits lie in the log");
    }

    /// A transaction of another program keeps the log from restarting, so the log grows. It must shrink afterwards.
    #[tokio::test]
    async fn the_log_shrinks_after_a_long_reader_of_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, other) = opened(folder.path());
        let length = || std::fs::metadata(folder.path().join("leads.db-wal")).unwrap().len();
        other.execute_batch("BEGIN; SELECT count(*) FROM blob").unwrap();
        for _ in 0..4 {
            sqlite.work(Fill).await.unwrap();
        }
        let grown = length();
        other.execute_batch("COMMIT").unwrap();
        for _ in 0..3 {
            sqlite.work(Fill).await.unwrap();
        }
        let shrunk = length();
        assert!(grown > 4 * 20_000_000 && shrunk < 30_000_000, "{grown} bytes, then {shrunk}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_another_process_commits_goes_into_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, other) = opened(folder.path());
        let crowd = crowd(&sqlite);
        // The other process runs no checkpoint itself, because it might find the lock held.
        other.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        other.execute("INSERT INTO blob VALUES (zeroblob(?))", (PAGES * PAGE,)).unwrap();
        until(|| !open::is_behind(&other).unwrap()).await;
        crowd.abort();
    }
}

//! A store in a SQLite file, with one writer and concurrent snapshot readers.

mod error;
mod file;
mod lineage;
mod lock;
mod open;
mod restore;
#[cfg(all(test, shuttle))]
mod schedules;
mod served;
mod session;
mod space;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use leadapi_core::id::BusinessId;
use rusqlite::{Connection, backup::Backup};
use tokio::sync::Notify;

pub(crate) use error::OpenError;
use lock::FileLock;
pub(crate) use restore::restore;
use served::{ServedFiles, Watch};
use session::{SqliteSession, execute, first_row, map_error, poll_ready, run};
use writer::Writer;

use super::{
    error::SqlError,
    row::Row,
    session::{Query, Work},
    write::{Write, WriteOutcome},
};
use crate::error_chain::error_chain;

#[derive(Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    /// Idle read connections. Declared before `writer`, so the writer's connection closes last and runs the checkpoint.
    readers: Mutex<Vec<Connection>>,
    writer: Writer,
    health: Arc<Health>,
    /// `Some` only in a server. Declared last, so the lock is released after the last connection closes.
    _served: Option<(Watch, FileLock)>,
}

impl Sqlite {
    /// Opens the file, even while a server is serving it. Creates a missing file, and migrates the schema to this
    /// version.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let connection = open::open(path)?;
        let health = Arc::new(Health::default());
        let writer = Writer::start(path, connection, health.clone()).map_err(OpenError::Thread)?;
        Ok(Self { path: path.to_owned(), readers: Mutex::default(), writer, health, _served: None })
    }

    /// Opens the file for serving, and prevents other servers from serving it. A write is then acknowledged only if the
    /// file, its log, the log's index and the lock file are still in place.
    pub(crate) fn open_to_serve(path: &Path) -> Result<Self, OpenError> {
        let sqlite = Self::open(path)?;
        let lock = FileLock::acquire(path)?;
        sqlite.health.serve(ServedFiles::of(path)?);
        let watch = Watch::start(sqlite.health.clone())?;
        Ok(Self { _served: Some((watch, lock)), ..sqlite })
    }

    /// Runs one read statement on the calling thread, because most reads take less time than a switch to another
    /// thread.
    pub(crate) fn rows<T>(
        &self,
        query: &Query,
        read: impl Fn(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        self.with_reader(|connection| {
            let mut rows = Vec::new();
            run(connection, query, |row| read(row).map(|row| rows.push(row)))?;
            Ok(rows)
        })
    }

    /// Runs one read statement, and returns its first row, mapped with `read`.
    pub(crate) fn row<T>(
        &self,
        query: &Query,
        read: impl FnOnce(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        self.with_reader(|connection| first_row(connection, query, read))
    }

    /// Runs read statements against one snapshot.
    pub(crate) fn read<W: Work>(&self, work: &W) -> Result<W::Output, SqlError> {
        self.with_reader(|connection| {
            execute(connection, "BEGIN")?;
            let done = poll_ready(work.run(&mut SqliteSession(connection)));
            execute(connection, "COMMIT")?;
            done
        })
    }

    pub(crate) async fn write(&self, business: &BusinessId, write: Write) -> Result<WriteOutcome, SqlError> {
        self.writer.write(business, write).await
    }

    pub(crate) async fn work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        self.writer.work(work).await
    }

    /// Completes when the storage has failed, and returns the reason.
    pub(crate) async fn failed(&self) -> String {
        self.health.failed().await
    }

    /// Copies a snapshot of the database into a new file while writes continue.
    pub(crate) fn backup(&self, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<(), OpenError> {
        const PAGES: i32 = 1_024;
        file::create(to)?;
        let mut copy = Connection::open(to)?;
        let source = open::reader(&self.path)?;
        // The transaction holds a snapshot. Without it, each commit on another connection would restart the copy.
        source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        {
            let backup = Backup::new(&source, &mut copy)?;
            while backup.step(PAGES)? == rusqlite::backup::StepResult::More {
                let done = backup.progress();
                let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
                progress(count(done.pagecount - done.remaining), count(done.pagecount));
            }
        }
        source.execute_batch("COMMIT")?;
        lineage::assign_new_id(&copy)?;
        copy.close().map_err(|(_, error)| error)?;
        file::sync(to)?;
        Ok(())
    }

    fn with_reader<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.health.check()?;
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = idle.map_or_else(|| open::reader(&self.path).map_err(map_error), Ok)?;
        let done = work(&mut reader);
        match &done {
            // A connection that is still in a transaction would show an old snapshot to its next user.
            _ if !reader.is_autocommit() => drop(reader),
            Ok(_) => self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader),
            Err(error) => self.health.record(error),
        }
        done
    }
}

/// The health of the storage. A failure is permanent.
#[derive(Debug, Default)]
struct Health {
    failed: OnceLock<SqlError>,
    failure: Notify,
    /// Set only in a server.
    served: OnceLock<ServedFiles>,
}

impl Health {
    fn check(&self) -> Result<(), SqlError> {
        self.failed.get().cloned().map_or(Ok(()), Err)
    }

    fn serve(&self, files: ServedFiles) {
        self.served.get_or_init(|| files);
    }

    /// Checks that a commit may be acknowledged: the storage has not failed, and the served files are in place.
    fn confirm(&self) -> Result<(), SqlError> {
        self.check()?;
        let displaced = self.served.get().map_or(Ok(()), ServedFiles::check);
        displaced.map_err(|error| SqlError::Fatal(Arc::new(error))).inspect_err(|error| self.record(error))
    }

    fn record(&self, error: &SqlError) {
        if matches!(error, SqlError::Fatal(_)) && self.failed.set(error.clone()).is_ok() {
            self.failure.notify_waiters();
        }
    }

    async fn failed(&self) -> String {
        loop {
            // Created before the check, so that no failure is missed between the check and the wait.
            let failure = self.failure.notified();
            if let Some(error) = self.failed.get() {
                return error_chain(error);
            }
            failure.await;
        }
    }
}

/// The maximum time that a transaction waits for a transaction in another process, such as a command that runs
/// alongside the server.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::store::session::{Session, query};

    /// A write of more pages than the log may keep after a checkpoint.
    struct Fill;

    #[async_trait]
    impl Work for Fill {
        type Output = ();

        async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
            session.execute(query!("INSERT INTO blob VALUES (zeroblob($1))", 6_000 * 4_096_i64)).await
        }
    }

    /// Opens a database with a non-empty log, and a second connection that stands in for another process.
    fn opened(folder: &Path) -> (Sqlite, Connection) {
        let path = folder.join("leads.db");
        let sqlite = Sqlite::open(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE blob (bytes BLOB)").unwrap();
        (sqlite, other)
    }

    #[test]
    fn closing_the_database_leaves_only_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (sqlite, other) = opened(folder.path());
        sqlite.row(&query!("SELECT 1 FROM blob"), |_| Ok(())).unwrap();
        other.close().unwrap();
        drop(sqlite);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A read transaction in another program keeps the log from restarting, so the log grows. It must shrink
    /// afterwards.
    #[tokio::test]
    async fn the_log_shrinks_after_a_long_read_by_another_program() {
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
}

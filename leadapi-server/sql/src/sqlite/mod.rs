//! A store in a SQLite file, with one writer and concurrent snapshot readers.

mod backup;
mod error;
mod health;
mod open;
mod restore;
#[cfg(all(test, shuttle))]
mod schedules;
mod session;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use leadapi_core::id::BusinessId;
use leadapi_sqlite_file::{Allowed, Denied, FileError, FileLock, FilesInPlace, ServerLock, file, mode_for_others};
use rusqlite::Connection;

pub(crate) use error::OpenError;
use health::{Health, Watch};
pub(crate) use restore::restore;
use session::{SqliteSession, execute, first_row, map_error, poll_ready, run};
use writer::Writer;

use super::{
    error::SqlError,
    row::Row,
    session::{Query, Work},
    write::{Write, WriteOutcome},
};

#[derive(Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    access: Allowed,
    /// Idle read connections. Declared before `writer`, so the writer's connection closes last and runs the checkpoint.
    readers: Mutex<Vec<Connection>>,
    writer: Writer,
    health: Arc<Health>,
    /// `Some` only in a server.
    _server: Option<(Watch, ServerLock)>,
    /// Declared last, so the lock is released after the last connection closes.
    lock: Arc<FileLock>,
}

impl Sqlite {
    /// Opens the file, even while a server is serving it. Creates a missing file, and migrates the schema to this
    /// version. A write is acknowledged only if the file, its log and the log's index are still in place.
    ///
    /// If the file or its folder cannot be written and there is no log, the store is opened read-only.
    pub(crate) fn open(path: &Path, accept_loss: bool) -> Result<Self, OpenError> {
        open::create_missing(path)?;
        match Allowed::of(path).map_err(FileError::from)? {
            Allowed::Read if !file::has_log(path)? => Self::open_to_read(path, accept_loss),
            Allowed::Read => Err(FileError::log_is_unreadable(path).into()),
            Allowed::Write => {
                let sqlite = Self::open_to_write(path, accept_loss)?;
                sqlite.watch(FilesInPlace::opened(path)?)?;
                Ok(sqlite)
            }
        }
    }

    /// Opens the file for serving, and prevents other servers from serving it. A write is then acknowledged only if the
    /// lock file is in place too.
    pub(crate) fn open_to_serve(path: &Path, accept_loss: bool) -> Result<Self, OpenError> {
        open::create_missing(path)?;
        if let Some(denied) = Denied::of(path) {
            return Err(FileError::from(denied).into());
        }
        let sqlite = Self::open_to_write(path, accept_loss)?;
        let lock = ServerLock::acquire(path)?;
        sqlite.watch(FilesInPlace::served(path)?)?;
        let watch = Watch::start(sqlite.health.clone())?;
        if let Some(mode) = mode_for_others(path)? {
            tracing::warn!(
                "other users may access {}, its log and its index (mode {mode:04o}): consider chmod 600",
                path.display()
            );
        }
        Ok(Self { _server: Some((watch, lock)), ..sqlite })
    }

    fn open_to_write(path: &Path, accept_loss: bool) -> Result<Self, OpenError> {
        let lock = FileLock::open(path)?;
        let connection = open::open(path, accept_loss)?;
        lock.share()?;
        Self::start(path, Allowed::Write, connection, lock)
    }

    fn open_to_read(path: &Path, accept_loss: bool) -> Result<Self, OpenError> {
        let lock = FileLock::shared(path)?;
        if file::has_log(path)? {
            return Err(FileError::log_is_unreadable(path).into());
        }
        let connection = open::open_unchanged(path, accept_loss)?;
        Self::start(path, Allowed::Read, connection, lock)
    }

    fn start(path: &Path, access: Allowed, connection: Connection, lock: FileLock) -> Result<Self, OpenError> {
        let (health, lock) = (Arc::new(Health::default()), Arc::new(lock));
        let writer = Writer::start(path, connection, health.clone(), Some(lock.clone()))?;
        Ok(Self { path: path.to_owned(), access, readers: Mutex::default(), writer, health, _server: None, lock })
    }

    /// Acknowledges writes only as long as the files are in place.
    fn watch(&self, files: FilesInPlace) -> Result<(), OpenError> {
        self.health.watch(files);
        // The file could have been replaced after it was locked, and before its identity was recorded.
        if self.lock.is_current()? { Ok(()) } else { Err(FileError::Changed.into()) }
    }

    fn reader(&self) -> rusqlite::Result<Connection> {
        match self.access {
            Allowed::Write => open::reader(&self.path),
            Allowed::Read => open::immutable_reader(&self.path),
        }
    }

    /// Runs one read statement on the calling thread, because most reads take less time than a switch to another
    /// thread.
    pub(crate) fn rows<T>(
        &self,
        query: &Query,
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
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

    /// Runs work for a readiness check. If another process blocks the database, the work fails before the check times
    /// out. Work is skipped if its caller has stopped waiting.
    pub(crate) async fn check<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        self.writer.check(work, CHECK_TIMEOUT).await
    }

    /// Completes when the storage has failed, and returns the reason.
    pub(crate) async fn failed(&self) -> String {
        self.health.failed().await
    }

    fn with_reader<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.health.check()?;
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = idle.map_or_else(|| self.reader().map_err(map_error), Ok)?;
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

/// The maximum time that a readiness check waits for a transaction in another process, before it times out after
/// 2 seconds. Other transactions wait for [`BUSY_TIMEOUT`](leadapi_sqlite_file::BUSY_TIMEOUT).
const CHECK_TIMEOUT: Duration = Duration::from_millis(1_500);

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::session::{Session, query};

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
        let sqlite = Sqlite::open(&path, false).unwrap();
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

//! SQLite: one file, one writer, and readers that each see a snapshot.

mod open;
mod read_lock;
mod session;
mod writer;

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use leadapi_core::id::BusinessId;
use rusqlite::{Connection, backup::Backup};
use tokio::sync::Notify;

pub(crate) use open::OpenError;
use read_lock::ReadLock;
use session::{SqliteSession, at_once, execute, failure, first, run};
use writer::Writer;

use super::{
    row::Row,
    session::{Query, SqlError, Work},
    write::{Write, Written},
};
use crate::chain::chain;

/// A database in a file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    /// Connections that nobody reads on just now. They are closed before the writer's.
    readers: Mutex<Vec<Connection>>,
    read_lock: ReadLock,
    writer: Writer,
    health: Arc<Health>,
}

impl Sqlite {
    /// Opens the file, or makes it, and brings it to the schema of this version.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let connection = open::open(path)?;
        let health = Arc::new(Health::default());
        let read_lock = ReadLock::start(path, health.clone())?;
        let writer = Writer::start(connection, read_lock.keeper(), health.clone()).map_err(OpenError::Thread)?;
        Ok(Self { path: path.to_owned(), readers: Mutex::default(), read_lock, writer, health })
    }

    /// Sees to it that no second server serves the file.
    pub(crate) fn lock(&self) -> Result<File, OpenError> {
        open::lock(&self.path)
    }

    /// Runs one statement that reads. It is done where it is asked for: most reads take less than a change of threads.
    pub(crate) fn rows<T>(
        &self,
        query: &Query,
        read: impl Fn(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        self.on_a_reader(|connection| {
            let mut rows = Vec::new();
            run(connection, query, |row| read(row).map(|row| rows.push(row)))?;
            Ok(rows)
        })
    }

    /// Runs one statement that reads, as far as its first row.
    pub(crate) fn row<T>(
        &self,
        query: &Query,
        read: impl FnOnce(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        self.on_a_reader(|connection| first(connection, query, read))
    }

    /// Runs statements that read, all on one snapshot.
    pub(crate) fn read<W: Work>(&self, work: &W) -> Result<W::Output, SqlError> {
        self.on_a_reader(|connection| {
            execute(connection, "BEGIN")?;
            let done = at_once(work.run(&mut SqliteSession(connection)));
            execute(connection, "COMMIT")?;
            done
        })
    }

    pub(crate) async fn write(&self, business: &BusinessId, write: Write) -> Result<Written, SqlError> {
        self.writer.write(business, write).await
    }

    pub(crate) async fn work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        self.writer.work(work).await
    }

    /// Waits until the storage has failed, and says how.
    pub(crate) async fn failed(&self) -> String {
        self.health.failed().await
    }

    /// Copies the database into a new file, from one snapshot, while others write.
    pub(crate) fn backup(&self, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<(), OpenError> {
        const PAGES: i32 = 1_024;
        open::create(to)?;
        let mut copy = Connection::open(to)?;
        let source = open::reader(&self.path)?;
        // A snapshot that is held: a copy that others write under would begin anew with each of their commits.
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
        copy.close().map_err(|(_, error)| error)?;
        open::sync(to)?;
        Ok(())
    }

    fn on_a_reader<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.health.check()?;
        self.read_lock.want();
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = idle.map_or_else(|| open::reader(&self.path).map_err(failure), Ok)?;
        let done = work(&mut reader);
        match &done {
            // One that is still in a transaction would show its next caller the past.
            _ if !reader.is_autocommit() => drop(reader),
            Ok(_) => self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader),
            Err(error) => self.health.note(error),
        }
        done
    }
}

/// Whether the storage can still be trusted. Once it cannot, it never can again.
#[derive(Debug, Default)]
struct Health {
    failed: OnceLock<SqlError>,
    told: Notify,
}

impl Health {
    fn check(&self) -> Result<(), SqlError> {
        self.failed.get().cloned().map_or(Ok(()), Err)
    }

    fn note(&self, error: &SqlError) {
        if matches!(error, SqlError::Fatal(_)) && self.failed.set(error.clone()).is_ok() {
            self.told.notify_waiters();
        }
    }

    async fn failed(&self) -> String {
        loop {
            // Begun before it is asked, so that no failure falls between the two.
            let told = self.told.notified();
            if let Some(error) = self.failed.get() {
                return chain(error);
            }
            told.await;
        }
    }
}

/// How long a transaction waits for that of another process, such as a command beside the server.
const BUSY: Duration = Duration::from_secs(5);

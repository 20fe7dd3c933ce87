//! The writer thread with group commit: all pending writes share one transaction.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use leadapi_core::id::BusinessId;
use leadapi_sqlite_file::{BUSY_TIMEOUT, FileError, FileLock, Mark, is_out_of_space};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{
    error::OpenError,
    health::Health,
    session::{SqliteSession, execute, map_error, poll_ready},
};
use crate::{
    clock::StoreClock,
    error::SqlError,
    session::Work,
    sync::{
        mpsc::{Receiver, Sender, channel},
        thread::{self, JoinHandle},
    },
    write::{self, Write, WriteOutcome},
};

/// The maximum number of writes in a transaction. It bounds how long the first write of a batch waits for the last.
const MAX_BATCH: usize = 512;

/// The handle that sends jobs to the writer thread.
pub(super) struct Writer {
    /// `None` only while the writer is being dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[expect(clippy::large_enum_variant, reason = "a box for each write would cost more than it saves")]
enum Job {
    Write(PendingWrite),
    /// A unit of [`Work`], which runs in its own transaction.
    Work(Box<dyn FnOnce(&mut WriterThread) + Send>),
}

struct PendingWrite {
    business: BusinessId,
    write: Write,
    respond_to: oneshot::Sender<Result<WriteOutcome, SqlError>>,
}

struct WriterThread {
    path: PathBuf,
    connection: Connection,
    mark: Mark,
    health: Arc<Health>,
    /// `None` for a database in memory. Declared after `connection`, because the lock must be held until it is closed.
    lock: Option<Arc<FileLock>>,
}

impl Writer {
    pub(super) fn start(
        path: &Path,
        connection: Connection,
        health: Arc<Health>,
        lock: Option<Arc<FileLock>>,
    ) -> Result<Self, OpenError> {
        let (sender, jobs) = channel();
        let mark = Mark::of(&connection)?;
        let thread = WriterThread { path: path.to_owned(), connection, mark, health, lock };
        let thread = thread::Builder::new().name("leadapi-sqlite".into()).spawn(move || thread.run(&jobs));
        let thread = thread.map_err(OpenError::Thread)?;
        Ok(Self { jobs: Some(sender), thread: Some(thread) })
    }

    /// Submits a write, and waits for the commit that includes it. The write continues even if the caller stops
    /// waiting.
    pub(super) async fn write(&self, business: &BusinessId, write: Write) -> Result<WriteOutcome, SqlError> {
        let (respond_to, response) = oneshot::channel();
        self.send(Job::Write(PendingWrite { business: business.clone(), write, respond_to }))?;
        response.await.map_err(|_| writer_stopped())?
    }

    pub(super) async fn work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        let (respond_to, response) = oneshot::channel();
        let job = move |thread: &mut WriterThread| {
            // Sending fails if the caller has stopped waiting.
            respond_to.send(thread.work(&work)).unwrap_or_default();
        };
        self.send(Job::Work(Box::new(job)))?;
        response.await.map_err(|_| writer_stopped())?
    }

    /// Runs work whose result matters only while its caller waits. It is skipped if the caller has stopped waiting
    /// before its turn, and waits for other processes no longer than `limit`, so that it delays no write for long.
    pub(super) async fn check<W: Work>(&self, work: W, limit: Duration) -> Result<W::Output, SqlError> {
        let (respond_to, response) = oneshot::channel();
        let job = move |thread: &mut WriterThread| {
            if !respond_to.is_closed() {
                respond_to.send(thread.check(&work, limit)).unwrap_or_default();
            }
        };
        self.send(Job::Work(Box::new(job)))?;
        response.await.map_err(|_| writer_stopped())?
    }

    fn send(&self, job: Job) -> Result<(), SqlError> {
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(writer_stopped)
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Waits for the thread to exit. The thread's connection is the last one, so it can close the store in an orderly way.
impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Joining fails only if the thread panicked, in which case it has already exited.
            thread.join().unwrap_or_default();
        }
    }
}

fn writer_stopped() -> SqlError {
    SqlError::other("the SQLite writer thread has stopped")
}

impl WriterThread {
    fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(first) = jobs.recv() {
            let mut writes = Vec::new();
            let mut next = Some(first);
            // Takes the jobs that arrived during the last transaction.
            while let Some(job) = next {
                match job {
                    Job::Write(pending) => writes.push(pending),
                    Job::Work(work) => {
                        self.write_all(std::mem::take(&mut writes));
                        work(&mut self);
                    }
                }
                next = if writes.len() < MAX_BATCH { jobs.try_recv().ok() } else { None };
            }
            self.write_all(writes);
        }
        self.close();
    }

    /// Closes the connection. If no other process has the store open, the file is complete without its log afterwards.
    fn close(self) {
        if self.health.confirm().is_ok() && self.lock.as_ref().is_some_and(|lock| lock.is_last()) {
            // Otherwise the log stays, and the next process to open the store applies it.
            Mark::clear(&self.connection).unwrap_or_default();
        }
    }

    fn work<W: Work>(&mut self, work: &W) -> Result<W::Output, SqlError> {
        self.transaction(|connection| poll_ready(work.run(&mut SqliteSession(connection))))
    }

    fn check<W: Work>(&mut self, work: &W, limit: Duration) -> Result<W::Output, SqlError> {
        self.connection.busy_timeout(limit).map_err(map_error)?;
        let done = self.work(work);
        self.connection.busy_timeout(BUSY_TIMEOUT).map_err(map_error)?;
        done
    }

    /// Commits the writes together. Responds to them only after the commit, so every acknowledged write is on disk.
    fn write_all(&mut self, pending: Vec<PendingWrite>) {
        if pending.is_empty() {
            return;
        }
        // True if a write itself failed, rather than the start or the commit of the transaction.
        let mut needs_isolation = false;
        let mut outcomes = self.transaction(|connection| {
            write_each(connection, &pending).inspect_err(|error| needs_isolation = !matches!(error, SqlError::Fatal(_)))
        });
        if needs_isolation && pending.len() > 1 {
            outcomes = self.transaction(|connection| write_isolated(connection, &pending));
        }
        let outcomes = outcomes.unwrap_or_else(|error| pending.iter().map(|_| Err(error.clone())).collect());
        for (write, outcome) in pending.into_iter().zip(outcomes) {
            // Sending fails if the caller has stopped waiting.
            write.respond_to.send(outcome).unwrap_or_default();
        }
    }

    fn transaction<T>(&mut self, work: impl FnOnce(&mut Connection) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.health.check()?;
        let connection = &mut self.connection;
        let before = connection.total_changes();
        let done = execute(connection, "BEGIN IMMEDIATE").and_then(|()| work(connection));
        let ended = done.and_then(|done| {
            if connection.total_changes() != before {
                self.mark.record_commit(connection).map_err(mark_error)?;
            }
            execute(connection, "COMMIT").map(|()| done)
        });
        let ended = ended.map_err(|error| classify(error, &self.path));
        if let Err(error) = &ended {
            self.health.record(error);
            // A failed commit may leave the transaction open. If it has already ended, a rollback would fail.
            if !connection.is_autocommit()
                && let Err(error) = execute(connection, "ROLLBACK")
            {
                self.health.record(&error);
            }
        }
        let ended = ended?;
        self.mark.copy_into_file(connection);
        self.health.confirm()?;
        Ok(ended)
    }
}

fn mark_error(error: FileError) -> SqlError {
    match error {
        FileError::Sqlite(error) => map_error(error),
        other => SqlError::Fatal(Arc::new(other)),
    }
}

/// Makes a transaction's error non-fatal if a full disk or an exhausted quota caused it.
fn classify(error: SqlError, database: &Path) -> SqlError {
    match error {
        SqlError::Fatal(cause) if cause.downcast_ref().is_some_and(|cause| is_out_of_space(cause, database)) => {
            SqlError::Other(cause)
        }
        other => other,
    }
}

/// Runs the writes of each business together, so a record that several writes need is looked up only once.
fn write_each(
    connection: &mut Connection,
    pending: &[PendingWrite],
) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
    let mut by_business: BTreeMap<&BusinessId, Vec<(usize, &Write)>> = BTreeMap::new();
    for (nth, PendingWrite { business, write, .. }) in pending.iter().enumerate() {
        by_business.entry(business).or_default().push((nth, write));
    }
    let mut outcomes = BTreeMap::new();
    for (business, writes) in by_business {
        let (indexes, writes): (Vec<usize>, Vec<&Write>) = writes.into_iter().unzip();
        outcomes.extend(indexes.into_iter().zip(write_together(connection, business, &writes)?));
    }
    Ok(outcomes.into_values().collect())
}

/// Runs each write in its own savepoint, so that a failed write does not fail the others in the transaction.
fn write_isolated(
    connection: &mut Connection,
    pending: &[PendingWrite],
) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
    let outcomes = pending.iter().map(|PendingWrite { business, write, .. }| {
        let outcomes = savepoint(connection, |connection| write_together(connection, business, &[write]));
        match outcomes {
            Err(error @ SqlError::Fatal(_)) => Err(error),
            outcomes => {
                Ok(outcomes.and_then(|outcomes| outcomes.into_iter().next().unwrap_or_else(|| Err(writer_stopped()))))
            }
        }
    });
    outcomes.collect()
}

fn write_together(
    connection: &mut Connection,
    business: &BusinessId,
    writes: &[&Write],
) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
    poll_ready(write::run(&mut SqliteSession(connection), business, writes, &StoreClock::SYSTEM))
}

fn savepoint<T>(
    connection: &mut Connection,
    work: impl FnOnce(&mut Connection) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    execute(connection, "SAVEPOINT one")?;
    let done = work(connection);
    if done.is_err() {
        execute(connection, "ROLLBACK TO one")?;
    }
    execute(connection, "RELEASE one")?;
    done
}

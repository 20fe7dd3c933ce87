//! The writer thread with group commit: all pending writes share one transaction.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use leadapi_core::id::BusinessId;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{
    Health, lineage,
    session::{SqliteSession, at_once, execute},
    space,
};
use crate::store::{
    error::SqlError,
    session::Work,
    write::{self, Write, Written},
};

/// The maximum number of writes in a transaction, so that the first does not wait long for the last.
const MOST_TOGETHER: usize = 512;

/// The handle that sends jobs to the writer thread.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` only during drop.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[expect(clippy::large_enum_variant, reason = "a box for each write would cost more than it saves")]
enum Job {
    Write(Waiting),
    /// Any other work, in a transaction of its own.
    Work(Box<dyn FnOnce(&mut Thread) + Send>),
}

struct Waiting {
    business: BusinessId,
    write: Write,
    answer: oneshot::Sender<Result<Written, SqlError>>,
}

struct Thread {
    path: PathBuf,
    connection: Connection,
    health: Arc<Health>,
}

impl Writer {
    pub(super) fn start(path: &Path, connection: Connection, health: Arc<Health>) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let thread = Thread { path: path.to_owned(), connection, health };
        let thread = thread::Builder::new().name("leadapi-sqlite".into()).spawn(move || thread.run(&jobs))?;
        Ok(Self { jobs: Some(sender), thread: Some(thread) })
    }

    /// Waits for the commit that includes the write. The write goes on even if the caller stops waiting.
    pub(super) async fn write(&self, business: &BusinessId, write: Write) -> Result<Written, SqlError> {
        let (answer, answered) = oneshot::channel();
        self.send(Job::Write(Waiting { business: business.clone(), write, answer }))?;
        answered.await.map_err(|_| gone())?
    }

    pub(super) async fn work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        let (answer, answered) = oneshot::channel();
        let job = move |thread: &mut Thread| {
            // The caller may be gone.
            answer.send(thread.work(&work)).unwrap_or_default();
        };
        self.send(Job::Work(Box::new(job)))?;
        answered.await.map_err(|_| gone())?
    }

    fn send(&self, job: Job) -> Result<(), SqlError> {
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(gone)
    }
}

/// Waits for the thread: its connection is the last one, and closing it runs a checkpoint.
impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has ended already.
            thread.join().unwrap_or_default();
        }
    }
}

fn gone() -> SqlError {
    SqlError::other("the thread that writes to SQLite has ended")
}

impl Thread {
    fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(first) = jobs.recv() {
            let mut writes = Vec::new();
            let mut next = Some(first);
            // Takes all jobs that arrived during the last transaction.
            while let Some(job) = next {
                match job {
                    Job::Write(waiting) => writes.push(waiting),
                    Job::Work(work) => {
                        self.write_all(std::mem::take(&mut writes));
                        work(&mut self);
                    }
                }
                next = if writes.len() < MOST_TOGETHER { jobs.try_recv().ok() } else { None };
            }
            self.write_all(writes);
        }
    }

    fn work<W: Work>(&mut self, work: &W) -> Result<W::Output, SqlError> {
        self.transaction(|connection| at_once(work.run(&mut SqliteSession(connection))))
    }

    /// Answers the writes only after the shared commit: an acknowledged write is on disk.
    fn write_all(&mut self, waiting: Vec<Waiting>) {
        if waiting.is_empty() {
            return;
        }
        // Whether a write failed, as opposed to the start or the commit of the transaction.
        let mut spoilt = false;
        let mut written = self.transaction(|connection| {
            write_each(connection, &waiting).inspect_err(|error| spoilt = !matches!(error, SqlError::Fatal(_)))
        });
        if spoilt && waiting.len() > 1 {
            written = self.transaction(|connection| write_each_alone(connection, &waiting));
        }
        let written = written.unwrap_or_else(|error| waiting.iter().map(|_| Err(error.clone())).collect());
        for (waiting, written) in waiting.into_iter().zip(written) {
            // The caller may be gone.
            waiting.answer.send(written).unwrap_or_default();
        }
    }

    fn transaction<T>(&mut self, work: impl FnOnce(&mut Connection) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.health.check()?;
        let connection = &mut self.connection;
        let before = connection.total_changes();
        let done = execute(connection, "BEGIN IMMEDIATE").and_then(|()| work(connection));
        let ended = done.and_then(|done| {
            if connection.total_changes() != before {
                execute(connection, lineage::COUNT)?;
            }
            execute(connection, "COMMIT").map(|()| done)
        });
        let ended = ended.map_err(|error| space::classify(error, &self.path));
        if let Err(error) = &ended {
            self.health.note(error);
            // A failed commit may leave the transaction open. If it has ended, a rollback would fail.
            if !connection.is_autocommit()
                && let Err(error) = execute(connection, "ROLLBACK")
            {
                self.health.note(&error);
            }
        }
        let ended = ended?;
        self.health.confirm()?;
        Ok(ended)
    }
}

/// Decides the writes of each business together, so that a record that several refer to is looked up once.
fn write_each(connection: &mut Connection, waiting: &[Waiting]) -> Result<Vec<Result<Written, SqlError>>, SqlError> {
    let mut by_business: BTreeMap<&BusinessId, Vec<(usize, &Write)>> = BTreeMap::new();
    for (nth, Waiting { business, write, .. }) in waiting.iter().enumerate() {
        by_business.entry(business).or_default().push((nth, write));
    }
    let mut written = BTreeMap::new();
    for (business, writes) in by_business {
        let (places, writes): (Vec<usize>, Vec<&Write>) = writes.into_iter().unzip();
        written.extend(places.into_iter().zip(write_together(connection, business, &writes)?));
    }
    Ok(written.into_values().collect())
}

/// Runs each write in a savepoint of its own, so that a failed write does not fail the others in the transaction.
fn write_each_alone(
    connection: &mut Connection,
    waiting: &[Waiting],
) -> Result<Vec<Result<Written, SqlError>>, SqlError> {
    let alone = waiting.iter().map(|Waiting { business, write, .. }| {
        let written = savepoint(connection, |connection| write_together(connection, business, &[write]));
        match written {
            Err(error @ SqlError::Fatal(_)) => Err(error),
            written => Ok(written.and_then(|written| written.into_iter().next().unwrap_or_else(|| Err(gone())))),
        }
    });
    alone.collect()
}

fn write_together(
    connection: &mut Connection,
    business: &BusinessId,
    writes: &[&Write],
) -> Result<Vec<Result<Written, SqlError>>, SqlError> {
    at_once(write::run(&mut SqliteSession(connection), business, writes))
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

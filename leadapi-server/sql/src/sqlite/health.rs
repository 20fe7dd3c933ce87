//! The health of the storage, and the thread that checks it.

use std::{
    sync::{
        Arc, OnceLock,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use leadapi_core::error_chain;
use leadapi_sqlite_file::FilesInPlace;
use tokio::sync::Notify;

use super::error::OpenError;
use crate::error::SqlError;

/// The interval between checks. A check also runs after each commit.
const INTERVAL: Duration = Duration::from_secs(1);

/// The health of the storage. A failure is permanent.
#[derive(Debug, Default)]
pub(super) struct Health {
    failed: OnceLock<SqlError>,
    failure: Notify,
    /// `None` for a store that cannot be changed.
    files: OnceLock<FilesInPlace>,
}

impl Health {
    pub(super) fn check(&self) -> Result<(), SqlError> {
        self.failed.get().cloned().map_or(Ok(()), Err)
    }

    pub(super) fn watch(&self, files: FilesInPlace) {
        self.files.get_or_init(|| files);
    }

    /// Checks that a commit may be acknowledged: the storage has not failed, and the files are in place.
    pub(super) fn confirm(&self) -> Result<(), SqlError> {
        self.check()?;
        let displaced = self.files.get().map_or(Ok(()), FilesInPlace::check);
        displaced.map_err(|error| SqlError::Fatal(Arc::new(error))).inspect_err(|error| self.record(error))
    }

    pub(super) fn record(&self, error: &SqlError) {
        if matches!(error, SqlError::Fatal(_)) && self.failed.set(error.clone()).is_ok() {
            // Logged, because a command reports only the failure of its call.
            tracing::error!("{}", error_chain(error));
            self.failure.notify_waiters();
        }
    }

    pub(super) async fn failed(&self) -> String {
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

/// A handle to the thread that checks the files every second. Dropping the handle stops the thread.
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

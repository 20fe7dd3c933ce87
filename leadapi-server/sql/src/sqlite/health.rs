//! The health of the storage.

use std::sync::{Arc, OnceLock};

use leadapi_core::error_chain;
use leadapi_sqlite_file::FilesInPlace;
use tokio::sync::Notify;

use crate::error::SqlError;

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

//! One run of an import.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use leadapi_client::{
    Client, Error, Outcome,
    bulk::{RowDecision, RowResult, StopReason},
};
use leadapi_core::model::{IdempotencyKey, NewLead};

use crate::{
    csv_file::CsvFile,
    directory::Directory,
    error::{ImportError, unknown_result},
    journal::Journal,
    preview::Preview,
    refused::Refused,
    report::{ImportReport, Unfinished},
    retry::retry_policy,
    row::{Keys, Row},
};

/// Receives the number of finished rows and the number of all rows.
pub(crate) type OnProgress = Box<dyn Fn(u64, u64) + Send + Sync>;

/// The state of a run.
pub(crate) struct Run<'f> {
    file: &'f CsvFile,
    journal: Mutex<Journal>,
    directory: &'f Directory,
    /// The number of rows that earlier runs imported.
    skipped: AtomicU64,
}

/// The refused rows: part of the preview in a dry run, or a file.
pub(crate) enum RefusedRows<'f> {
    Listed(Preview<'f>),
    File(Refused<'f>),
}

/// A row and its idempotency key.
struct Keyed(Row, IdempotencyKey);

impl AsRef<NewLead> for Keyed {
    fn as_ref(&self) -> &NewLead {
        &self.0.new
    }
}

impl<'f> Run<'f> {
    pub(crate) const fn new(file: &'f CsvFile, journal: Journal, directory: &'f Directory) -> Self {
        Self { file, journal: Mutex::new(journal), directory, skipped: AtomicU64::new(0) }
    }

    /// Imports the rows.
    pub(crate) async fn import(
        self,
        client: &Client,
        concurrency: usize,
        keys: Keys,
        mut refused: RefusedRows<'_>,
        on_progress: Option<&OnProgress>,
    ) -> Result<ImportReport, ImportError> {
        let rows = self.file.rows();
        let mut creates = client
            .leads()
            .create_many(self.rows(keys)?)
            .keys(|_, Keyed(_, key)| key.clone())
            .in_flight(concurrency)
            .in_order()
            .retry(retry_policy())
            .stop_on(|error| self.is_wrong_client(error));
        let mut reason = None;
        while let Some(result) = creates.next().await {
            match result {
                Ok(result) => self.finish(result, &mut refused, &mut reason)?,
                Err(stopped) => {
                    // If a row has already recorded a failure, its message is more precise.
                    if stopped.reason() == StopReason::EveryRow || reason.is_none() {
                        reason = Some(Unfinished::Stopped(stopped));
                    }
                }
            }
            if let Some(on_progress) = on_progress {
                on_progress(self.skipped.load(Ordering::Relaxed) + creates.progress().finished(), rows);
            }
        }
        let progress = creates.progress();
        drop(creates);
        let skipped = self.skipped.into_inner();
        if reason.is_none() && skipped + progress.finished() != rows {
            reason = Some(Unfinished::FileChanged);
        }
        self.journal.into_inner().unwrap_or_else(PoisonError::into_inner).result()?;
        let amounts = self.file.amounts().filter(|_| matches!(refused, RefusedRows::Listed(_))).cloned();
        let (refused_file, (problems, columns, duplicates)) = match refused {
            RefusedRows::Listed(preview) => (None, preview.finish()),
            RefusedRows::File(file) => (file.finish()?, (Vec::new(), Vec::new(), 0)),
        };
        let already_imported = skipped + progress.replayed;
        Ok(ImportReport {
            rows,
            created: progress.created,
            already_imported,
            refused: progress.refused,
            unfinished: rows.saturating_sub(already_imported + progress.created + progress.refused),
            refused_file,
            problems,
            columns,
            duplicates,
            amounts,
            phones: self.file.phones(),
            reason,
        })
    }

    /// Returns the rows that have not been imported yet. The iterator ends early if a row cannot be read or recorded.
    fn rows(&self, mut keys: Keys) -> Result<impl Iterator<Item = Keyed> + Send, ImportError> {
        let rows = self.file.read()?.map_while(|row| self.journal().check(row));
        let keyed = rows.map(move |mut row| {
            if row.fault.is_none()
                && let Err(rule) = self.directory.resolve(&mut row.new)
            {
                row.refuse(rule);
            }
            let key = keys.next(&row.new).unwrap_or_else(|rule| {
                // If the row already has a fault, the fault is why the lead is invalid, so it is not replaced.
                row.fault.get_or_insert(rule);
                IdempotencyKey::random()
            });
            Keyed(row, key)
        });
        let remaining = keyed.filter_map(|Keyed(mut row, key)| {
            let decision = self.journal().decide(&key);
            match decision {
                RowDecision::Skip => {
                    self.skipped.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
                RowDecision::Unknown { sent_at } => row.refuse(unknown_result(sent_at)),
                _ => {}
            }
            Some(Keyed(row, key))
        });
        Ok(remaining.map_while(|Keyed(row, key)| {
            let is_recorded = row.fault.is_some() || self.journal().sending(&key, row.line);
            is_recorded.then_some(Keyed(row, key))
        }))
    }

    /// Records the result of a row.
    fn finish(
        &self,
        result: RowResult<Keyed>,
        refused: &mut RefusedRows<'_>,
        reason: &mut Option<Unfinished>,
    ) -> Result<(), ImportError> {
        let is_refused = result.is_refused();
        let RowResult { row: Keyed(row, key), outcome, .. } = result;
        let error = match outcome {
            Ok(lead) => {
                if let RefusedRows::Listed(preview) = refused {
                    preview.accepted(&row);
                }
                return self.journal().finished(&key, row.line, Some(&lead.id));
            }
            Err(error) => error,
        };
        if row.fault.is_none() && error.outcome() != Outcome::Unknown {
            self.journal().finished(&key, row.line, None)?;
        }
        if self.is_wrong_client(&error) {
            reason.get_or_insert_with(|| Unfinished::WrongClient(error.message()));
        } else if is_refused {
            let because = row.fault.clone().unwrap_or_else(|| error.message());
            match refused {
                RefusedRows::Listed(preview) => preview.refused(&row, because),
                RefusedRows::File(file) => file.add(row.line, &row.record, &because)?,
            }
        } else {
            reason.get_or_insert(Unfinished::Row { line: row.line, error });
        }
        Ok(())
    }

    /// Returns whether the API refuses the client account that all rows share. In that case, no row is at fault, and no
    /// row can succeed.
    fn is_wrong_client(&self, error: &Error) -> bool {
        self.file.columns.only_client().is_some() && error.is_forbidden() && !error.lacks_scope()
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

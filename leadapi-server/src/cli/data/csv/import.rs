//! `data import-csv`: creates leads from the rows of a file.

use std::{
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use clap::Args;
use leadapi_client::{
    Client, Error, Outcome, Pacing, RetryPolicy,
    bulk::{RowDecision, RowResult, StopReason},
};
use leadapi_core::model::{IdempotencyKey, NewLead};

use super::{
    api::ApiArgs,
    journal::Journal,
    refused::{Refused, with_suffix},
    report::Report,
    row::{Keys, Row},
    sheet::{Sheet, SheetArgs},
};
use crate::cli::{
    CommandError,
    csv_error::CsvError,
    output::{Format, progress},
};

/// Create a lead from each row of a CSV file. An import that was interrupted, even with `kill -9`, can be repeated:
/// each row still creates exactly one lead.
///
/// The columns are `client_id`, `name` (required), `email`, `phone`, `source`, `notes`, `value`, `pipeline_id`,
/// `stage_id` and `business_name`, in any order. The columns `id` and `created_at` of an export are ignored.
///
/// FILE.journal records which rows were sent and which leads exist, so a repeated import skips these rows. Rows are
/// recognized by their content, so other rows of the file may change or move in the meantime. Without the journal, the
/// API still recognizes the rows for 24 hours. If a row was sent more than 22 hours ago and its result is unknown, it
/// is refused.
///
/// Refused rows are written to FILE.refused.csv with the reasons. Correct them there, and import that file.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 if all rows are imported, 5 if all except the refused ones are, 1 if the import is
not complete, 2 if the command line is wrong.

Examples:
  LEADAPI_TOKEN=pak_… leadapi-server data import-csv leads.csv --url https://api.example.com/v1 --client ID
  leadapi-server data import-csv leads.csv --store sqlite:leads.db --business ID --client ID --map \"Company=business_name\""
)]
pub(in crate::cli) struct ImportCsv {
    #[command(flatten)]
    sheet: SheetArgs,
    #[command(flatten)]
    api: ApiArgs,
    /// Check all rows, and show how an amount is read, without creating leads or files. The token needs the scope read.
    #[arg(long)]
    dry_run: bool,
    /// The name of the import. Under another name, the same rows are imported again. Defaults to the name of FILE.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The folder for the journal and the refused rows. Defaults to the folder of FILE.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// The number of rows to send in any 60 s, if the limit of the server is not the usual one; 0 means no limit.
    #[arg(long, value_name = "N", default_value_t = 60)]
    writes_per_minute: u32,
    #[command(flatten)]
    format: Format,
}

impl ImportCsv {
    pub(in crate::cli::data) async fn run(self) -> Result<(), CommandError> {
        let sheet = Sheet::open(self.sheet)?;
        let file = sheet.path().file_name().unwrap_or_default();
        let keys = Keys::new(self.name.unwrap_or_else(|| file.to_string_lossy().into_owned()));
        let state = self.state.map_or_else(|| sheet.path().to_owned(), |folder| folder.join(file));
        let journal = with_suffix(&state, ".journal");
        let api = self.api.open(Pacing::default().writes(self.writes_per_minute)).await?;
        let (client, journal, refused) = if self.dry_run {
            let journal = Journal::open_for_dry_run(&journal, &api.target)?;
            (api.copy_without_leads().await?, journal, RefusedRows::Listed(Vec::new()))
        } else {
            let journal = Journal::open(&journal, &api.target)?;
            (api.client, journal, RefusedRows::File(Refused::new(&sheet, state)))
        };
        let import = Import { sheet: &sheet, journal: Mutex::new(journal), skipped: AtomicU64::new(0) };
        import.run(&client, api.concurrency, keys, refused).await?.print(self.format)
    }
}

struct Import<'s> {
    sheet: &'s Sheet,
    journal: Mutex<Journal>,
    /// The number of rows that earlier runs imported.
    skipped: AtomicU64,
}

enum RefusedRows<'s> {
    Listed(Vec<(u64, String)>),
    File(Refused<'s>),
}

/// A row and its idempotency key.
struct Keyed(Row, IdempotencyKey);

impl AsRef<NewLead> for Keyed {
    fn as_ref(&self) -> &NewLead {
        &self.0.new
    }
}

impl Import<'_> {
    async fn run(
        self,
        client: &Client,
        concurrency: usize,
        keys: Keys,
        mut refused: RefusedRows<'_>,
    ) -> Result<Report, CommandError> {
        let bar = progress("rows", self.sheet.rows);
        let mut creates = client
            .leads()
            .create_many(self.rows(keys)?)
            .keys(|_, Keyed(_, key)| key.clone())
            .in_flight(concurrency)
            .in_order()
            // Eight attempts are enough to survive a server restart.
            .retry(RetryPolicy::default().attempts(8))
            .stop_on(|error| self.is_wrong_client(error));
        let mut failure = None;
        while let Some(result) = creates.next().await {
            match result {
                Ok(result) => self.finish(result, &mut refused, &mut failure)?,
                Err(stopped) => match stopped.reason() {
                    StopReason::EveryRow => failure = Some(CsvError::Api(stopped.message().to_owned())),
                    // The failure that an earlier row recorded has a more precise message.
                    _ => _ = failure.get_or_insert_with(|| CsvError::Incomplete(stopped.message().to_owned())),
                },
            }
            bar.set_position(self.skipped.load(Ordering::Relaxed) + creates.progress().finished());
        }
        let progress = creates.progress();
        drop(creates);
        let seen = self.skipped.load(Ordering::Relaxed) + progress.finished();
        if failure.is_none() && seen != self.sheet.rows {
            failure = Some(CsvError::Incomplete("the file changed while it was read".to_owned()));
        }
        bar.finish_and_clear();
        self.journal.into_inner().unwrap_or_else(PoisonError::into_inner).result()?;
        let (is_dry_run, refused_file, problems) = match refused {
            RefusedRows::Listed(problems) => (true, None, problems),
            RefusedRows::File(file) => (false, file.finish()?, Vec::new()),
        };
        let (file, rows, skipped) = (self.sheet.path().to_owned(), self.sheet.rows, self.skipped.into_inner());
        let amounts = self.sheet.amounts.clone().filter(|_| is_dry_run);
        let phones = self.sheet.phones;
        Ok(Report { file, is_dry_run, rows, skipped, progress, refused_file, problems, amounts, phones, failure })
    }

    /// Returns the rows that have not been imported yet. The iterator ends early if a row cannot be read or recorded.
    fn rows(&self, mut keys: Keys) -> Result<impl Iterator<Item = Keyed> + Send, CsvError> {
        let rows = self.sheet.rows()?.map_while(|row| self.journal().check(row));
        let keyed = rows.map(move |mut row| {
            let key = keys.next(&row.new).unwrap_or_else(|rule| {
                // An existing fault is the reason that the lead is invalid, so it is kept.
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
                RowDecision::Unknown { sent_at } => row.refuse(format!(
                    "this row was sent at {sent_at}, and its result is unknown: import it only if the lead does not exist"
                )),
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
        failure: &mut Option<CsvError>,
    ) -> Result<(), CommandError> {
        let is_refused = result.is_refused();
        let RowResult { row: Keyed(row, key), outcome, .. } = result;
        let error = match outcome {
            Ok(lead) => return Ok(self.journal().finished(&key, row.line, Some(&lead.id))?),
            Err(error) => error,
        };
        if row.fault.is_none() && error.outcome() != Outcome::Unknown {
            self.journal().finished(&key, row.line, None)?;
        }
        if self.is_wrong_client(&error) {
            failure.get_or_insert_with(|| CsvError::Api(format!("--client: {}", error.message())));
        } else if is_refused {
            let because = row.fault.unwrap_or_else(|| error.message());
            match refused {
                RefusedRows::Listed(problems) => problems.push((row.line, because)),
                RefusedRows::File(file) => file.add(row.line, &row.record, &because)?,
            }
        } else {
            failure.get_or_insert_with(|| CsvError::Incomplete(format!("line {}: {error}", row.line)));
        }
        Ok(())
    }

    /// Returns whether the API refuses the client account that all rows share. Then no row is at fault, and none can
    /// succeed.
    fn is_wrong_client(&self, error: &Error) -> bool {
        self.sheet.has_one_client() && error.is_forbidden() && !error.lacks_scope()
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

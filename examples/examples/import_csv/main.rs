//! Imports leads from a CSV file into a client account. An interrupted import resumes where it stopped.
//!
//! Run it with `cargo run -p leadapi-examples --example import_csv -- leads.csv --client casa-verde`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program reports to the terminal")]

mod journal;
mod refused;
mod report;
mod sheet;
#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use journal::Journal;
use leadapi_client::{
    Client, Error, Pacing, RetryPolicy,
    bulk::RowResult,
    id::ClientId,
    model::{IdempotencyKey, InvalidIdempotencyKey},
};
use leadapi_core::BoxError;
use refused::Refused;
use report::{Complaint, Report};
use sheet::{Row, Sheet};

/// Creates a lead from each row of a CSV file.
///
/// The first row names the columns: name (required), email, phone, source, notes, value, stage (an id), pipeline (an
/// id), `business_name`, `client_id`. Reads the API's base URL from `LEADAPI_URL` and the token from `LEADAPI_TOKEN`.
///
/// It is safe to run the import again after any failure: no row creates two leads. FILE.imported.csv lists the imported
/// rows. If a response was lost, the service recognizes the row for 24 hours by the import's name and the row number.
/// To import different rows, use a different name.
///
/// Rows that break a rule are written to FILE.refused.csv with the reason. Correct the rows there, then import that
/// file.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes: 0 if all rows are imported, 1 if some are not, 2 if the command line is wrong.")]
struct Args {
    /// The CSV file to import, in UTF-8.
    file: PathBuf,
    /// The client account for rows without a `client_id`.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// The name of the import; defaults to the file name. Under another name, the same rows are imported again.
    #[arg(long, value_name = "NAME")]
    import: Option<String>,
    /// The character that separates fields.
    #[arg(long, value_name = "CHARACTER", default_value = ",")]
    delimiter: char,
    /// Maximum number of rows to send in any 60 s, if the server's limit differs from the contract; 0 means no limit.
    #[arg(long, value_name = "N", default_value_t = 60)]
    writes_per_minute: u32,
    /// Number of concurrent requests, at most 64.
    #[arg(long, value_name = "N", default_value_t = 8)]
    in_flight: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    match import_from_environment(&Args::parse()).await {
        Ok(report) => {
            print!("{report}");
            if report.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn import_from_environment(args: &Args) -> Result<Report, BoxError> {
    let pacing = Pacing::default().writes(args.writes_per_minute);
    import(args, &Client::from_env()?.application("import_csv").pacing(pacing).build()?).await
}

/// Imports the rows and reports the outcome.
async fn import(args: &Args, client: &Client) -> Result<Report, BoxError> {
    let name = args.import.clone().unwrap_or_else(|| name_of(&args.file));
    let last_key = key(&name, u64::MAX).map_err(|error| format!("--import {error}"))?;
    let sheet = Sheet::open(&args.file, args.delimiter, args.client.as_ref())?;
    if !sheet.unused().is_empty() {
        eprintln!("These columns are not fields of a lead and are ignored: {}.", sheet.unused().join(", "));
    }
    let rows = sheet.count_rows()?;
    let (done, mut journal) = Journal::open(&args.file, &name)?;
    let bar = ProgressBar::new(rows).with_message(name.clone());
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}, {eta} left")?);

    let skipped = AtomicU64::new(0);
    let remaining = sheet.rows()?.filter_map(|mut row| {
        let is_done = done.has(&mut row);
        skipped.fetch_add(u64::from(is_done), Ordering::Relaxed);
        (!is_done).then_some(row)
    });
    let mut creates = client
        .leads()
        .create_many(remaining)
        // The key contains the row's number in the file, so it is the same in every run.
        .keys(|_, row: &Row| key(&name, row.number).unwrap_or_else(|_| last_key.clone()))
        .in_flight(args.in_flight)
        // Eight attempts are enough to survive a server restart.
        .retry(RetryPolicy::default().attempts(8))
        // If all rows belong to one client account and the service refuses that account, no other row can succeed.
        .stop_on(|error| !sheet.has_accounts() && is_refused_account(error));
    let mut refused = Refused::next_to(&args.file, sheet.header());
    let mut complaint = None;
    while let Some(result) = creates.next().await {
        match result {
            // The row itself is valid, so it does not belong in the file of refused rows.
            Ok(RowResult { outcome: Err(error), .. }) if !sheet.has_accounts() && is_refused_account(&error) => {
                complaint = Some(Complaint::Account(error.message()));
            }
            Ok(result) if result.is_refused() => {
                let RowResult { row, outcome, .. } = result;
                // The error found while parsing the file is more helpful than the validation error for the empty lead.
                let because = row.fault.or_else(|| outcome.err().map(|error| error.message())).unwrap_or_default();
                refused.add(row.number, &row.record, &because)?;
            }
            Ok(RowResult { row, outcome, .. }) => match outcome {
                Ok(lead) => journal.add(&row, &lead.id)?,
                Err(error) => complaint = Some(Complaint::Other(format!("Row {}: {error}", row.number))),
            },
            Err(_) if matches!(complaint, Some(Complaint::Account(_))) => {}
            // Report only the message: the full text identifies the row by its index in this run, not by its number in
            // the file.
            Err(stopped) => {
                complaint = Some(Complaint::Other(format!("The import stopped: {}", stopped.message())));
            }
        }
        bar.set_position(skipped.load(Ordering::Relaxed) + creates.progress().finished());
    }
    let progress = creates.progress();
    drop(creates);
    bar.finish_and_clear();
    let refused = refused.path().map(Path::to_owned);
    Ok(Report { name, rows, skipped: skipped.into_inner(), progress, refused, complaint })
}

/// Returns whether the client account does not belong to the business.
fn is_refused_account(error: &Error) -> bool {
    error.is_forbidden() && !error.lacks_scope()
}

/// Returns the file name, with characters that an idempotency key cannot contain replaced by `-`.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).take(200).collect()
}

fn key(import: &str, row: u64) -> Result<IdempotencyKey, InvalidIdempotencyKey> {
    IdempotencyKey::parse(&format!("{import}/row-{row}"))
}

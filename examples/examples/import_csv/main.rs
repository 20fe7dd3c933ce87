//! A CSV file of leads into a client account; broken off, it goes on where it was.
//!
//! `cargo run -p leadapi-examples --example import_csv -- leads.csv --client casa-verde`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program says what it has done")]

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
    bulk::Settled,
    id::ClientId,
    model::{IdempotencyKey, InvalidIdempotencyKey},
};
use leadapi_core::BoxError;
use refused::Refused;
use report::{Complaint, Report};
use sheet::{Row, Sheet};

/// Creates a lead of each row of a CSV file.
///
/// The first row names the columns: name (required), email, phone, source, notes, value, stage and pipeline (their ids),
/// `business_name`, `client_id`. The API's base URL is in `LEADAPI_URL`, the token in `LEADAPI_TOKEN`.
///
/// Run it again after whatever has happened: no row becomes two leads. What is in stands in FILE.imported.csv, and rows
/// whose answer was lost are known to the service for 24 hours by the import's name and their number. Other rows under
/// the same name are another import: give it a name of its own.
///
/// Rows that break a rule are written to FILE.refused.csv with the reason, to be mended there and imported from there.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes: 0 when all rows are in, 1 when some are not, 2 when the command line is wrong.")]
struct Args {
    /// The file, in UTF-8.
    file: PathBuf,
    /// The client account of the rows that name none.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// What the import is called, by default as its file. The same rows under another name are imported once more.
    #[arg(long, value_name = "NAME")]
    import: Option<String>,
    /// What stands between two fields.
    #[arg(long, value_name = "CHARACTER", default_value = ",")]
    delimiter: char,
    /// How many rows are sent in any 60 s, for servers with another limit than the contract's; 0 is as fast as it goes.
    #[arg(long, value_name = "N", default_value_t = 60)]
    writes_per_minute: u32,
    /// How many rows are on their way at a time, at most 64.
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

/// Imports, and reports what has become of the rows.
async fn import(args: &Args, client: &Client) -> Result<Report, BoxError> {
    let name = args.import.clone().unwrap_or_else(|| name_of(&args.file));
    let last_key = key(&name, u64::MAX).map_err(|error| format!("--import {error}"))?;
    let sheet = Sheet::open(&args.file, args.delimiter, args.client.as_ref())?;
    if !sheet.unused().is_empty() {
        eprintln!("These columns are no fields of a lead, and are left out: {}.", sheet.unused().join(", "));
    }
    let rows = sheet.count_rows()?;
    let (done, mut journal) = Journal::open(&args.file, &name)?;
    let bar = ProgressBar::new(rows).with_message(name.clone());
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}, {eta} to go")?);

    let skipped = AtomicU64::new(0);
    let not_in_yet = sheet.rows()?.filter_map(|mut row| {
        let is_in = done.has(&mut row);
        skipped.fetch_add(u64::from(is_in), Ordering::Relaxed);
        (!is_in).then_some(row)
    });
    let mut creates = client
        .leads()
        .create_many(not_in_yet)
        // A row is known by its number in the file, in whichever run it is sent.
        .keys(|_, row: &Row| key(&name, row.number).unwrap_or_else(|_| last_key.clone()))
        .in_flight(args.in_flight)
        // Long enough for a server to be started anew.
        .retry(RetryPolicy::default().attempts(8))
        // Where all rows are of one client account that is not ours, the others need not be tried.
        .stop_on(|error| !sheet.has_accounts() && is_of_the_account(error));
    let mut refused = Refused::beside(&args.file, sheet.header());
    let mut complaint = None;
    while let Some(settled) = creates.next().await {
        match settled {
            // Nothing is wrong with the row: there is nothing to correct in a file of refused rows.
            Ok(Settled { outcome: Err(error), .. }) if !sheet.has_accounts() && is_of_the_account(&error) => {
                complaint = Some(Complaint::Account(error.message()));
            }
            Ok(settled) if settled.is_refused() => {
                let Settled { row, outcome, .. } = settled;
                // What is wrong with the row in the file says more than what is wrong with the lead that it is not.
                let because = row.fault.or_else(|| outcome.err().map(|error| error.message())).unwrap_or_default();
                refused.add(row.number, &row.record, &because)?;
            }
            Ok(Settled { row, outcome, .. }) => match outcome {
                Ok(lead) => journal.add(&row, &lead.id)?,
                Err(error) => complaint = Some(Complaint::Other(format!("Row {}: {error}", row.number))),
            },
            Err(_) if matches!(complaint, Some(Complaint::Account(_))) => {}
            // Its own text names the row by its place in this run.
            Err(stopped) => {
                complaint = Some(Complaint::Other(format!("No more rows were sent: {}", stopped.message())));
            }
        }
        bar.set_position(skipped.load(Ordering::Relaxed) + creates.progress().settled());
    }
    let progress = creates.progress();
    drop(creates);
    bar.finish_and_clear();
    let refused = refused.path().map(Path::to_owned);
    Ok(Report { name, rows, skipped: skipped.into_inner(), progress, refused, complaint })
}

/// Whether the client account is not one of the business.
fn is_of_the_account(error: &Error) -> bool {
    error.is_forbidden() && !error.lacks_scope()
}

/// The file's name, as it can stand in a key.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).take(200).collect()
}

fn key(import: &str, row: u64) -> Result<IdempotencyKey, InvalidIdempotencyKey> {
    IdempotencyKey::parse(&format!("{import}/row-{row}"))
}

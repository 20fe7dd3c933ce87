//! A CSV file of leads into a client account; broken off, it goes on where it was.
//!
//! `cargo run -p leadapi-examples --example import_csv -- leads.csv --client casa-verde`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program says what it has done")]

mod journal;
mod refused;
mod sheet;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
};

use clap::Parser;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use journal::Journal;
use leadapi_client::{
    Client, Pacing, RetryPolicy,
    bulk::{Progress, Settled},
    id::ClientId,
    model::{IdempotencyKey, InvalidIdempotencyKey},
};
use leadapi_core::BoxError;
use refused::Refused;
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
    match import(&Args::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Imports, and says whether all rows are in.
async fn import(args: &Args) -> Result<bool, BoxError> {
    let pacing = Pacing::default().writes(args.writes_per_minute);
    let client = Client::from_env()?.application("import_csv").pacing(pacing).build()?;
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
        .stop_on(|error| !sheet.has_accounts() && error.is_forbidden());
    let mut refused = Refused::beside(&args.file, sheet.header());
    let mut complaint = None;
    while let Some(settled) = creates.next().await {
        match settled {
            Ok(settled) if settled.is_refused() => {
                let Settled { row, outcome, .. } = settled;
                // What is wrong with the row in the file says more than what is wrong with the lead that it is not.
                let because = row.fault.or_else(|| outcome.err().map(|error| error.message())).unwrap_or_default();
                refused.add(row.number, &row.record, &because)?;
            }
            Ok(Settled { row, outcome, .. }) => match outcome {
                Ok(lead) => journal.add(&row, &lead.id)?,
                Err(error) => complaint = Some(format!("Row {}: {error}", row.number)),
            },
            // Its own text names the row by its place in this run.
            Err(stopped) => complaint = Some(format!("No more rows were sent: {}", stopped.message())),
        }
        bar.set_position(skipped.load(Ordering::Relaxed) + creates.progress().settled());
    }
    let progress = creates.progress();
    drop(creates);
    bar.finish_and_clear();
    Ok(say(&name, rows, skipped.into_inner(), progress, refused.path(), complaint.as_deref()))
}

/// Says what has become of so many rows, and whether all are in.
fn say(
    name: &str,
    rows: u64,
    skipped: u64,
    progress: Progress,
    refused: Option<&Path>,
    complaint: Option<&str>,
) -> bool {
    let were_there = skipped + progress.replayed;
    let line = |what: &str, number: u64| println!("  {what:<20}{:>12}", HumanCount(number).to_string());
    println!("{} rows of {name}", HumanCount(rows));
    line("created", progress.created);
    line("were there already", were_there);
    line("refused", progress.refused);
    line("unknown", progress.unknown);
    line("not sent", rows.saturating_sub(were_there + progress.created + progress.refused + progress.unknown));
    if let Some(path) = refused {
        println!("The refused rows are in {}, to be mended and imported from there.", path.display());
    }
    if let Some(complaint) = complaint {
        println!("{complaint}");
        println!("Run the same command again: what is in stays as it is, and the rest is sent.");
    }
    progress.are_in() + skipped == rows
}

/// The file's name, as it can stand in a key.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).take(200).collect()
}

fn key(import: &str, row: u64) -> Result<IdempotencyKey, InvalidIdempotencyKey> {
    IdempotencyKey::parse(&format!("{import}/row-{row}"))
}

//! Imports leads from a CSV file with `leadapi-import`. Running it again continues an interrupted import, and creates no
//! lead twice. `leadapi data import-csv` has more options, and is built on the same crate.
//!
//! Run it with `cargo run -p leadapi-examples --example import_csv -- leads.csv`. The file needs the columns
//! `client_id` and `name`, and can have columns for the other fields of a lead.

#![allow(clippy::print_stdout, reason = "the program reports to the terminal")]

use std::time::Duration;

use leadapi_client::Client;
use leadapi_core::BoxError;
use leadapi_import::{CsvFile, Destination, Importer, ReadOptions};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = std::env::args().nth(1).ok_or("the path of a CSV file is missing")?;
    let file = CsvFile::open(&path, &ReadOptions::default())?;
    // Reads the base URL from LEADAPI_URL and the token from LEADAPI_TOKEN. The timeout includes the waits for the rate
    // limit. Other programs with the same token prolong these waits.
    let client = Client::from_env()?.application("import_csv").timeout(Duration::from_secs(3_600)).build()?;
    let destination = Destination::url(client.base_url());
    let report = Importer::new(client, destination).run(&file).await?;
    println!("{} of {} rows have been imported", report.created + report.already_imported, report.rows);
    if let Some(refused) = report.refused_file {
        println!("{} has the refused rows and the reasons", refused.display());
    }
    report.reason.map_or(Ok(()), |reason| Err(reason.into()))
}

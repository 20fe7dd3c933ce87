//! Imports leads from a CSV file. `leadapi-server data import-csv` is a complete tool, with a journal and a file of
//! refused rows; this example shows the call that it is built on.
//!
//! Run it with `cargo run -p leadapi-examples --example import_csv -- leads.csv`. The file needs the columns `client_id`
//! and `name`, and can have columns for the other fields of a lead.

#![allow(clippy::print_stdout, reason = "the program reports to the terminal")]

use leadapi_client::{Client, model::NewLead};
use leadapi_core::BoxError;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = std::env::args().nth(1).ok_or("the path of a CSV file is missing")?;
    let rows: Vec<NewLead> = csv::Reader::from_path(&path)?.into_deserialize().collect::<Result<_, _>>()?;
    // Reads the base URL from LEADAPI_URL and the token from LEADAPI_TOKEN.
    let client = Client::from_env()?.application("import_csv").build()?;
    // The import has the same name in every run, so a second run within 24 hours creates no duplicates.
    let mut creates = client.leads().create_many(rows).named(&path)?.in_order();
    while let Some(result) = creates.next().await {
        let result = result?;
        match result.outcome {
            Ok(lead) => println!("row {}: {}", result.index + 1, lead.id),
            Err(error) => println!("row {}: {}", result.index + 1, error.message()),
        }
    }
    println!("{} of {} rows have been imported", creates.progress().succeeded(), creates.progress().finished());
    Ok(())
}

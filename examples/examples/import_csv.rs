//! Imports leads from a CSV file. `leadapi-server data import-csv` is a complete tool, with a journal and a file of
//! refused rows; this example shows the call that it is built on.
//!
//! Run it with `cargo run -p leadapi-examples --example import_csv -- leads.csv`. The file needs the columns
//! `client_id` and `name`, and can have columns for the other fields of a lead. Each row is one line.

#![allow(clippy::print_stdout, reason = "the program reports to the terminal")]

use leadapi_client::{Client, model::NewLead};
use leadapi_core::BoxError;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = std::env::args().nth(1).ok_or("the path of a CSV file is missing")?;
    let text = std::fs::read_to_string(&path)?;
    let text = text.trim_start_matches('\u{feff}');
    if let Some(wrong) = text.lines().position(|line| !has_valid_quotes(line)) {
        return Err(
            format!("line {} has a wrong quote: inside a quoted cell, a quote is written twice", wrong + 1).into()
        );
    }
    let rows: Vec<NewLead> = csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect::<Result<_, _>>()?;
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

/// Returns whether each quote opens or closes a cell, or is half of a doubled quote inside one. The csv crate accepts
/// any quotes, and reads the lines after an unbalanced one as text of its cell: their leads would be lost without an
/// error.
fn has_valid_quotes(line: &str) -> bool {
    // Every second part is inside a quoted cell. The parts between two quoted cells start and end with a comma.
    let parts: Vec<&str> = line.split('"').collect();
    let last = parts.len() - 1;
    last.is_multiple_of(2)
        && parts.iter().enumerate().step_by(2).all(|(nth, part)| {
            part.is_empty() || (nth == 0 || part.starts_with(',')) && (nth == last || part.ends_with(','))
        })
}

#[cfg(test)]
mod tests {
    use super::has_valid_quotes;

    #[test]
    fn a_wrong_quote_is_found() {
        for line in ["", "a,b", "\"a\",b", "a,\"b, c\",\"\"", "\"\"\"a\"\" b\"", "\"a\",\"b\""] {
            assert!(has_valid_quotes(line), "{line}");
        }
        for line in
            ["Bo,\"open", "Ed,\"closed\"\"", "Ed,closed\"", "\"Ann\" Lee", "\"5\" pipe\"", "5\" pipe", "a,\"b\"c"]
        {
            assert!(!has_valid_quotes(line), "{line}");
        }
    }
}

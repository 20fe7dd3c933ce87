//! The report at the end of an import.

use std::{fmt, path::PathBuf};

use indicatif::HumanCount;
use leadapi_client::bulk::Progress;

/// The outcome of an import.
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) rows: u64,
    /// The number of rows that earlier runs imported.
    pub(crate) skipped: u64,
    pub(crate) progress: Progress,
    /// The path of the file of refused rows, if any row was refused.
    pub(crate) refused: Option<PathBuf>,
    pub(crate) complaint: Option<Complaint>,
}

/// The reason why rows were not imported.
pub(crate) enum Complaint {
    /// The client account from the command line does not belong to the business, so no row can succeed.
    Account(String),
    /// A failure that may not recur in a later run.
    Other(String),
}

impl Report {
    /// Returns whether all rows have been imported.
    pub(crate) const fn is_complete(&self) -> bool {
        self.progress.succeeded() + self.skipped == self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, rows, skipped, progress, refused, complaint } = self;
        let existed = skipped + progress.replayed;
        let not_sent = rows.saturating_sub(existed + progress.created + progress.refused + progress.unknown);
        writeln!(f, "{} rows of {name}", HumanCount(*rows))?;
        for (what, number) in [
            ("created", progress.created),
            ("already imported", existed),
            ("refused", progress.refused),
            ("unknown", progress.unknown),
            ("not sent", not_sent),
        ] {
            writeln!(f, "  {what:<20}{:>12}", HumanCount(number).to_string())?;
        }
        if let Some(path) = refused {
            writeln!(f, "The refused rows are in {}. Correct them there and import that file.", path.display())?;
        }
        match complaint {
            Some(Complaint::Account(message)) => {
                writeln!(f, "{message}")?;
                writeln!(f, "Correct --client and run the command again; GET /clients lists the client accounts.")
            }
            Some(Complaint::Other(message)) => {
                writeln!(f, "{message}")?;
                writeln!(f, "Run the same command again: it skips the imported rows and sends the rest.")
            }
            None => Ok(()),
        }
    }
}

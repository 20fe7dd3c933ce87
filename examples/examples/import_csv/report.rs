//! What the import says at its end.

use std::{fmt, path::PathBuf};

use indicatif::HumanCount;
use leadapi_client::bulk::Progress;

/// What has become of the rows.
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) rows: u64,
    /// Rows that an earlier run has brought in.
    pub(crate) skipped: u64,
    pub(crate) progress: Progress,
    /// The file of refused rows.
    pub(crate) refused: Option<PathBuf>,
    pub(crate) complaint: Option<Complaint>,
}

/// Why rows are missing.
pub(crate) enum Complaint {
    /// The client account of the command line is not one of the business: no row can succeed.
    Account(String),
    /// Anything that a later run may not meet.
    Other(String),
}

impl Report {
    /// Whether all rows are in.
    pub(crate) const fn is_complete(&self) -> bool {
        self.progress.are_in() + self.skipped == self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, rows, skipped, progress, refused, complaint } = self;
        let were_there = skipped + progress.replayed;
        let not_sent = rows.saturating_sub(were_there + progress.created + progress.refused + progress.unknown);
        writeln!(f, "{} rows of {name}", HumanCount(*rows))?;
        for (what, number) in [
            ("created", progress.created),
            ("were there already", were_there),
            ("refused", progress.refused),
            ("unknown", progress.unknown),
            ("not sent", not_sent),
        ] {
            writeln!(f, "  {what:<20}{:>12}", HumanCount(number).to_string())?;
        }
        if let Some(path) = refused {
            writeln!(f, "The refused rows are in {}, to be corrected and imported from there.", path.display())?;
        }
        match complaint {
            Some(Complaint::Account(message)) => {
                writeln!(f, "{message}")?;
                writeln!(f, "Correct --client and run the command again; GET /clients lists the client accounts.")
            }
            Some(Complaint::Other(message)) => {
                writeln!(f, "{message}")?;
                writeln!(f, "Run the same command again: it skips the rows that are in and sends the rest.")
            }
            None => Ok(()),
        }
    }
}

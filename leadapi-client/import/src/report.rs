//! The result of an import.

use std::path::PathBuf;

use leadapi_client::bulk::Stopped;

use crate::{amounts::AmountReading, phone::PhoneCounts};

/// The result of an import or a dry run.
#[derive(Debug)]
#[non_exhaustive]
pub struct ImportReport {
    /// The number of rows in the file.
    pub rows: u64,
    /// The number of leads that this run created, or, for a dry run, that an import would create.
    pub created: u64,
    /// The number of rows whose leads were created by an earlier run.
    pub already_imported: u64,
    /// The number of rows that are not valid, or that the API refused.
    pub refused: u64,
    /// The number of rows that were not sent, that failed, or whose result is unknown.
    pub unfinished: u64,
    /// The file of refused rows, if there are any.
    pub refused_file: Option<PathBuf>,
    /// For a dry run, the refused rows. A dry run writes no file of refused rows.
    pub problems: Vec<RefusedRow>,
    /// For a dry run, what each column becomes.
    pub columns: Vec<ColumnPreview>,
    /// For a dry run, the number of rows with the e-mail address or the phone number of an earlier row.
    pub duplicates: u64,
    /// For a dry run, an example amount from the file, and the number that it is read as.
    pub amounts: Option<AmountReading>,
    /// The phone numbers of the file.
    pub phones: PhoneCounts,
    /// The reason why the import is not complete, if it is not. The next run continues it.
    pub reason: Option<Unfinished>,
}

/// A column of a file, and what it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnPreview {
    /// The title of the column.
    pub title: String,
    /// The name of the field, or `None` if the column is ignored.
    pub field: Option<&'static str>,
    /// Up to three different texts of the column, each with the text of the field.
    pub samples: Vec<(String, String)>,
    /// The number of rows that are refused because of this field.
    pub refused: u64,
}

/// A row that is not valid, or that the API refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedRow {
    /// The line at which the row starts.
    pub line: u64,
    /// The reason.
    pub reason: String,
}

/// The reason why an import is not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unfinished {
    /// The API refuses the client account that all rows share.
    #[error("{0}")]
    WrongClient(String),
    /// An error stopped the import.
    #[error("{}", .0.message())]
    Stopped(Stopped),
    /// A row failed although it is valid.
    #[error("line {line}: {error}")]
    Row {
        /// The line at which the row starts.
        line: u64,
        /// The error.
        error: leadapi_client::Error,
    },
    /// Another program changed the file during the import.
    #[error("the file changed while it was read")]
    FileChanged,
}

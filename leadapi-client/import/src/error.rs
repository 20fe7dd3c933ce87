//! The errors of imports and exports.

use std::{io, path::PathBuf};

use leadapi_core::{BoxError, model::Timestamp};

use crate::encoding::Encoding;

/// The reason why an import failed before its end. Rows that were sent before the error are in the journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The CSV file cannot be read or imported.
    #[error("{}: {problem}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The problem.
        problem: FileProblem,
    },
    /// The journal cannot be used.
    #[error("{}: {problem}", path.display())]
    Journal {
        /// The path of the journal.
        path: PathBuf,
        /// The problem.
        problem: JournalProblem,
    },
    /// The file of refused rows cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The client accounts and pipelines, which rows can name, cannot be read.
    #[error("{0}")]
    Api(#[source] leadapi_client::Error),
    /// Several client accounts have the name that the options name.
    #[error("{0}")]
    Client(String),
    /// The in-memory API for a dry run cannot be set up.
    #[error("{0}")]
    Setup(#[source] BoxError),
}

const QUOTES: &str = "inside a quoted cell, a quote is written twice";

/// The reason why a CSV file cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Unreadable(#[from] io::Error),
    /// Another program changed the file while it was read.
    #[error("the file changed while it was read")]
    Changed,
    /// The file has no header.
    #[error("the file is empty")]
    Empty,
    /// The input cannot be read twice. [`CsvFile::copy`](crate::CsvFile::copy) accepts any input.
    #[error("this is a pipe, which cannot be read twice")]
    Stream,
    /// A line has bytes that are invalid in the encoding of the file.
    #[error("line {line} is not {encoding}: save the file as \"CSV UTF-8\", or name its encoding")]
    WrongEncoding {
        /// The number of the line.
        line: u64,
        /// The encoding, which is UTF-8 unless the file or the options show another one.
        encoding: Encoding,
    },
    /// An Excel workbook cannot be read.
    #[error("cannot read the workbook: {0}")]
    Workbook(String),
    /// The file is a workbook of Excel 97 to 2003.
    #[error("this is a workbook of an old format: save it as .xlsx")]
    OldWorkbook,
    /// The options name a worksheet, but the file is not a workbook.
    #[error("this is not an Excel workbook, so it has no sheets")]
    NotAWorkbook,
    /// The workbook has several worksheets, and the options name none.
    #[error("several sheets have cells: {}", quoted(sheets))]
    SeveralSheets {
        /// The names of these sheets.
        sheets: Vec<String>,
    },
    /// The workbook has no worksheet with this name.
    #[error("there is no such sheet; the sheets are {}", quoted(sheets))]
    NoSuchSheet {
        /// The names of all worksheets.
        sheets: Vec<String>,
    },
    /// The first row is not the header, but a later one looks like it.
    #[error("line {line} looks like the header, but it is not the first row")]
    TitleRows {
        /// The number of the line.
        line: u64,
    },
    /// A column without a title has text.
    #[error("line {line}: column {column} has text but no title")]
    UntitledColumn {
        /// The line at which the row starts.
        line: u64,
        /// The number of the column. The first column has the number 1.
        column: usize,
    },
    /// A quote is never closed.
    #[error("line {line}: the quote that opens here is never closed; {QUOTES}")]
    UnclosedQuote {
        /// The line of the quote.
        line: u64,
    },
    /// Text follows the closing quote of a cell that spans several lines, so a quote is missing or misplaced.
    #[error("line {line}: the quote that opens here is closed on line {closed}; {QUOTES}")]
    QuoteClosedLater {
        /// The line of the opening quote.
        line: u64,
        /// The line of the closing quote.
        closed: u64,
    },
    /// Text follows the closing quote of a cell.
    #[error("line {line}: text follows the closing quote of a cell; {QUOTES}")]
    TextAfterQuote {
        /// The number of the line.
        line: u64,
    },
    /// A quoted cell may contain rows that were meant to be separate.
    /// [`ReadOptions::multiline`](crate::ReadOptions::multiline) accepts such cells.
    #[error("line {line}: a quoted cell has several lines, and each one looks like a row")]
    RowsInCell {
        /// The line at which the row starts.
        line: u64,
    },
    /// Nothing shows the notation of the amounts, and the options name no [`Notation`](crate::Notation).
    #[error("line {line}: value {text} is ambiguous, and so is every other amount with a separator")]
    AmbiguousAmount {
        /// The line of the first such amount, if possible with a comma.
        line: u64,
        /// The amount.
        text: String,
    },
    /// Some amounts have a decimal comma, and others have a decimal point.
    #[error("value {} on line {} and {} on line {} have different notations", comma.1, comma.0, point.1, point.0)]
    MixedNotations {
        /// The line and the text of an amount with a decimal comma.
        comma: (u64, String),
        /// The line and the text of an amount with a decimal point.
        point: (u64, String),
    },
    /// The amounts name different currencies.
    #[error("line {line}: value {text} is in a different currency; the amounts before it are in {currency}")]
    MixedCurrencies {
        /// The line of the first amount in another currency.
        line: u64,
        /// The amount.
        text: String,
        /// The currency of the amounts before it.
        currency: &'static str,
    },
    /// Several columns have the same title, and the options map this title to a field that accepts only one column.
    #[error("several columns have the title {title:?}; they are {title}#1, {title}#2 and so on")]
    SameTitle {
        /// The title.
        title: String,
    },
    /// A column that the options map is missing.
    #[error("there is no column {title:?}")]
    NoSuchColumn {
        /// The title of the column.
        title: String,
    },
    /// Two columns are mapped to a field that accepts only one.
    #[error("two columns are mapped to {field}")]
    MappedTwice {
        /// The name of the field.
        field: &'static str,
    },
    /// No column is mapped to the name of a lead.
    #[error("no column is mapped to name, which is required")]
    NoName {
        /// The titles of all columns.
        columns: Vec<String>,
    },
    /// Some columns are not fields of a lead, and the options neither map nor ignore them.
    #[error("unknown columns: {}", quoted(columns))]
    UnknownColumns {
        /// The titles of these columns.
        columns: Vec<String>,
    },
    /// Neither the options nor a column contain a client account.
    #[error("no client account")]
    NoClient,
}

/// Formats titles as a list of quoted strings.
fn quoted(titles: &[String]) -> String {
    titles.iter().map(|title| format!("{title:?}")).collect::<Vec<_>>().join(", ")
}

/// The reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalProblem {
    /// The journal cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a journal.
    #[error("this is not a journal of an import")]
    NotAJournal,
    /// A newer version of this crate wrote the journal.
    #[error("a newer version has written this journal")]
    Newer,
    /// Another import is using the journal.
    #[error("another import is using this journal")]
    InUse,
    /// A line cannot be read.
    #[error("line {line} is damaged: {source}")]
    Damaged {
        /// The number of the line.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// The journal belongs to an import into a different API.
    #[error("this is the journal of an import into {name}")]
    OtherDestination {
        /// The other API.
        name: String,
    },
    /// An earlier run mapped the columns or read the cells differently, so the same rows would create other leads.
    #[error("an earlier run of this import mapped the columns or read the text or the amounts differently")]
    OtherColumns,
    /// An earlier run created leads of another client account, so the same rows would create second leads.
    #[error("an earlier run of this import created leads of another client account")]
    OtherClient,
    /// The store was restored or replaced after the import, and may lack the imported leads.
    #[error("{name} was restored from a backup or replaced after this import, and may lack its leads")]
    Replaced {
        /// The store.
        name: String,
    },
}

/// The reason why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The leads could not be read.
    #[error("{0}")]
    Api(#[from] leadapi_client::Error),
    /// The output could not be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Returns the reason why a row with an unknown result is refused.
pub(crate) fn unknown_result(sent_at: Timestamp) -> String {
    format!("this row was sent at {sent_at}, and its result is unknown: import it only if the lead does not exist")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts without a command line also show these errors, so the errors name no options. The server's command line
    /// adds them.
    #[test]
    fn no_error_names_an_option_of_a_command_line() {
        let titles = || vec!["a".to_owned()];
        let problems = [
            FileProblem::RowsInCell { line: 2 },
            FileProblem::AmbiguousAmount { line: 2, text: "1.234".to_owned() },
            FileProblem::NoSuchColumn { title: "a".to_owned() },
            FileProblem::MappedTwice { field: "name" },
            FileProblem::NoName { columns: titles() },
            FileProblem::UnknownColumns { columns: titles() },
            FileProblem::NoClient,
        ];
        let journal = [
            JournalProblem::OtherDestination { name: "other".to_owned() },
            JournalProblem::Replaced { name: "store".to_owned() },
        ];
        let texts = problems.iter().map(ToString::to_string).chain(journal.iter().map(ToString::to_string));
        for text in texts {
            assert!(!text.contains("--"), "{text}");
        }
    }
}

//! Excel workbooks. A worksheet is copied to a temporary CSV file, so that an import reads it like any other file.

#[cfg(feature = "xlsx")]
mod archive;
#[cfg(feature = "xlsx")]
mod sheet;
#[cfg(feature = "xlsx")]
#[cfg(test)]
mod tests;

use std::fs::File;

use crate::error::FileProblem;

/// Precedes a number of the worksheet in the copy. Amounts in other cells are text in the notation of the file.
pub(crate) const NUMBER: char = '\u{1}';

/// Precedes an error of a formula, such as `#N/A`, in the copy.
pub(crate) const ERROR: char = '\u{2}';

/// Returns the text of a cell of the copy without its mark.
pub(crate) fn unmarked(cell: &str) -> &str {
    cell.strip_prefix([NUMBER, ERROR]).unwrap_or(cell)
}

/// The maximum number of bytes of the uncompressed content of a workbook, and of the text of a sheet.
#[cfg(feature = "xlsx")]
const LARGEST: u64 = 1 << 30;

/// Copies a worksheet to a temporary CSV file. Each row becomes a record, and a row that is missing becomes a blank one.
/// The header is below the first `skipped` rows.
#[cfg(feature = "xlsx")]
pub(crate) fn to_csv(workbook: File, name: Option<&str>, skipped: u64) -> Result<File, FileProblem> {
    archive::check(&workbook, LARGEST)?;
    sheet::to_csv(workbook, name, skipped)
}

/// Returns an error, because this build does not read workbooks.
#[cfg(not(feature = "xlsx"))]
pub(crate) fn to_csv(_: File, _: Option<&str>, _: u64) -> Result<File, FileProblem> {
    Err(FileProblem::Workbook("this program was built without the feature xlsx".to_owned()))
}

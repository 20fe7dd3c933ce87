//! The parts of the commands' help that list the fields of a lead.

use leadapi_core::validate::{LEAD_FIELDS, LeadField};
use leadapi_import::Profile;

pub(super) const IMPORT: &str = "Create a lead from each row of a CSV file or an Excel workbook. An import that was interrupted, even with \
    `kill -9`, can be repeated: each row still creates exactly one lead";

pub(super) const EXPORT: &str = "Export leads to a CSV file, newest first";

/// Returns the long help of `data import-csv`.
pub(super) fn import() -> String {
    let columns = names(LeadField::is_writable);
    let columns = columns.replace("`name`", "`name` (required)");
    let ignored = names(|field| !field.is_writable());
    let products = Profile::ALL.map(Profile::title).join(", ");
    format!(
        "{IMPORT}.

The columns are {columns}, in any order. The columns {ignored} of an export are ignored. The columns of exports \
of {products} are known too, and so are titles that are usual in spreadsheets.

FILE.journal records which rows were sent and which leads exist, so a repeated import skips these rows. Rows are \
recognized by their content, so other rows of the file may change or move in the meantime. Without the journal, the \
API still recognizes the rows for 24 hours. If a row was sent more than 22 hours ago and its result is unknown, it \
is refused.

Refused rows are written to FILE.refused.csv with the reasons. Correct them there, and import that file."
    )
}

/// Returns the long help of `data export-csv`.
pub(super) fn export() -> String {
    let single = names(|field| !field.is_in_list());
    format!(
        "{EXPORT}.

The API returns {single} only for single leads, so with these columns the export makes one request per lead. Without \
them, it makes one request per 200 leads, which makes a difference at 600 requests per minute.

Anyone can submit a lead through a form, and a spreadsheet evaluates text that starts with =, +, - or @. The export \
prefixes such text with a ', except for numbers, and \"data import-csv\" removes the prefix again."
    )
}

/// Returns the names of fields as a list in a sentence.
fn names(is_listed: impl Fn(LeadField) -> bool) -> String {
    let fields = LEAD_FIELDS.into_iter().filter(|field| is_listed(*field));
    let mut names: Vec<String> = fields.map(|field| format!("`{}`", field.name())).collect();
    match (names.pop(), names.is_empty()) {
        (Some(last), false) => format!("{} and {last}", names.join(", ")),
        (last, _) => last.unwrap_or_default(),
    }
}

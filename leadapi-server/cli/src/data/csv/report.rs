//! The report at the end of an import.

use std::{iter, path::PathBuf};

use leadapi_import::{AmountReading, ImportReport, PhoneCounts};
use serde_json::{Value, json};

use crate::{
    CommandError,
    csv_error::CsvError,
    output::{Format, count},
};

/// The maximum number of refused rows in the human-readable report of a dry run.
const SHOWN: usize = 20;

/// The outcome of an import.
pub(super) struct Report {
    pub(super) file: PathBuf,
    pub(super) is_dry_run: bool,
    pub(super) imported: ImportReport,
}

impl Report {
    /// Prints the report. Returns an error if the import failed or a row was refused.
    pub(super) fn print(self, format: Format) -> Result<(), CommandError> {
        format.print(&self.json(), || self.text())?;
        match self.imported.reason {
            Some(reason) => Err(CsvError::from(reason).into()),
            None if self.imported.refused > 0 => Err(CsvError::Refused(self.imported.refused).into()),
            None => Ok(()),
        }
    }

    fn json(&self) -> Value {
        let imported = &self.imported;
        let problems: Vec<_> =
            imported.problems.iter().map(|row| json!({"line": row.line, "because": row.reason})).collect();
        let amounts = imported.amounts.as_ref().map(|AmountReading { notation, text, number, .. }| {
            json!({"notation": notation.to_string(), "text": text, "number": number})
        });
        json!({
            "rows": imported.rows, "created": imported.created, "already_imported": imported.already_imported,
            "refused": imported.refused, "unfinished": imported.unfinished, "refused_file": imported.refused_file,
            "dry_run": self.is_dry_run, "problems": problems, "value": amounts,
            "phone": {"numbers": imported.phones.numbers, "rounded": imported.phones.rounded},
        })
    }

    fn text(&self) -> String {
        let imported = &self.imported;
        let created = if self.is_dry_run { "would be created" } else { "created" };
        let created = format!("{} {created}", count(imported.created, "lead", "leads"));
        let mut first = format!("{}: {}: {created}", self.file.display(), count(imported.rows, "row", "rows"));
        for (number, what) in [
            (imported.already_imported, "already imported"),
            (imported.refused, "refused"),
            (imported.unfinished, "not imported"),
        ] {
            if number > 0 {
                first = format!("{first}, {number} {what}");
            }
        }
        let problems = imported.problems.iter().take(SHOWN).map(|row| format!("line {}: {}", row.line, row.reason));
        let amounts = imported
            .amounts
            .as_ref()
            .map(|AmountReading { notation, text, number, .. }| format!("value: {notation}, {text} → {number}"));
        let mut lines: Vec<String> =
            iter::once(first).chain(amounts).chain(rounded(imported.phones)).chain(problems).collect();
        if imported.problems.len() > SHOWN {
            lines.push(format!("and {} more", imported.problems.len() - SHOWN));
        }
        if let Some(path) = &imported.refused_file {
            lines.push(format!("{} has the refused rows: correct them there, and import that file", path.display()));
        }
        lines.join("\n")
    }
}

/// Returns a line for the report if a spreadsheet rounded a phone number.
fn rounded(PhoneCounts { numbers, rounded, .. }: PhoneCounts) -> Option<String> {
    let were = if rounded == 1 { "was" } else { "were" };
    let numbers = count(numbers, "phone number", "phone numbers");
    (rounded > 0).then(|| format!("phone: {rounded} of {numbers} {were} rounded by a spreadsheet"))
}

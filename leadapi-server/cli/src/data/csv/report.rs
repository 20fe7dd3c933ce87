//! The report at the end of an import.

use std::iter;

use leadapi_import::{AmountReading, ColumnPreview, CsvFile, ImportReport, PhoneCounts, Profile};
use serde_json::{Value, json};

use crate::{
    CommandError,
    csv_error::CsvError,
    output::{Format, count},
};

/// The maximum number of refused rows in the human-readable report of a dry run.
const SHOWN: usize = 20;

/// The outcome of an import.
pub(super) struct Report<'f> {
    pub(super) file: &'f CsvFile,
    pub(super) is_dry_run: bool,
    pub(super) imported: ImportReport,
}

impl Report<'_> {
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
        let columns: Vec<_> = imported.columns.iter().map(column_json).collect();
        json!({
            "rows": imported.rows, "created": imported.created, "already_imported": imported.already_imported,
            "refused": imported.refused, "unfinished": imported.unfinished, "refused_file": imported.refused_file,
            "dry_run": self.is_dry_run, "problems": problems, "value": amounts,
            "profile": self.file.profile().map(Profile::name), "encoding": self.file.encoding().map(|it| it.to_string()),
            "columns": columns, "duplicates": imported.duplicates,
            "phone": {"numbers": imported.phones.numbers, "rounded": imported.phones.rounded},
        })
    }

    pub(super) fn text(&self) -> String {
        let imported = &self.imported;
        let created = if self.is_dry_run { "would be created" } else { "created" };
        let created = format!("{} {created}", count(imported.created, "lead", "leads"));
        let mut first = format!("{}: {}: {created}", self.file.path().display(), count(imported.rows, "row", "rows"));
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
            iter::once(first).chain(self.understood()).chain(amounts).chain(rounded(imported.phones)).collect();
        let is_shown = |column: &&ColumnPreview| column.field.is_some() || self.file.profile().is_none();
        lines.extend(imported.columns.iter().filter(is_shown).map(column_text));
        if imported.duplicates > 0 {
            let rows = count(imported.duplicates, "row has", "rows have");
            lines.push(format!("duplicates: {rows} the e-mail address or the phone number of an earlier row"));
        }
        lines.extend(problems);
        if imported.problems.len() > SHOWN {
            lines.push(format!("and {} more", imported.problems.len() - SHOWN));
        }
        if let Some(path) = &imported.refused_file {
            lines.push(format!("{} has the refused rows: correct them there, and import that file", path.display()));
            if !path.to_string_lossy().ends_with(".refused.csv") {
                let warning = "an earlier run wrote its refused rows to another file: if you have imported a row from that \
                               file, do not import it again";
                lines.push(warning.to_owned());
            }
        }
        lines.join("\n")
    }
}

impl Report<'_> {
    /// Returns lines about the file as a whole.
    fn understood(&self) -> impl Iterator<Item = String> {
        let profile = self.file.profile().map(|profile| format!("profile: {}", profile.title()));
        let ignored: Vec<String> = self.file.columns().filter(|(_, field)| field.is_none()).map(quoted).collect();
        let ignored = (self.file.profile().is_some() && !ignored.is_empty())
            .then(|| format!("ignored columns: {}", ignored.join(", ")));
        let encoding = self.file.encoding().map(|encoding| format!("encoding: {encoding}"));
        let footer = self.file.footer().map(|line| format!("footer: not imported, from line {line}"));
        [profile, encoding, ignored, footer].into_iter().flatten()
    }
}

fn quoted((title, _): (&str, Option<&str>)) -> String {
    format!("{title:?}")
}

/// The maximum number of characters of a sample.
const SAMPLE: usize = 40;

fn column_text(column: &ColumnPreview) -> String {
    let field = column.field.unwrap_or("ignored");
    let sample = |(before, after): &(String, String)| {
        let [before, after] = [before, after].map(|text| shortened(text));
        if before == after { before } else { format!("{before} → {after}") }
    };
    let samples: Vec<String> = column.samples.iter().map(sample).collect();
    let samples = if samples.is_empty() { String::new() } else { format!(": {}", samples.join(", ")) };
    let refused = if column.refused > 0 { format!("; {} refused", column.refused) } else { String::new() };
    format!("column {:?} → {field}{samples}{refused}", column.title)
}

fn shortened(text: &str) -> String {
    let text = format!("{text:?}");
    if text.chars().count() <= SAMPLE { text } else { text.chars().take(SAMPLE).chain(['…']).collect() }
}

fn column_json(column: &ColumnPreview) -> Value {
    let samples: Vec<_> =
        column.samples.iter().map(|(before, after)| json!({"before": before, "after": after})).collect();
    json!({"title": column.title, "field": column.field, "samples": samples, "refused": column.refused})
}

/// Returns a line for the report if a spreadsheet rounded a phone number.
fn rounded(PhoneCounts { numbers, rounded, .. }: PhoneCounts) -> Option<String> {
    let were = if rounded == 1 { "was" } else { "were" };
    let numbers = count(numbers, "phone number", "phone numbers");
    (rounded > 0).then(|| format!("phone: {rounded} of {numbers} {were} rounded by a spreadsheet"))
}

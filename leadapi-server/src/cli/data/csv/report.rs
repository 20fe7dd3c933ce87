//! The report at the end of an import.

use std::{iter, path::PathBuf};

use leadapi_client::bulk::Progress;
use serde_json::json;

use super::{amounts::Reading, phone::Phones};
use crate::cli::{
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
    pub(super) rows: u64,
    /// The number of rows that earlier runs imported.
    pub(super) skipped: u64,
    pub(super) progress: Progress,
    pub(super) refused_file: Option<PathBuf>,
    /// The refused rows of a dry run, with their lines and the reasons.
    pub(super) problems: Vec<(u64, String)>,
    /// For a dry run, how an amount of the file is read.
    pub(super) amounts: Option<Reading>,
    pub(super) phones: Phones,
    /// The reason that the import is not complete.
    pub(super) failure: Option<CsvError>,
}

impl Report {
    /// Prints the report. Returns an error if the import failed or a row was refused.
    pub(super) fn print(self, format: Format) -> Result<(), CommandError> {
        let Self { rows, progress, .. } = &self;
        let existing = self.skipped + progress.replayed;
        let unfinished = rows.saturating_sub(existing + progress.created + progress.refused);
        let problems: Vec<_> =
            self.problems.iter().map(|(line, because)| json!({"line": line, "because": because})).collect();
        let value = json!({
            "rows": rows, "created": progress.created, "already_imported": existing, "refused": progress.refused,
            "unfinished": unfinished, "refused_file": self.refused_file, "dry_run": self.is_dry_run, "problems": problems,
            "value": self.amounts, "phone": self.phones,
        });
        format.print(&value, || self.text(existing, unfinished))?;
        match self.failure {
            Some(failure) => Err(failure.into()),
            None if progress.refused > 0 => Err(CsvError::Refused(progress.refused).into()),
            None => Ok(()),
        }
    }

    fn text(&self, existing: u64, unfinished: u64) -> String {
        let (created, refused) = (self.progress.created, self.progress.refused);
        let created = count(created, "lead", "leads") + if self.is_dry_run { " would be created" } else { " created" };
        let mut first = format!("{}: {}: {created}", self.file.display(), count(self.rows, "row", "rows"));
        for (number, what) in [(existing, "already imported"), (refused, "refused"), (unfinished, "not imported")] {
            if number > 0 {
                first = format!("{first}, {number} {what}");
            }
        }
        let problems = self.problems.iter().take(SHOWN).map(|(line, because)| format!("line {line}: {because}"));
        let amounts = self.amounts.as_ref().map(Reading::text);
        let mut lines: Vec<String> =
            iter::once(first).chain(amounts).chain(self.phones.text()).chain(problems).collect();
        if self.problems.len() > SHOWN {
            lines.push(format!("and {} more", self.problems.len() - SHOWN));
        }
        if let Some(path) = &self.refused_file {
            lines.push(format!("{} has the refused rows: correct them there, and import that file", path.display()));
        }
        lines.join("\n")
    }
}

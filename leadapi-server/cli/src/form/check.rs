//! `form check`: checks a form and prints the findings.

use std::path::Path;

use clap::{Args, ValueEnum};
use leadapi_form::Severity;

use super::{
    input::FormFile,
    location::{Located, Region},
    sarif,
};
use crate::{
    CommandError,
    escape::{escape, escape_json},
};

/// Checks a form from a file.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    form: FormFile,
    /// Print a SARIF 2.1.0 log, for code scanning services and editors.
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Also fail on findings of this severity or higher. Errors always fail.
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Deny>,
}

/// The lowest severity that makes the command fail.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Deny {
    Warnings,
    Notes,
}

impl Check {
    /// Prints the findings. Returns an error if the severity of any finding is denied.
    pub(super) fn run(self) -> Result<(), CommandError> {
        self.form.with_text(|form, text, format| {
            let findings = Located::all(form.check(), text);
            if self.sarif {
                let log = sarif::log(&self.form.file, &findings);
                format.print_verbatim(&(), || log.to_string())?;
            } else {
                format.print(&findings, || {
                    let findings: Vec<String> = findings.iter().map(|found| lines(&self.form.file, found)).collect();
                    if findings.is_empty() { "no findings".to_owned() } else { findings.join("\n\n") }
                })?;
            }
            let denied = match self.deny {
                None => Severity::Error,
                Some(Deny::Warnings) => Severity::Warning,
                Some(Deny::Notes) => Severity::Note,
            };
            if findings.iter().all(|found| found.finding.severity() > denied) {
                return Ok(());
            }
            let count = |severity| {
                let findings = findings.iter().filter(|found| found.finding.severity() == severity);
                findings.map(|found| found.finding.count).sum()
            };
            let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(count);
            Err(CommandError::FormFindings { path: self.form.file.clone(), errors, warnings, notes })
        })
    }
}

/// Formats a finding as human-readable text: its message and location, the fix, and the answers that demonstrate it.
fn lines(path: &Path, found: &Located) -> String {
    let Located { finding, region: Region { start, .. } } = found;
    let file = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy() };
    let mut lines = format!(
        "{}[{}]: {}\n  --> {}:{}:{} ({})",
        finding.severity(),
        finding.code,
        escape(&finding.message),
        escape(&file),
        start.line,
        start.column,
        escape(&finding.pointer)
    );
    if finding.count == 1 {
        lines.push_str("\n  help: ");
        lines.push_str(&escape(&finding.fix));
    }
    if let Some(answers) = &finding.witness {
        let answers = serde_json::to_string(answers).unwrap_or_default();
        lines.push_str("\n  answers: ");
        lines.push_str(&escape_json(&answers));
    }
    lines
}

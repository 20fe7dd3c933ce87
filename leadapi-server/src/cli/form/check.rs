//! `form check`: checks a form and prints the findings.

use clap::{Args, ValueEnum};
use leadapi_core::form::{Finding, Severity};

use super::input::FormFile;
use crate::cli::{
    CommandError,
    escape::{escape, escape_json},
};

/// Checks a form from a file.
#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    form: FormFile,
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
    /// Prints the findings.
    pub(super) fn run(self) -> Result<(), CommandError> {
        self.form.with(|form, format| {
            let findings = form.check();
            format.print(&findings, || {
                let lines: Vec<String> = findings.iter().map(lines).collect();
                if lines.is_empty() { "no findings".to_owned() } else { lines.join("\n") }
            })?;
            let denied = match self.deny {
                None => Severity::Error,
                Some(Deny::Warnings) => Severity::Warning,
                Some(Deny::Notes) => Severity::Note,
            };
            if findings.iter().all(|finding| finding.severity() > denied) {
                return Ok(());
            }
            let count = |severity| {
                let findings = findings.iter().filter(|finding| finding.severity() == severity);
                findings.map(|finding| finding.count).sum()
            };
            let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(count);
            Err(CommandError::FormFindings { path: self.form.file.clone(), errors, warnings, notes })
        })
    }
}

/// Formats a finding for people: the finding itself, the advice, and the answers that demonstrate it.
fn lines(finding: &Finding) -> String {
    let mut lines = escape(&finding.to_string()).into_owned();
    if finding.count == 1 {
        lines.push_str("\n    help: ");
        lines.push_str(finding.code.advice());
    }
    if let Some(answers) = &finding.witness {
        let answers = serde_json::to_string(answers).unwrap_or_default();
        lines.push_str("\n    example answers: ");
        lines.push_str(&escape_json(&answers));
    }
    lines
}

//! The form in a file, which the commands that need no store work on.

use std::path::{Path, PathBuf};

use clap::Args;
use leadapi_core::form::{Answers, FormRecord, Policy, Questionnaire, Version};

use crate::cli::{CommandError, data::read_text, output::Format};

/// The form in a file, and for whom a command prints.
#[derive(Debug, Args)]
pub(in crate::cli) struct InFile {
    /// A JSON file with a form record; - is the standard input.
    pub(super) file: PathBuf,
    /// Use the draft instead of the published version.
    #[arg(long)]
    draft: bool,
    #[command(flatten)]
    format: Format,
}

impl InFile {
    /// Compiles the form, and does something with it.
    pub(super) fn with(
        &self,
        run: impl FnOnce(&Questionnaire<'_>, Format) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let record = record(&self.file)?;
        let version = if self.draft { Version::Draft } else { Version::Live };
        run(&record.compile(version, &Policy::default()), self.format)
    }
}

/// The form record in a file.
pub(super) fn record(path: &Path) -> Result<FormRecord, CommandError> {
    serde_json::from_str(without_mark(&text("form record", path)?))
        .map_err(|source| CommandError::Form { path: path.to_owned(), source })
}

/// The answers in a file.
pub(super) fn answers(path: &Path) -> Result<Answers, CommandError> {
    serde_json::from_str(without_mark(&text("answers file", path)?))
        .map_err(|source| CommandError::Answers { path: path.to_owned(), source })
}

fn text(what: &'static str, path: &Path) -> Result<String, CommandError> {
    read_text(path).map_err(|error| match error {
        CommandError::Read { path, source } => CommandError::ReadForm { what, path, source },
        other => other,
    })
}

/// The text without a byte order mark, which some editors write in front and RFC 8259 lets a parser ignore.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

//! Reads form records and answers from files.

use std::path::{Path, PathBuf};

use clap::Args;
use leadapi_form::{Answers, FormRecord, Policy, Questionnaire, Version};

use crate::{CommandError, data::read_text, output::Format};

/// A form file and the output format.
#[derive(Debug, Args)]
pub(crate) struct FormFile {
    /// A JSON file with a form record; - reads standard input.
    pub(super) file: PathBuf,
    /// Use the draft instead of the published version.
    #[arg(long)]
    draft: bool,
    /// The language and country of the visitor, such as de or en-GB, instead of that of the form.
    #[arg(long, value_name = "LOCALE")]
    locale: Option<String>,
    #[command(flatten)]
    format: Format,
}

impl FormFile {
    /// Compiles the form and passes it to `run`.
    pub(super) fn with(
        &self,
        run: impl FnOnce(&Questionnaire<'_>, Format) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        self.with_text(|form, _, format| run(form, format))
    }

    /// Like [`with`](Self::with), but also passes the text of the record.
    pub(super) fn with_text(
        &self,
        run: impl FnOnce(&Questionnaire<'_>, &str, Format) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let text = text(&self.file)?;
        let text = without_bom(&text);
        let version = if self.draft { Version::Draft } else { Version::Live };
        let mut policy = Policy::default();
        policy.locale.clone_from(&self.locale);
        run(&Questionnaire::compile(&parse(&self.file, text)?, version, &policy), text, self.format)
    }
}

/// Reads a form record from a file.
pub(super) fn record(path: &Path) -> Result<FormRecord, CommandError> {
    parse(path, &text(path)?)
}

/// Reads the text of a form record from a file.
pub(super) fn text(path: &Path) -> Result<String, CommandError> {
    read("form record", path)
}

/// Parses the text of a form record. An error names the file at `path`.
pub(super) fn parse(path: &Path, text: &str) -> Result<FormRecord, CommandError> {
    serde_json::from_str(without_bom(text)).map_err(|source| CommandError::Form { path: path.to_owned(), source })
}

/// Reads answers from a file.
pub(super) fn answers(path: &Path) -> Result<Answers, CommandError> {
    serde_json::from_str(without_bom(&read("answers file", path)?))
        .map_err(|source| CommandError::Answers { path: path.to_owned(), source })
}

fn read(what: &'static str, path: &Path) -> Result<String, CommandError> {
    read_text(path).map_err(|error| match error {
        CommandError::Read { path, source } => CommandError::ReadForm { what, path, source },
        other => other,
    })
}

/// Returns the text without a byte order mark, which some editors write and RFC 8259 allows parsers to ignore.
fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

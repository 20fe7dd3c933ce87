//! The errors of an import or export, with the options that solve the problem.

use leadapi_client::bulk::StopReason;
use leadapi_import::{ColumnTarget, ExportError, FileProblem, ImportError, JournalProblem, Unfinished};

use crate::{CommandError, csv_error::CsvError};

impl From<ImportError> for CommandError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::File { path, problem } => CsvError::File { path, problem: file_problem(&problem) }.into(),
            ImportError::Journal { path, problem } => {
                CsvError::File { path, problem: journal_problem(&problem) }.into()
            }
            ImportError::Write { path, source } => Self::Write { path, source },
            ImportError::Api(error) => CsvError::api(&error).into(),
            ImportError::Client(problem) => CsvError::Api(format!("--client: {problem}")).into(),
            ImportError::Setup(error) => CsvError::api(&*error).into(),
            other => CsvError::Api(other.to_string()).into(),
        }
    }
}

fn file_problem(problem: &FileProblem) -> String {
    match problem {
        FileProblem::RowsInCell { .. } => {
            format!("{problem}: if a quote is wrong, correct it; if the cell is right, pass --multiline")
        }
        FileProblem::Stream => format!("{problem}: pass - to read standard input"),
        FileProblem::WrongEncoding { .. } => format!("{problem} with --encoding, such as windows-1252"),
        FileProblem::SeveralSheets { .. } => format!("{problem}: pass --sheet"),
        FileProblem::NoSuchSheet { .. } | FileProblem::NotAWorkbook => format!("--sheet: {problem}"),
        FileProblem::TitleRows { line } => format!("{problem}: pass --skip-lines {}", line.saturating_sub(1)),
        FileProblem::AmbiguousAmount { .. } => format!("{problem}: pass --decimal-point or --decimal-comma"),
        FileProblem::MixedNotations { .. } => {
            format!("{problem}: pass --locale, which refuses the amounts in any other notation")
        }
        FileProblem::UntitledColumn { column, .. } => {
            format!("{problem}: map it with --map \"#{column}=FIELD\", or pass --ignore-unknown")
        }
        FileProblem::SameTitle { .. } | FileProblem::NoSuchColumn { .. } => format!("--map: {problem}"),
        FileProblem::MappedTwice { field } => {
            let parts = if *field == "name" { ", or map its parts to first_name and last_name" } else { "" };
            format!("{problem}: ignore one with --map \"COLUMN=\"{parts}")
        }
        FileProblem::NoName { columns } => {
            let columns: Vec<String> = columns.iter().map(|title| format!("{title:?}")).collect();
            format!("{problem}: map one with --map \"COLUMN=name\"; the columns are {}", columns.join(", "))
        }
        FileProblem::UnknownColumns { .. } => format!(
            "{problem}; use --map \"COLUMN=FIELD\" or --ignore-unknown; the fields are {}",
            ColumnTarget::names().join(", ")
        ),
        FileProblem::NoClient => format!("{problem}: pass --client, or map a column to client_id"),
        other => other.to_string(),
    }
}

fn journal_problem(problem: &JournalProblem) -> String {
    match problem {
        JournalProblem::OtherDestination { .. } | JournalProblem::Replaced { .. } => {
            format!("{problem}: choose another folder with --state")
        }
        JournalProblem::OtherClient => {
            format!("{problem}: pass the same --client, or choose another --name to create leads from all rows again")
        }
        JournalProblem::OtherColumns => format!(
            "{problem}: use its options (for an import by version 0.1.0, also --profile none, and --decimal-point unless \
             it had --decimal-comma), or choose another folder with --state to create leads from all rows again"
        ),
        other => other.to_string(),
    }
}

impl From<Unfinished> for CsvError {
    fn from(reason: Unfinished) -> Self {
        match reason {
            Unfinished::WrongClient(message) => Self::Api(format!("--client: {message}")),
            Unfinished::Stopped(stopped) if stopped.reason() == StopReason::EveryRow => {
                Self::Api(stopped.message().to_owned())
            }
            other => Self::Incomplete(other.to_string()),
        }
    }
}

/// Converts the error of an export. `write_error` converts an error of writing the output.
pub(super) fn export_error(
    error: ExportError,
    write_error: impl FnOnce(std::io::Error) -> CommandError,
) -> CommandError {
    match error {
        ExportError::Write(source) => write_error(source),
        ExportError::Api(error) => CsvError::api(&error).into(),
        other => CsvError::Api(other.to_string()).into(),
    }
}

//! Errors of the CSV import and export.

use std::path::PathBuf;

use leadapi_core::error_chain;

/// The reason a CSV import or export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CsvError {
    /// A file cannot be read or written, or its content is invalid.
    #[error("{}: {problem}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The problem, with the number of the line if it concerns one.
        problem: String,
    },
    /// The API could not be called, or it refused a call.
    #[error("{0}")]
    Api(String),
    /// The command line or the environment lacks something.
    #[error("{0}")]
    Usage(&'static str),
    /// Some rows were not sent, failed although they break no rule, or have an unknown result.
    #[error("the import is not complete: {0}; run the same command again to continue")]
    Incomplete(String),
    /// Rows were refused. All other rows were imported or, after a dry run, would be imported.
    #[error("the API refuses {0} of the rows")]
    Refused(u64),
}

impl CsvError {
    pub(super) fn api(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Api(error_chain(error))
    }

    pub(super) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Refused(_) => 5,
            _ => 1,
        }
    }
}

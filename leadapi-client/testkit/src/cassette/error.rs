//! Errors from reading, recording, saving and replaying cassettes.

use std::{io, path::PathBuf};

/// An error from reading, recording, saving or replaying a cassette.
///
/// An error about a secret states where the secret was found, but never shows it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file could not be read.
    #[error("the cassette {path} cannot be read; set LEADAPI_CASSETTE=record to record it", path = path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("the cassette {path} cannot be written", path = path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The input is not a HAR file.
    #[error("{name} is not a HAR file")]
    NotHar {
        /// The name of the cassette.
        name: String,
        /// The cause.
        source: serde_json::Error,
    },
    /// An entry in the file cannot be replayed.
    #[error("{entry} cannot be replayed: {reason}")]
    InvalidEntry {
        /// A description of the entry.
        entry: String,
        /// The reason for the failure.
        reason: &'static str,
    },
    /// The cassette contains text that looks like a token, so it is not saved.
    #[error("not saved: {location} contains what looks like a token (pak_…)")]
    Token {
        /// The entry, and the part of it that contains the text.
        location: String,
    },
    /// A redacted value also occurs elsewhere without being redacted, so the recording is not saved.
    #[error("not saved: {location} repeats a value that is redacted elsewhere; redact that field too")]
    Leak {
        /// The entry, and the part of it that contains the value.
        location: String,
    },
    /// A field to redact is not a string, or a body that could contain such a field is not JSON.
    #[error("not saved: {location} cannot be redacted: {reason}")]
    Unredactable {
        /// The entry, and the part of it that cannot be redacted.
        location: String,
        /// The reason for the failure.
        reason: &'static str,
    },
    /// A recorded request received no response.
    #[error("not saved: {entry} received no response, and a network failure cannot be replayed")]
    NoResponse {
        /// A description of the entry.
        entry: String,
    },
    /// A header that was selected for recording contains credentials, so it must not be recorded.
    #[error("the header {name} contains credentials and is never recorded")]
    SecretHeader {
        /// The name of the header.
        name: String,
    },
    /// `LEADAPI_CASSETTE` is set to an unknown mode.
    #[error("LEADAPI_CASSETTE must be replay, record or record-missing")]
    UnknownMode,
    /// Recording was requested while the `CI` environment variable is set.
    #[error("{path} was not recorded, because CI is set and recording would test nothing; replay in CI, or unset CI to record", path = path.display())]
    RecordingInCi {
        /// The path of the file.
        path: PathBuf,
    },
    /// The requests in the replay differ from the recorded requests.
    #[error("{name} was not replayed as recorded:{}", lines(differences))]
    Mismatch {
        /// The name of the cassette.
        name: String,
        /// One message for each unexpected request, followed by one for each entry that was not requested.
        differences: Vec<String>,
    },
}

fn lines(differences: &[String]) -> String {
    differences.iter().flat_map(|difference| ["\n- ", difference]).collect()
}

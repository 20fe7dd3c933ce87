//! What can be wrong with a cassette.

use std::{io, path::PathBuf};

/// Why a cassette could not be read, recorded, saved or replayed to its end.
///
/// Where it is about a secret, it says where that stands and never what it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file could not be read.
    #[error("the cassette {path} cannot be read; LEADAPI_CASSETTE=record records it", path = path.display())]
    Read {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("the cassette {path} cannot be written", path = path.display())]
    Write {
        /// Where it should go.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The text is no HAR.
    #[error("{name} is no HAR file")]
    NotHar {
        /// The cassette.
        name: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// An entry of the file is none that could be replayed.
    #[error("{entry} cannot be replayed: {why}")]
    Unusable {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Something that looks like a token would have been saved.
    #[error("nothing is saved, because {place} holds what looks like a token (pak_…)")]
    Token {
        /// The entry and its part.
        place: String,
    },
    /// A value that is redacted in one place would have been saved in another.
    #[error("nothing is saved, because {place} repeats what is redacted elsewhere; redact that field too")]
    Leak {
        /// The entry and its part.
        place: String,
    },
    /// A field that is to be redacted is not a text, or the body that may hold it is not JSON.
    #[error("nothing is saved, because {place} cannot be redacted: {why}")]
    Unredactable {
        /// The entry and its part.
        place: String,
        /// Why not.
        why: &'static str,
    },
    /// A request was recorded that got no answer.
    #[error("nothing is saved, because {entry} got no answer, and a network that fails cannot be replayed faithfully")]
    NoAnswer {
        /// The entry.
        entry: String,
    },
    /// A header that no cassette may hold.
    #[error("the header {name} is never recorded")]
    SecretHeader {
        /// Its name.
        name: String,
    },
    /// `LEADAPI_CASSETTE` is set to something else than a mode.
    #[error("LEADAPI_CASSETTE must be replay, record or record-missing")]
    UnknownMode,
    /// Recording was asked for where the variable `CI` is set.
    #[error("{path} is not recorded where the variable CI is set: a test that records proves nothing there", path = path.display())]
    RecordingInCi {
        /// What would have been recorded.
        path: PathBuf,
    },
    /// What was asked is not what had been recorded.
    #[error("{name} was not replayed as it was recorded:{}", lines(faults))]
    Unfaithful {
        /// The cassette.
        name: String,
        /// Each request that was not recorded, then each entry that nobody asked for, a sentence each.
        faults: Vec<String>,
    },
}

fn lines(faults: &[String]) -> String {
    faults.iter().flat_map(|fault| ["\n- ", fault]).collect()
}

//! The journal of an import: a file that records, for each row, that it is about to be sent, and its result.
//!
//! The API recognizes a repeated row by its idempotency key, but only for 24 hours. The journal recognizes it at any
//! later time. Each row is recorded before it is sent, so the journal of a killed import lists every row that may have
//! been imported.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use leadapi_core::{
    id::LeadId,
    model::{IdempotencyKey, Timestamp},
};
use serde::{Deserialize, Serialize};

use crate::cli::csv_error::CsvError;

/// The version of the file format.
const VERSION: u32 = 1;

/// The time for which the API certainly remembers a key. It is an hour shorter than in the contract, because clocks
/// differ.
const REMEMBERED: Duration = Duration::from_secs(23 * 3_600);

pub(super) struct Journal {
    path: PathBuf,
    /// `None` for a dry run, which does not write to the journal.
    file: Option<File>,
    earlier: HashMap<String, Earlier>,
    failed: Option<CsvError>,
}

/// The state of a row after earlier runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// The row can be sent: it has no lead yet, or the API still remembers its key.
    New,
    Imported,
    /// The row was sent at this time, and its result is unknown. The API no longer remembers its key.
    Unknown(Timestamp),
}

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    api: String,
}

/// A line of a journal after the first. It has `sent_at` if it records that a row is about to be sent, `lead_id` if it
/// records the lead of a row, and neither if it records that a row created no lead.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead_id: Option<LeadId>,
}

impl Journal {
    /// Opens and locks a journal for appending, and reads it. Creates it if it is missing.
    pub(super) fn open(path: &Path, api: &str) -> Result<Self, CsvError> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path);
        let mut file = file.map_err(|error| file_error(path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(file_error(path, "another import is using this journal")),
            Err(TryLockError::Error(error)) => return Err(file_error(path, error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| file_error(path, error))?;
        // A run that was killed may have left an incomplete last line.
        let complete = text.rfind('\n').map_or("", |end| text.get(..=end).unwrap_or_default());
        let length = u64::try_from(complete.len()).unwrap_or(u64::MAX);
        file.set_len(length).map_err(|error| file_error(path, error))?;
        let mut journal = Self { path: path.to_owned(), file: Some(file), earlier: HashMap::new(), failed: None };
        if complete.is_empty() {
            journal.append(&Header { version: VERSION, api: api.to_owned() })?;
        } else {
            journal.read(complete, api)?;
        }
        Ok(journal)
    }

    /// Reads a journal, if it exists, without changing it.
    pub(super) fn open_for_dry_run(path: &Path, api: &str) -> Result<Self, CsvError> {
        let mut journal = Self { path: path.to_owned(), file: None, earlier: HashMap::new(), failed: None };
        match std::fs::read_to_string(path) {
            Ok(text) => journal.read(text.rsplit_once('\n').map_or("", |(complete, _)| complete), api)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(file_error(path, error)),
        }
        Ok(journal)
    }

    fn read(&mut self, text: &str, api: &str) -> Result<(), CsvError> {
        let mut lines = text.lines();
        let Some(first) = lines.next() else { return Ok(()) };
        let header: Header =
            serde_json::from_str(first).map_err(|_| self.error("this is not a journal of an import"))?;
        if header.version != VERSION {
            return Err(self.error("a newer version has written this journal"));
        }
        if header.api != api {
            let text =
                format!("this is the journal of an import into {}: choose another folder with --state", header.api);
            return Err(self.error(text));
        }
        let now = Timestamp::now();
        for (number, line) in (2..).zip(lines) {
            let entry: Result<Entry, _> = serde_json::from_str(line);
            let entry = entry.map_err(|error| self.error(format!("line {number} is damaged: {error}")))?;
            let earlier = match entry {
                Entry { lead_id: Some(_), .. } => Earlier::Imported,
                Entry { sent_at: Some(at), .. } if now.saturating_duration_since(at) >= REMEMBERED => {
                    Earlier::Unknown(at)
                }
                _ => Earlier::New,
            };
            self.earlier.insert(entry.key, earlier);
        }
        Ok(())
    }

    pub(super) fn earlier(&self, key: &IdempotencyKey) -> Earlier {
        self.earlier.get(key.as_str()).copied().unwrap_or(Earlier::New)
    }

    /// Records that a row is about to be sent. Returns whether it could be recorded.
    pub(super) fn sending(&mut self, key: &IdempotencyKey, line: u64) -> bool {
        let entry = Entry { key: key.as_str().to_owned(), line, sent_at: Some(Timestamp::now()), lead_id: None };
        let recorded = self.append(&entry);
        self.check(recorded).is_some()
    }

    /// Records the lead of a row, or that the row created no lead.
    pub(super) fn finished(&mut self, key: &IdempotencyKey, line: u64, lead: Option<&LeadId>) -> Result<(), CsvError> {
        self.append(&Entry { key: key.as_str().to_owned(), line, sent_at: None, lead_id: lead.cloned() })
    }

    /// Returns the value, or `None` after recording the error. Only the first error is kept.
    pub(super) fn check<T>(&mut self, value: Result<T, CsvError>) -> Option<T> {
        value.map_err(|error| self.failed.get_or_insert(error)).ok()
    }

    /// Returns the error that `check` recorded, if any.
    pub(super) fn result(self) -> Result<(), CsvError> {
        self.failed.map_or(Ok(()), Err)
    }

    /// Writes a line without buffering it in this process, so that the line survives if the process is killed.
    fn append(&mut self, value: &impl Serialize) -> Result<(), CsvError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(value).map_err(|error| file_error(&self.path, error))?;
        line.push(b'\n');
        file.write_all(&line).map_err(|error| file_error(&self.path, error))
    }

    fn error(&self, problem: impl ToString) -> CsvError {
        file_error(&self.path, problem)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "errors are passed on by map_err")]
fn file_error(path: &Path, problem: impl ToString) -> CsvError {
    CsvError::File { path: path.to_owned(), problem: problem.to_string() }
}

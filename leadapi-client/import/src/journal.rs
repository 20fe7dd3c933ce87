//! The journal of an import: a file that records each row before it is sent, and then its result.
//!
//! The API recognizes a repeated row by its idempotency key, but only for 24 hours. The journal recognizes the row at
//! any later time. Because each row is recorded before it is sent, the journal of a killed import lists every row that
//! may have been imported.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use leadapi_client::bulk::{RowDecision, RowState};
use leadapi_core::{
    id::LeadId,
    model::{IdempotencyKey, Timestamp},
};
use serde::{Deserialize, Serialize};

use crate::{
    columns::Columns,
    destination::Destination,
    error::{ImportError, JournalProblem},
    mapping::Mapping,
    private_file::{refuse_links, restrict},
};

/// The version of the file format. Version 1 has no lines about columns.
const VERSION: u32 = 2;

pub(crate) struct Journal {
    path: PathBuf,
    /// `None` for a dry run, which does not write to the journal.
    file: Option<File>,
    rows: HashMap<String, RowState>,
    /// The time that was recorded or observed last.
    last: Timestamp,
    failed: Option<ImportError>,
    /// The mapping of the columns of each import, by its name.
    columns: HashMap<String, Mapping>,
}

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    #[serde(flatten)]
    target: Destination,
}

/// The start of each journal, by its version.
const STARTS: [&str; 2] = ["{\"version\":1,\"api\":\"", "{\"version\":2,\"api\":\""];

/// A line of a journal after the first. A line with `sent_at` records that a row is about to be sent, a line with
/// `lead_id` records the lead of a row, and a line with neither records that the last attempt created no lead.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead_id: Option<LeadId>,
}

/// A line that identifies the mapping of the columns of an import.
#[derive(Serialize, Deserialize)]
struct ColumnsEntry {
    import: String,
    columns: Mapping,
}

/// The start of a line that identifies a mapping.
const COLUMNS_START: &str = "{\"import\":";

impl Journal {
    /// Opens and locks a journal for appending, and reads it. Creates the file if it is missing. Never changes a file
    /// that is not a journal.
    pub(crate) fn open(path: &Path, target: &Destination) -> Result<Self, ImportError> {
        let mut options = OpenOptions::new();
        let options = refuse_links(restrict(options.read(true).append(true).create(true)));
        let mut file = options.open(path).map_err(|error| match path.symlink_metadata() {
            Ok(found) if !found.is_file() => journal_error(path, JournalProblem::NotAJournal),
            _ => journal_error(path, error),
        })?;
        if !file.metadata().map_err(|error| journal_error(path, error))?.is_file() {
            return Err(journal_error(path, JournalProblem::NotAJournal));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(journal_error(path, JournalProblem::InUse)),
            Err(TryLockError::Error(error)) => return Err(journal_error(path, error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => journal_error(path, JournalProblem::NotAJournal),
            _ => journal_error(path, error),
        })?;
        let mut journal = Self::new(path);
        let length = journal.read(&text, target)?;
        let is_new = length == 0;
        file.set_len(length).map_err(|error| journal_error(path, error))?;
        journal.file = Some(file);
        if is_new {
            journal.append(&Header { version: VERSION, target: target.clone() })?;
        }
        Ok(journal)
    }

    /// Reads a journal, if it exists, without changing it.
    pub(crate) fn open_for_dry_run(path: &Path, target: &Destination) -> Result<Self, ImportError> {
        let mut journal = Self::new(path);
        match std::fs::read_to_string(path) {
            Ok(text) => _ = journal.read(&text, target)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(journal_error(path, error)),
        }
        Ok(journal)
    }

    fn new(path: &Path) -> Self {
        let path = path.to_owned();
        Self {
            path,
            file: None,
            rows: HashMap::new(),
            last: Timestamp::UNIX_EPOCH,
            failed: None,
            columns: HashMap::new(),
        }
    }

    /// Reads the text of a journal, and returns the length of the part to keep.
    ///
    /// A run that was killed may have left an incomplete last line, which is not kept. If the journal belongs to a
    /// different API but lists no lead and no row with an unknown result, nothing is kept, and the file is used for
    /// this API.
    fn read(&mut self, text: &str, target: &Destination) -> Result<u64, ImportError> {
        let Some(end) = text.rfind('\n') else {
            let is_start = STARTS.iter().any(|start| text.starts_with(start) || start.starts_with(text));
            return if is_start { Ok(0) } else { Err(self.error(JournalProblem::NotAJournal)) };
        };
        let complete = text.get(..=end).unwrap_or_default();
        let mut lines = complete.lines();
        let header = serde_json::from_str(lines.next().unwrap_or_default());
        let header: Header = header.map_err(|_| self.error(JournalProblem::NotAJournal))?;
        if !(1..=VERSION).contains(&header.version) {
            return Err(self.error(JournalProblem::Newer));
        }
        for (number, line) in (2..).zip(lines) {
            let damaged = |source| self.error(JournalProblem::Damaged { line: number, source });
            if line.starts_with(COLUMNS_START) {
                let ColumnsEntry { import, columns } = serde_json::from_str(line).map_err(damaged)?;
                self.columns.insert(import, columns);
            } else {
                let entry = serde_json::from_str(line).map_err(damaged)?;
                self.add(entry);
            }
        }
        self.observe(Timestamp::now());
        match header.target.mismatch(target) {
            Some(_) if !self.has_results() => {
                self.rows.clear();
                self.columns.clear();
                Ok(0)
            }
            Some(problem) => Err(self.error(problem)),
            None => Ok(u64::try_from(complete.len()).unwrap_or(u64::MAX)),
        }
    }

    /// Returns whether a row has a lead or an unknown result.
    fn has_results(&self) -> bool {
        self.rows.values().any(|row| *row != RowState::default())
    }

    /// Records the mapping of the columns of an import. Returns an error if an earlier run sent rows with a
    /// different mapping, because the same rows would now get different keys and create second leads.
    pub(crate) fn expect_columns(&mut self, import: &str, columns: &Columns) -> Result<(), ImportError> {
        let mut mapping = columns.mapping();
        let recorded = self.columns.get(import);
        if self.has_results() {
            let earlier = match recorded {
                Some(earlier) => Some(earlier.clone()),
                // The first version recorded no mapping.
                None if self.columns.is_empty() => columns.mapping_of_first_version(),
                None => Some(mapping.clone()),
            };
            let earlier = earlier.filter(|earlier| !mapping.contradicts(earlier));
            // The file of the next run may have a column or an amount that only the file of an earlier run had.
            mapping.extend(&earlier.ok_or_else(|| self.error(JournalProblem::OtherColumns))?);
        }
        if recorded == Some(&mapping) {
            return Ok(());
        }
        self.record(import, mapping)
    }

    /// Records the client account of all rows of an import, whose columns must already be recorded. Returns an error if
    /// an earlier run sent its rows for another one.
    pub(crate) fn expect_client(&mut self, import: &str, client: Option<String>) -> Result<(), ImportError> {
        let Some((client, recorded)) = client.zip(self.columns.get(import)) else { return Ok(()) };
        match &recorded.client {
            Some(earlier) if *earlier == client => Ok(()),
            Some(_) if self.has_results() => Err(self.error(JournalProblem::OtherClient)),
            _ => {
                let mapping = Mapping { client: Some(client), ..recorded.clone() };
                self.record(import, mapping)
            }
        }
    }

    fn record(&mut self, import: &str, columns: Mapping) -> Result<(), ImportError> {
        self.append(&ColumnsEntry { import: import.to_owned(), columns: columns.clone() })?;
        self.columns.insert(import.to_owned(), columns);
        Ok(())
    }

    fn add(&mut self, entry: Entry) {
        if let Some(at) = entry.sent_at {
            self.observe(at);
        }
        let row = self.rows.entry(entry.key).or_default();
        match entry {
            Entry { lead_id: Some(_), .. } => row.created(),
            Entry { sent_at: Some(at), .. } => row.sent(at),
            _ => row.not_created(),
        }
    }

    /// Compares a time with the previous one. If the clock was set back, the ages of the rows are unknown.
    fn observe(&mut self, at: Timestamp) {
        if RowState::is_set_back(self.last, at) {
            self.rows.values_mut().for_each(RowState::distrust_clock);
        }
        self.last = at;
    }

    /// Decides whether a row can be sent now.
    pub(crate) fn decide(&mut self, key: &IdempotencyKey) -> RowDecision {
        let now = Timestamp::now();
        self.observe(now);
        self.rows.get(key.as_str()).copied().unwrap_or_default().decide(now)
    }

    /// Records that a row is about to be sent. Returns whether recording succeeded.
    pub(crate) fn sending(&mut self, key: &IdempotencyKey, line: u64) -> bool {
        let entry = Entry { key: key.as_str().to_owned(), line, sent_at: Some(Timestamp::now()), lead_id: None };
        let recorded = self.append(&entry);
        self.check(recorded).is_some()
    }

    /// Records the lead of a row, or that the attempt of this run created no lead.
    pub(crate) fn finished(
        &mut self,
        key: &IdempotencyKey,
        line: u64,
        lead: Option<&LeadId>,
    ) -> Result<(), ImportError> {
        self.append(&Entry { key: key.as_str().to_owned(), line, sent_at: None, lead_id: lead.cloned() })
    }

    /// Returns the value, or `None` after recording the error. Only the first error is kept.
    pub(crate) fn check<T>(&mut self, value: Result<T, ImportError>) -> Option<T> {
        value.map_err(|error| self.failed.get_or_insert(error)).ok()
    }

    /// Returns the error that `check` recorded, if any.
    pub(crate) fn result(self) -> Result<(), ImportError> {
        self.failed.map_or(Ok(()), Err)
    }

    /// Writes a line without buffering it in this process, so that the line survives if the process is killed.
    fn append(&mut self, value: &impl Serialize) -> Result<(), ImportError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(value).map_err(|error| journal_error(&self.path, io::Error::from(error)))?;
        line.push(b'\n');
        file.write_all(&line).map_err(|error| journal_error(&self.path, error))
    }

    fn error(&self, problem: JournalProblem) -> ImportError {
        journal_error(&self.path, problem)
    }
}

fn journal_error(path: &Path, problem: impl Into<JournalProblem>) -> ImportError {
    ImportError::Journal { path: path.to_owned(), problem: problem.into() }
}

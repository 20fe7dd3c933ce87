//! The journal of imported rows: a file next to the input with one line per lead.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
};

use csv::{ReaderBuilder, WriterBuilder};
use leadapi_client::id::LeadId;
use leadapi_core::BoxError;

use crate::{refused::with_suffix, sheet::Row};

/// The rows imported by earlier runs: for each row number, the row's checksum and lead id.
pub(crate) struct Done(HashMap<u64, (u32, String)>);

/// The journal to which this run appends the rows that it imports.
pub(crate) struct Journal {
    import: String,
    lines: csv::Writer<File>,
}

impl Journal {
    /// Reads the rows that earlier runs imported under this name, and opens the journal for appending.
    pub(crate) fn open(import_file: &Path, import: &str) -> Result<(Done, Self), BoxError> {
        let path = with_suffix(import_file, "imported.csv");
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        let mut done = HashMap::new();
        for line in ReaderBuilder::new().flexible(true).from_reader(&file).deserialize() {
            // If a run was killed, its last line may be incomplete. The service recognizes that row by its idempotency
            // key.
            let Ok((name, number, checksum, lead)) = line else { continue };
            let (name, lead): (String, String) = (name, lead);
            if name == import {
                done.insert(number, (checksum, lead));
            }
        }
        end_the_last_line(&mut file)?;
        let is_new = file.metadata()?.len() == 0;
        let mut lines = WriterBuilder::new().from_writer(file);
        if is_new {
            lines.write_record(["import", "row", "checksum", "lead_id"])?;
        }
        Ok((Done(done), Self { import: import.to_owned(), lines }))
    }

    /// Appends a row and flushes it, so that the entry survives if this process is killed.
    pub(crate) fn add(&mut self, row: &Row, lead: &LeadId) -> Result<(), BoxError> {
        let (number, checksum) = (row.number.to_string(), row.checksum.to_string());
        self.lines.write_record([&self.import, number.as_str(), &checksum, lead.as_str()])?;
        Ok(self.lines.flush()?)
    }
}

impl Done {
    /// Returns whether a row has been imported. If the row has changed since then, marks it as faulty.
    pub(crate) fn has(&self, row: &mut Row) -> bool {
        let Some((checksum, lead)) = self.0.get(&row.number) else { return false };
        if *checksum != row.checksum {
            row.fault = Some(format!("row {} has changed since an earlier run imported it as lead {lead}", row.number));
            row.new = leadapi_client::model::NewLead::default();
        }
        *checksum == row.checksum
    }
}

fn end_the_last_line(file: &mut File) -> Result<(), BoxError> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

//! The content of the input file, which an import reads twice.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
};

use super::records::{Record, Records, unreadable};
use crate::cli::csv_error::CsvError;

/// An open file. It stays open, so that both passes read the same file even if another one replaces it.
pub(super) struct Source {
    path: PathBuf,
    file: File,
    pub(super) has_byte_order_mark: bool,
    /// The number of bytes after the byte order mark, once the file has been read.
    length: Option<u64>,
}

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self, CsvError> {
        let open = || {
            let (file, mut start) = (File::open(path)?, Vec::new());
            (&file).take(3).read_to_end(&mut start)?;
            Ok((file, start == BYTE_ORDER_MARK))
        };
        let (file, has_byte_order_mark) = open().map_err(|error: io::Error| problem(path, unreadable(&error)))?;
        Ok(Self { path: path.to_owned(), file, has_byte_order_mark, length: None })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the first record that is not blank.
    pub(super) fn header(&self, delimiter: u8) -> Result<Option<Record>, CsvError> {
        let record = self.records(delimiter)?.find(|record| !record.as_ref().is_ok_and(Record::is_blank));
        record.transpose().map_err(|text| self.problem(text))
    }

    /// Reads the whole file, and passes each record after the header to `check`, except blank ones. Later calls of
    /// [`rows`](Self::rows) read the same number of bytes.
    pub(super) fn check(
        &mut self,
        delimiter: u8,
        mut check: impl FnMut(&Record) -> Result<(), String>,
    ) -> Result<(), CsvError> {
        let mut records = self.records(delimiter)?;
        let checked = after_header(&mut records).try_for_each(|record| record.and_then(|record| check(&record)));
        let length = records.bytes_read();
        checked.map_err(|text| self.problem(text))?;
        self.length = Some(length);
        Ok(())
    }

    /// Returns the records after the header, except blank ones.
    pub(super) fn rows(&self, delimiter: u8) -> Result<impl Iterator<Item = Result<Record, CsvError>>, CsvError> {
        let rows = after_header(self.records(delimiter)?);
        Ok(rows.map(|record| record.map_err(|text| self.problem(text))))
    }

    pub(super) fn problem(&self, text: String) -> CsvError {
        problem(&self.path, text)
    }

    fn records(&self, delimiter: u8) -> Result<Records<Take<&File>>, CsvError> {
        let (mut file, start) = (&self.file, if self.has_byte_order_mark { 3 } else { 0 });
        file.seek(SeekFrom::Start(start)).map_err(|error| self.problem(unreadable(&error)))?;
        Ok(Records::new(file.take(self.length.unwrap_or(u64::MAX)), delimiter, self.length.unwrap_or(0)))
    }
}

fn after_header(records: impl Iterator<Item = Result<Record, String>>) -> impl Iterator<Item = Result<Record, String>> {
    records.filter(|record| !record.as_ref().is_ok_and(Record::is_blank)).skip(1)
}

fn problem(path: &Path, problem: String) -> CsvError {
    CsvError::File { path: path.to_owned(), problem }
}

//! The content of the input file, which an import reads twice.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
};

use crate::{
    delimiter::Delimiter,
    error::{FileProblem, ImportError},
    records::{Record, Records},
};

/// An open file. It stays open, so that both passes read the same file even if another file replaces it at its path.
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    pub(crate) has_byte_order_mark: bool,
    /// The number of bytes after the byte order mark, once the file has been read.
    length: Option<u64>,
}

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        let open = || {
            let (file, mut start) = (File::open(path)?, Vec::new());
            (&file).take(3).read_to_end(&mut start)?;
            Ok((file, start == BYTE_ORDER_MARK))
        };
        let (file, has_byte_order_mark) = open().map_err(|error: io::Error| file_error(path, error.into()))?;
        Ok(Self { path: path.to_owned(), file, has_byte_order_mark, length: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the first record that is not blank.
    pub(crate) fn header(&self, delimiter: Delimiter) -> Result<Option<Record>, ImportError> {
        let record = self.records(delimiter)?.find(|record| !record.as_ref().is_ok_and(Record::is_blank));
        record.transpose().map_err(|problem| self.error(problem))
    }

    /// Reads the whole file, and passes each record after the header to `check`, except blank ones. Later calls of
    /// [`rows`](Self::rows) read exactly as many bytes, and fail if the file has become shorter.
    pub(crate) fn check(
        &mut self,
        delimiter: Delimiter,
        mut check: impl FnMut(&Record) -> Result<(), FileProblem>,
    ) -> Result<(), ImportError> {
        let mut records = self.records(delimiter)?;
        let checked = after_header(&mut records).try_for_each(|record| record.and_then(|record| check(&record)));
        let length = records.bytes_read();
        checked.map_err(|problem| self.error(problem))?;
        self.length = Some(length);
        Ok(())
    }

    /// Returns the records after the header, except blank ones.
    pub(crate) fn rows(
        &self,
        delimiter: Delimiter,
    ) -> Result<impl Iterator<Item = Result<Record, ImportError>>, ImportError> {
        let rows = after_header(self.records(delimiter)?);
        Ok(rows.map(|record| record.map_err(|problem| self.error(problem))))
    }

    pub(crate) fn error(&self, problem: FileProblem) -> ImportError {
        file_error(&self.path, problem)
    }

    fn records(&self, delimiter: Delimiter) -> Result<Records<Take<&File>>, ImportError> {
        let (mut file, start) = (&self.file, if self.has_byte_order_mark { 3 } else { 0 });
        file.seek(SeekFrom::Start(start)).map_err(|error| self.error(error.into()))?;
        Ok(Records::new(file.take(self.length.unwrap_or(u64::MAX)), delimiter.byte(), self.length.unwrap_or(0)))
    }
}

fn after_header(
    records: impl Iterator<Item = Result<Record, FileProblem>>,
) -> impl Iterator<Item = Result<Record, FileProblem>> {
    records.filter(|record| !record.as_ref().is_ok_and(Record::is_blank)).skip(1)
}

fn file_error(path: &Path, problem: FileProblem) -> ImportError {
    ImportError::File { path: path.to_owned(), problem }
}

//! The content of the input file, which an import reads twice.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
};

use crate::{
    delimiter::Delimiter,
    encoding::{Decoded, Encoding},
    error::{FileProblem, ImportError},
    options::ReadOptions,
    records::{Numbering, Record, Records},
    workbook,
};

/// An open file. It stays open, so that both passes read the same file even if another file replaces it at its path.
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    encoding: Encoding,
    pub(crate) has_byte_order_mark: bool,
    numbering: Numbering,
    /// The delimiter that the first line names.
    pub(crate) named_delimiter: Option<Delimiter>,
    /// The number of lines before the header.
    skipped: u64,
    /// The number of bytes of the text in UTF-8, once the file has been read.
    length: Option<u64>,
}

/// The number of bytes at the start of a file that show its type and encoding.
const START: u64 = 4096;

/// The start of a ZIP archive, such as an Excel workbook.
const ZIP: &[u8] = b"PK\x03\x04";

/// The start of a workbook of Excel 97 to 2003.
const OLD_WORKBOOK: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

impl Source {
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self, ImportError> {
        let file = File::open(path).map_err(FileProblem::from);
        let source = file.and_then(|file| Self::detect(path, file, options));
        source.map_err(|problem| file_error(path, problem))
    }

    /// Copies the input to a temporary file.
    pub(crate) fn copy(name: &Path, mut input: impl Read, options: &ReadOptions) -> Result<Self, ImportError> {
        let mut copy = || {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut input, &mut file)?;
            Ok(file)
        };
        let source = copy().map_err(|error: io::Error| error.into()).and_then(|file| Self::detect(name, file, options));
        source.map_err(|problem| file_error(name, problem))
    }

    fn detect(path: &Path, mut file: File, options: &ReadOptions) -> Result<Self, FileProblem> {
        let mut start = Vec::new();
        file.seek(SeekFrom::Start(0)).or_else(refuse_stream)?;
        (&file).take(START).read_to_end(&mut start)?;
        if start.starts_with(OLD_WORKBOOK) {
            return Err(FileProblem::OldWorkbook);
        }
        let is_workbook = start.starts_with(ZIP);
        let (encoding, has_byte_order_mark) = if is_workbook {
            file = workbook::to_csv(file, options.sheet.as_deref(), options.skip_lines)?;
            (Encoding::UTF_8, false)
        } else {
            let detected = Encoding::detect(&start);
            match (detected, options.encoding) {
                (Some((encoding, true)), _) => (encoding, true),
                (_, Some(encoding)) | (Some((encoding, _)), None) => (encoding, false),
                (None, None) => (Encoding::UTF_8, false),
            }
        };
        let numbering = if is_workbook { Numbering::Rows } else { Numbering::Lines };
        let named_delimiter = None;
        let path = path.to_owned();
        let mut source =
            Self { path, file, encoding, has_byte_order_mark, numbering, named_delimiter, skipped: 0, length: None };
        source.named_delimiter = source.first_line()?.as_deref().and_then(Delimiter::named_by);
        source.skipped = options.skip_lines.max(u64::from(source.named_delimiter.is_some()));
        Ok(source)
    }

    /// Returns the first line if it is short.
    fn first_line(&self) -> Result<Option<String>, FileProblem> {
        let mut start = Vec::new();
        match self.text()?.take(16).read_to_end(&mut start) {
            // An invalid byte is reported with its line when the records are read.
            Err(error) if error.kind() != io::ErrorKind::InvalidData => Err(error.into()),
            // The last byte may be the first one of a character.
            _ => Ok(String::from_utf8_lossy(&start).split_once(['\r', '\n']).map(|(line, _)| line.to_owned())),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_workbook(&self) -> bool {
        self.numbering == Numbering::Rows
    }

    pub(crate) const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the text of a cell without the mark that the cells of a workbook can have.
    pub(crate) fn unmarked<'t>(&self, cell: &'t str) -> &'t str {
        if self.is_workbook() { workbook::unmarked(cell) } else { cell }
    }

    /// Reads the first records that are not blank. The first one is the header.
    pub(crate) fn first(&self, delimiter: Delimiter, count: usize) -> Result<Vec<Record>, ImportError> {
        let filled = |record: &Result<Record, _>| !record.as_ref().is_ok_and(Record::is_blank);
        let mut records = self.records(delimiter)?.filter(filled);
        let header = records.next().transpose().map_err(|problem| self.error(problem))?;
        Ok(header.into_iter().chain(records.map_while(Result::ok)).take(count).collect())
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

    fn text(&self) -> io::Result<Decoded<&File>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(Decoded::new(file, self.encoding))
    }

    fn records(&self, delimiter: Delimiter) -> Result<Records<Take<Decoded<&File>>>, ImportError> {
        let open = || {
            let text = self.text()?.take(self.length.unwrap_or(u64::MAX));
            let length = self.length.unwrap_or(0);
            let mut records = Records::new(text, delimiter.byte(), length, self.numbering, self.encoding);
            records.skip_first(self.skipped)?;
            Ok(records)
        };
        open().map_err(|problem| self.error(problem))
    }
}

/// Returns an error that names the problem if a file cannot be read twice, such as a pipe.
fn refuse_stream(error: io::Error) -> Result<u64, FileProblem> {
    Err(if error.kind() == io::ErrorKind::NotSeekable { FileProblem::Stream } else { error.into() })
}

fn after_header(
    records: impl Iterator<Item = Result<Record, FileProblem>>,
) -> impl Iterator<Item = Result<Record, FileProblem>> {
    records.filter(|record| !record.as_ref().is_ok_and(Record::is_blank)).skip(1)
}

fn file_error(path: &Path, problem: FileProblem) -> ImportError {
    ImportError::File { path: path.to_owned(), problem }
}

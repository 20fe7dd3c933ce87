//! The file of refused rows, which the user can correct and import.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use csv::{StringRecord, WriterBuilder};

use crate::{csv_file::CsvFile, error::ImportError, field::REFUSED_COLUMNS, private_file::restrict};

/// Writes refused rows to a file that gets its final name at the end of the import. The file is created when the first
/// row is refused.
pub(crate) struct Refused<'s> {
    csv: &'s CsvFile,
    /// The path of the file without its suffix.
    path: PathBuf,
    file: Option<Box<csv::Writer<File>>>,
}

impl<'s> Refused<'s> {
    pub(crate) fn new(csv: &'s CsvFile, path: PathBuf) -> Self {
        Self { csv, path, file: None }
    }

    pub(crate) fn add(&mut self, line: u64, record: &StringRecord, because: &str) -> Result<(), ImportError> {
        let line = line.to_string();
        let row = self.row(record, [&line, because]);
        if self.file.is_none() {
            self.file = Some(self.create().map(Box::new).map_err(|source| self.failed(source))?);
        }
        let written = self.file.as_mut().map(|file| file.write_record(&row));
        written.transpose().map(drop).map_err(|error| self.failed(error.into()))
    }

    /// If any row was refused, gives the file its final name and returns its path.
    ///
    /// An earlier file with other content is never replaced, because the user may be correcting it.
    pub(crate) fn finish(mut self) -> Result<Option<PathBuf>, ImportError> {
        let Some(writer) = self.file.take() else { return Ok(None) };
        let renamed = writer.into_inner().map_err(csv::IntoInnerError::into_error).and_then(|file| {
            file.sync_all()?;
            let new = fs::read(self.partial())?;
            let mut names = (1_u64..).map(|number| match number {
                1 => with_suffix(&self.path, ".refused.csv"),
                _ => with_suffix(&self.path, &format!(".refused-{number}.csv")),
            });
            let free = |path: &PathBuf| {
                fs::read(path).map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |old| old == new)
            };
            let path = names.find(free).unwrap_or_else(|| self.partial());
            fs::rename(self.partial(), &path)?;
            Ok(path)
        });
        renamed.map(Some).map_err(|source| self.failed(source))
    }

    fn create(&self) -> io::Result<csv::Writer<File>> {
        // An earlier run may have left a file with this name. It is removed rather than overwritten, because it may be
        // a link to another file.
        fs::remove_file(self.partial()).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        let mut file = restrict(OpenOptions::new().write(true).create_new(true)).open(self.partial())?;
        file.write_all(self.csv.start_of_copy().as_bytes())?;
        let mut writer = WriterBuilder::new().delimiter(self.csv.delimiter.byte()).flexible(true).from_writer(file);
        writer.write_record(&self.row(&self.csv.header, REFUSED_COLUMNS))?;
        Ok(writer)
    }

    /// Returns a row with `REFUSED_COLUMNS` in front. If the input already has these columns from an earlier import,
    /// the old columns are omitted.
    fn row(&self, record: &StringRecord, ours: [&str; 2]) -> StringRecord {
        let mut row = StringRecord::from(&ours[..]);
        for (at, field) in record.iter().enumerate() {
            if !self.csv.header.get(at).is_some_and(|title| REFUSED_COLUMNS.contains(&title)) {
                row.push_field(&self.csv.columns.refused(field));
            }
        }
        row
    }

    fn partial(&self) -> PathBuf {
        with_suffix(&self.path, ".refused.partial")
    }

    fn failed(&self, source: io::Error) -> ImportError {
        ImportError::Write { path: self.partial(), source }
    }
}

/// Returns `leads.csv.journal` for `leads.csv` and `.journal`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

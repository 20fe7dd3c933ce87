//! A file of rows that break a rule, for the user to correct and import.

use std::{
    ffi::OsString,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use csv::ByteRecord;
use leadapi_core::BoxError;

/// The columns that a file of refused rows has in addition to the input's columns.
pub(crate) const OURS: [&[u8]; 2] = [b"refused_row", b"refused_because"];

/// A file of refused rows. The file is created when the first row is refused.
pub(crate) struct Refused {
    import_file: PathBuf,
    header: ByteRecord,
    file: Option<(PathBuf, csv::Writer<File>)>,
}

impl Refused {
    pub(crate) fn next_to(import_file: &Path, header: &ByteRecord) -> Self {
        Self { import_file: import_file.to_owned(), header: header.clone(), file: None }
    }

    pub(crate) fn add(&mut self, number: u64, record: &ByteRecord, because: &str) -> Result<(), BoxError> {
        let number = number.to_string();
        let line = self.line(record, [number.as_bytes(), because.as_bytes()]);
        if self.file.is_none() {
            let (path, file) = new_file(&self.import_file)?;
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(file);
            writer.write_byte_record(&self.line(&self.header, OURS))?;
            self.file = Some((path, writer));
        }
        if let Some((_, writer)) = &mut self.file {
            writer.write_byte_record(&line)?;
            writer.flush()?;
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Returns the row with our two columns in front. Drops columns with the same names that an earlier import added.
    fn line(&self, record: &ByteRecord, ours: [&[u8]; 2]) -> ByteRecord {
        let mut line = ByteRecord::from(&ours[..]);
        for (at, field) in record.iter().enumerate() {
            if !self.header.get(at).is_some_and(|title| OURS.contains(&title)) {
                line.push_field(field);
            }
        }
        line
    }
}

/// Creates a new file. Never overwrites an existing one, because the user may be correcting it.
fn new_file(import_file: &Path) -> Result<(PathBuf, File), BoxError> {
    for number in 1.. {
        let suffix = if number == 1 { "refused.csv".to_owned() } else { format!("refused-{number}.csv") };
        let path = with_suffix(import_file, &suffix);
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{} cannot be written: {error}", path.display()).into()),
        }
    }
    Err("too many files of refused rows".into())
}

/// Returns `leads.csv.refused.csv` for `leads.csv` and `refused.csv`.
pub(crate) fn with_suffix(import_file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(import_file);
    name.push(".");
    name.push(suffix);
    name.into()
}

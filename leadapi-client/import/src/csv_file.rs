//! The input file, with a mapping of its columns to fields.

use std::{fmt, path::Path};

use csv::StringRecord;

use crate::{
    amounts::{AmountReading, Survey},
    columns::Columns,
    delimiter::Delimiter,
    error::{FileProblem, ImportError},
    options::ReadOptions,
    phone::PhoneCounts,
    row::Row,
    source::Source,
};

/// A CSV file whose text and columns have been checked. Its first row is the header. The file is in UTF-8, with or
/// without a byte order mark.
///
/// ```
/// use leadapi_import::{CsvFile, ReadOptions};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("leads.csv");
/// std::fs::write(&path, "name;E-Mail\nAnn;ann@example.org\n")?;
/// let file = CsvFile::open(&path, &ReadOptions::default().client("casa-verde".parse()?))?;
/// assert_eq!(file.rows(), 1);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
pub struct CsvFile {
    source: Source,
    pub(crate) delimiter: Delimiter,
    pub(crate) header: StringRecord,
    columns: Columns,
    rows: u64,
    amounts: Option<AmountReading>,
    phones: PhoneCounts,
}

impl fmt::Debug for CsvFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvFile").field("path", &self.path()).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl CsvFile {
    /// Opens a file, maps its columns to fields, and reads it once to check its text and count its rows.
    ///
    /// ```
    /// use leadapi_import::{CsvFile, FileProblem, ImportError, ReadOptions};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// std::fs::write(&path, "name,shoe size\nAnn,38\n")?;
    /// let error = CsvFile::open(&path, &ReadOptions::default()).unwrap_err();
    /// assert!(matches!(error, ImportError::File { problem: FileProblem::UnknownColumns { .. }, .. }));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ImportError::File`] if the file cannot be read, is not valid CSV, or has columns that are neither
    /// mapped nor ignored.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, ImportError> {
        let mut source = Source::open(path.as_ref())?;
        let (delimiter, header) = read_header(&source, options)?;
        let columns = Columns::map(options, &header).map_err(|problem| source.error(problem))?;
        let (mut rows, mut survey, mut phones) = (0, Survey::default(), PhoneCounts::default());
        source.check(delimiter, |record| {
            rows += 1;
            if let Some(text) = columns.cell("value", &record.fields) {
                survey.add(record.line, text, columns.notation());
            }
            if let Some(text) = columns.cell("phone", &record.fields) {
                phones.add(text);
            }
            if record.resembles_rows(columns.len()) && !options.multiline {
                return Err(FileProblem::RowsInCell { line: record.line });
            }
            Ok(())
        })?;
        survey.check(columns.notation(), delimiter).map_err(|problem| source.error(problem))?;
        let amounts = survey.reading(columns.notation());
        Ok(Self { source, delimiter, header, columns, rows, amounts, phones })
    }

    /// Returns the path of the file.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// # std::fs::write(&path, "client_id,name\nc1,Ann\n")?;
    /// let file = leadapi_import::CsvFile::open(&path, &Default::default())?;
    /// assert_eq!(file.path(), path);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// Returns the number of rows that are not blank, not counting the header.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// # std::fs::write(&path, "client_id,name\nc1,Ann\n\n")?;
    /// assert_eq!(leadapi_import::CsvFile::open(&path, &Default::default())?.rows(), 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns an example amount from the file and the number that it is read as, or `None` if the file has no amounts.
    /// Prefers an amount with a separator.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// # std::fs::write(&path, "client_id,name,value\nc1,Ann,450\n")?;
    /// let file = leadapi_import::CsvFile::open(&path, &Default::default())?;
    /// assert_eq!(file.amounts().unwrap().text, "450");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn amounts(&self) -> Option<&AmountReading> {
        self.amounts.as_ref()
    }

    /// Returns the number of phone numbers in the file.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// # std::fs::write(&path, "client_id,name,phone\nc1,Ann,4.9E+11\n")?;
    /// assert_eq!(leadapi_import::CsvFile::open(&path, &Default::default())?.phones().rounded, 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn phones(&self) -> PhoneCounts {
        self.phones
    }

    pub(crate) const fn has_byte_order_mark(&self) -> bool {
        self.source.has_byte_order_mark
    }

    /// Returns whether all rows belong to the same client account.
    pub(crate) fn has_one_client(&self) -> bool {
        self.columns.has_one_client()
    }

    /// Reads the rows lazily. `open` has read the whole file, so an error means that the file has changed or can no
    /// longer be read.
    pub(crate) fn read(&self) -> Result<impl Iterator<Item = Result<Row, ImportError>> + Send, ImportError> {
        let rows = self.source.rows(self.delimiter)?;
        Ok(rows.map(|record| {
            let record = record?;
            let new = self.columns.lead(&record.fields);
            Ok(Row::new(record.line, record.fields, new))
        }))
    }
}

/// Reads the header with each possible delimiter, and returns the delimiter with which it matches the most fields.
fn read_header(source: &Source, options: &ReadOptions) -> Result<(Delimiter, StringRecord), ImportError> {
    let (mut best, mut failure) = (None::<(usize, Delimiter, StringRecord)>, None);
    for delimiter in options.delimiter.as_ref().map_or(&Delimiter::ALL[..], std::slice::from_ref) {
        let header = match source.header(*delimiter) {
            Ok(header) => header.map(|record| record.fields).unwrap_or_default(),
            // With a wrong delimiter, the quotes of a valid header can look misplaced, so the next delimiter is tried.
            Err(error) => {
                failure.get_or_insert(error);
                continue;
            }
        };
        let known = options.known(&header);
        if best.as_ref().is_none_or(|(most, ..)| known > *most) {
            best = Some((known, *delimiter, header));
        }
    }
    match (best, failure) {
        (Some((_, delimiter, header)), _) if !header.is_empty() => Ok((delimiter, header)),
        (_, Some(failure)) => Err(failure),
        _ => Err(source.error(FileProblem::Empty)),
    }
}

//! The input file, with a mapping of its columns to fields.

use std::{fmt, io::Read, path::Path};

use csv::StringRecord;

use crate::{
    amounts::{AmountReading, Survey},
    columns::Columns,
    delimiter::Delimiter,
    encoding::Encoding,
    error::{FileProblem, ImportError},
    field::REFUSED_COLUMNS,
    header,
    options::ReadOptions,
    phone::PhoneCounts,
    profile::Profile,
    row::Row,
    source::Source,
};

/// A CSV file or a sheet of an Excel workbook, whose text and columns have been checked. Its first row is the header.
///
/// ```
/// use leadapi_import::{CsvFile, ReadOptions};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("leads.csv");
/// std::fs::write(&path, "name;E-Mail\nAnn;ann@example.org\n")?;
/// let file = CsvFile::open(&path, &ReadOptions::default().client("casa-verde"))?;
/// assert_eq!(file.rows(), 1);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
pub struct CsvFile {
    source: Source,
    pub(crate) delimiter: Delimiter,
    pub(crate) header: StringRecord,
    pub(crate) columns: Columns,
    rows: u64,
    amounts: Option<AmountReading>,
    phones: PhoneCounts,
    /// The line at which the footer of a report starts.
    footer: Option<u64>,
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
    /// mapped nor ignored, or if a workbook has more than 1 GiB of uncompressed content.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, ImportError> {
        Self::new(Source::open(path.as_ref(), options)?, options)
    }

    /// Copies an input that cannot be read twice to a temporary file, and opens the copy. `name` stands for the path of
    /// the file, from which the journal and the file of refused rows get their names.
    ///
    /// ```
    /// use leadapi_import::{CsvFile, ReadOptions};
    ///
    /// let file = CsvFile::copy("fair", "client_id,name\nc1,Ann\n".as_bytes(), &ReadOptions::default())?;
    /// assert_eq!(file.rows(), 1);
    /// # Ok::<(), leadapi_import::ImportError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open), and an error if the temporary file cannot be written.
    pub fn copy(name: impl AsRef<Path>, input: impl Read, options: &ReadOptions) -> Result<Self, ImportError> {
        Self::new(Source::copy(name.as_ref(), input, options)?, options)
    }

    fn new(mut source: Source, options: &ReadOptions) -> Result<Self, ImportError> {
        let (delimiter, header) = header::read(&source, options)?;
        let is_refused_file = header.iter().any(|title| REFUSED_COLUMNS.contains(&title));
        if options.sheet.is_some() && !source.is_workbook() && !is_refused_file {
            return Err(source.error(FileProblem::NotAWorkbook));
        }
        let mut columns = Columns::map(options, &header).map_err(|problem| source.error(problem))?;
        let source_is_workbook = source.is_workbook();
        columns.has_marks = source_is_workbook;
        let has_footer = columns.profile.is_some_and(Profile::has_footer) && columns.len() > 1;
        let (mut rows, mut survey, mut phones, mut footer) = (0, Survey::default(), PhoneCounts::default(), None);
        let mut is_ascii = header.as_slice().is_ascii();
        source.check(delimiter, |record| {
            // A file that was cut inside a row can also end with a single field.
            if has_footer && record.fields.len() == 1 && (record.follows_blank || footer.is_some()) {
                footer.get_or_insert((record.line, rows));
            } else {
                footer = None;
            }
            rows += 1;
            is_ascii &= record.fields.as_slice().is_ascii();
            columns.cells("value", &record.fields).for_each(|cell| {
                if !columns.is_number(cell) {
                    survey.add(record.line, columns.text(cell));
                }
            });
            columns.cells("phone", &record.fields).for_each(|cell| phones.add(columns.text(cell)));
            if let Some(column) = columns.untitled_text(&record.fields) {
                return Err(FileProblem::UntitledColumn { line: record.line, column: column + 1 });
            }
            if record.resembles_rows(columns.len()) && !options.multiline && !source_is_workbook {
                return Err(FileProblem::RowsInCell { line: record.line });
            }
            Ok(())
        })?;
        let rows = footer.map_or(rows, |(_, rows)| rows);
        // The other rows of the original file, which are not in a file of refused rows, may have shown the notation.
        let are_decimals = delimiter == Delimiter::Comma && !is_refused_file;
        let notation = survey.notation(options.notation, are_decimals).map_err(|problem| source.error(problem))?;
        (columns.notation, columns.has_separators) = (notation, survey.has_separators());
        columns.encoding = Some(source.encoding()).filter(|_| !is_ascii);
        let amounts = survey.reading(notation);
        let footer = footer.map(|(line, _)| line);
        Ok(Self { source, delimiter, header, columns, rows, amounts, phones, footer })
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

    /// Returns the encoding of the file, unless it is UTF-8.
    ///
    /// ```
    /// # let bytes: Vec<u8> = "client_id,name\nc1,Ann\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    /// let file = leadapi_import::CsvFile::copy("leads.csv", &*bytes, &Default::default())?;
    /// assert_eq!(file.encoding(), Some("utf-16le".parse()?));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn encoding(&self) -> Option<Encoding> {
        Some(self.source.encoding()).filter(|encoding| *encoding != Encoding::UTF_8)
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

    /// Returns the text that precedes the header in a UTF-8 copy of this file, so that the copy can be read with the
    /// same options: a byte order mark overrides the encoding of the options, and blank lines stand in for the skipped
    /// lines.
    pub(crate) fn start_of_copy(&self) -> String {
        let has_mark = self.source.has_byte_order_mark || self.encoding().is_some();
        let lines = usize::try_from(self.columns.skipped_lines()).unwrap_or_default();
        format!("{}{}", if has_mark { "\u{feff}" } else { "" }, "\n".repeat(lines))
    }

    /// Returns the product whose export this is.
    ///
    /// ```
    /// use leadapi_import::{CsvFile, Profile};
    ///
    /// let text = "client_id,created_time,form_id,full_name\nc1,2026-11-27,f1,Ann\n";
    /// let file = CsvFile::copy("leads.csv", text.as_bytes(), &Default::default())?;
    /// assert_eq!(file.profile(), Some(Profile::Meta));
    /// # Ok::<(), leadapi_import::ImportError>(())
    /// ```
    pub const fn profile(&self) -> Option<Profile> {
        self.columns.profile
    }

    /// Returns the title of each column and the field that it fills, or `None` if it is ignored.
    ///
    /// ```
    /// # use leadapi_import::CsvFile;
    /// let file = CsvFile::copy("leads.csv", "client_id,Full name,id\nc1,Ann,7\n".as_bytes(), &Default::default())?;
    /// let columns: Vec<_> = file.columns().collect();
    /// assert_eq!(columns, [("client_id", Some("client_id")), ("Full name", Some("name")), ("id", None)]);
    /// # Ok::<(), leadapi_import::ImportError>(())
    /// ```
    pub fn columns(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        self.columns.targets()
    }

    /// Returns the line at which the footer of a report starts, which is not imported.
    ///
    /// ```
    /// # use leadapi_import::CsvFile;
    /// # let file = CsvFile::copy("leads.csv", "client_id,name\nc1,Ann\n".as_bytes(), &Default::default())?;
    /// assert_eq!(file.footer(), None);
    /// # Ok::<(), leadapi_import::ImportError>(())
    /// ```
    pub const fn footer(&self) -> Option<u64> {
        self.footer
    }

    /// Reads the rows lazily. `open` has read the whole file, so an error means that the file has changed or can no
    /// longer be read.
    pub(crate) fn read(&self) -> Result<impl Iterator<Item = Result<Row, ImportError>> + Send, ImportError> {
        let rows = self.source.rows(self.delimiter)?;
        let is_footer = |line: u64| self.footer.is_some_and(|footer| line >= footer);
        let rows = rows.filter(move |record| !record.as_ref().is_ok_and(|record| is_footer(record.line)));
        Ok(rows.map(|record| {
            let record = record?;
            let new = self.columns.lead(&record.fields);
            Ok(Row::new(record.line, record.fields, new))
        }))
    }
}

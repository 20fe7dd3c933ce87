//! The input file, with a mapping of its columns to fields.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use csv::StringRecord;

use super::{
    amounts::{Reading, Survey},
    columns::{ColumnArgs, Columns},
    delimiter::Delimiter,
    phone::Phones,
    row::Row,
    source::Source,
};
use crate::cli::csv_error::CsvError;

#[derive(Debug, Args)]
pub(super) struct SheetArgs {
    /// The CSV file, in UTF-8, with or without a byte order mark. Its first row is the header.
    file: PathBuf,
    #[command(flatten)]
    columns: ColumnArgs,
    /// The delimiter of fields. By default, the one with which the header matches the most fields.
    #[arg(long, value_enum)]
    delimiter: Option<Delimiter>,
    /// Accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// A wrong quote can turn the rows up to the next wrong quote into text of one cell. By default, a file with such a
    /// cell is refused.
    #[arg(long)]
    multiline: bool,
}

/// A CSV file that `open` has checked.
pub(super) struct Sheet {
    source: Source,
    pub(super) delimiter: u8,
    pub(super) header: StringRecord,
    columns: Columns,
    /// The number of rows that are not blank.
    pub(super) rows: u64,
    /// How an amount of the file is read.
    pub(super) amounts: Option<Reading>,
    pub(super) phones: Phones,
}

impl Sheet {
    /// Opens a file, maps its columns to fields, and reads it once to check its text and count its rows.
    pub(super) fn open(args: SheetArgs) -> Result<Self, CsvError> {
        let mut source = Source::open(&args.file)?;
        let (delimiter, header) = args.header(&source)?;
        let columns = args.columns.map(&header).map_err(|problem| source.problem(problem))?;
        let (mut rows, mut survey, mut phones) = (0, Survey::default(), Phones::default());
        source.check(delimiter, |record| {
            rows += 1;
            if let Some(text) = columns.cell("value", &record.fields) {
                survey.add(record.line, text, columns.notation());
            }
            if let Some(text) = columns.cell("phone", &record.fields) {
                phones.add(text);
            }
            if record.resembles_rows(columns.len()) && !args.multiline {
                return Err(format!(
                    "line {}: a quoted cell has several lines, and each one looks like a row: if a quote is wrong, \
                     correct it; if the cell is right, pass --multiline",
                    record.line
                ));
            }
            Ok(())
        })?;
        survey.check(columns.notation(), delimiter).map_err(|problem| source.problem(problem))?;
        let amounts = survey.reading(columns.notation());
        Ok(Self { source, delimiter, header, columns, rows, amounts, phones })
    }

    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    pub(super) const fn has_byte_order_mark(&self) -> bool {
        self.source.has_byte_order_mark
    }

    /// Returns whether all rows belong to the same client account.
    pub(super) fn has_one_client(&self) -> bool {
        self.columns.has_one_client()
    }

    /// Reads the rows lazily. `open` has read the whole file, so an error means that the file has changed or can no
    /// longer be read.
    pub(super) fn rows(&self) -> Result<impl Iterator<Item = Result<Row, CsvError>> + Send, CsvError> {
        let rows = self.source.rows(self.delimiter)?;
        Ok(rows.map(|record| {
            let record = record?;
            let new = self.columns.lead(&record.fields);
            Ok(Row::new(record.line, record.fields, new))
        }))
    }
}

impl SheetArgs {
    /// Reads the header with each possible delimiter, and returns the delimiter with which it matches the most fields.
    fn header(&self, source: &Source) -> Result<(u8, StringRecord), CsvError> {
        let (mut best, mut failure) = (None::<(usize, u8, StringRecord)>, None);
        for delimiter in self.delimiter.as_ref().map_or(Delimiter::value_variants(), std::slice::from_ref) {
            let header = match source.header(delimiter.byte()) {
                Ok(header) => header.map(|record| record.fields).unwrap_or_default(),
                // The quotes of a header can be wrong only with a wrong delimiter.
                Err(error) => {
                    failure.get_or_insert(error);
                    continue;
                }
            };
            let known = self.columns.known(&header);
            if best.as_ref().is_none_or(|(most, ..)| known > *most) {
                best = Some((known, delimiter.byte(), header));
            }
        }
        match (best, failure) {
            (Some((_, delimiter, header)), _) if !header.is_empty() => Ok((delimiter, header)),
            (_, Some(failure)) => Err(failure),
            _ => Err(source.problem("the file is empty".to_owned())),
        }
    }
}

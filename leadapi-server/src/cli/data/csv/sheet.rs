//! The input file, with a mapping of its columns to fields.

use std::{
    fs::File,
    io::{Chain, Read},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use csv::{ReaderBuilder, StringRecord};
use leadapi_core::{id::ClientId, model::NewLead, validate::LeadField};

use super::{delimiter::Delimiter, field, formula, row::Row};
use crate::cli::csv_error::CsvError;

#[derive(Debug, Args)]
pub(super) struct SheetArgs {
    /// The CSV file, in UTF-8, with or without a byte order mark. Its first row is the header.
    pub(super) file: PathBuf,
    /// The client account of rows without a `client_id`.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// Use a column for a field, such as "Company=notes". Without a field ("Company="), ignore the column.
    #[arg(long = "map", value_name = "COLUMN=FIELD", value_parser = mapping)]
    mappings: Vec<Mapping>,
    /// Ignore columns that are not fields of a lead.
    #[arg(long)]
    ignore_unknown: bool,
    /// The delimiter of fields. By default, the one with which the header matches the most fields.
    #[arg(long, value_enum)]
    delimiter: Option<Delimiter>,
    /// Read numbers with a decimal comma, such as 1.234,50.
    #[arg(long)]
    decimal_comma: bool,
    /// Keep a leading ' that marks text that looks like a formula, as "data export-csv" and spreadsheets write it. By
    /// default, it is removed.
    #[arg(long)]
    raw: bool,
}

/// The name of a column, and the field to use it for, or `None` to ignore the column.
#[derive(Debug, Clone)]
struct Mapping(String, Option<LeadField>);

fn mapping(text: &str) -> Result<Mapping, String> {
    let (title, name) = text.rsplit_once('=').ok_or("must be COLUMN=FIELD")?;
    let unknown = || format!("the fields are {}", field::writable_names());
    let field = (!name.trim().is_empty()).then(|| field::writable(name.trim()).ok_or_else(unknown)).transpose()?;
    Ok(Mapping(title.trim().to_owned(), field))
}

/// The meaning of a column.
#[derive(Debug, Clone, Copy)]
enum Column {
    Field(LeadField),
    Ignored,
    Unknown,
}

/// A CSV file that `open` has checked.
pub(super) struct Sheet {
    args: SheetArgs,
    pub(super) delimiter: u8,
    pub(super) has_byte_order_mark: bool,
    pub(super) header: StringRecord,
    columns: Vec<Column>,
    /// The number of rows that are not blank.
    pub(super) rows: u64,
}

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A line that the reader appends to the content of the file. It is a record of its own unless the file ends within a
/// quoted field.
const END: &str = "\u{1}end";
const END_LINE: &[u8] = b"\n\x01end\n";

type Reader = csv::Reader<Chain<File, &'static [u8]>>;

impl Sheet {
    /// Opens a file, maps its columns to fields, and reads it once to check its text and count its rows.
    pub(super) fn open(args: SheetArgs) -> Result<Self, CsvError> {
        let delimiters = args.delimiter.map_or_else(|| Delimiter::value_variants().to_vec(), |one| vec![one]);
        let mut best: Option<(usize, u8, StringRecord)> = None;
        for delimiter in delimiters.into_iter().map(Delimiter::byte) {
            let header = reader(&args.file, delimiter)?.headers().map_err(|error| problem(&args.file, &error))?.clone();
            let known = header.iter().filter(|title| !matches!(args.column(title), Column::Unknown)).count();
            if best.as_ref().is_none_or(|(most, ..)| known > *most) {
                best = Some((known, delimiter, header));
            }
        }
        let (_, delimiter, header) = best.unwrap_or_default();
        let columns = args.columns(&header).map_err(|problem| CsvError::File { path: args.file.clone(), problem })?;
        let mut start = Vec::new();
        let file = File::open(&args.file).and_then(|file| file.take(3).read_to_end(&mut start));
        file.map_err(|error| unreadable(&args.file, &error))?;
        let has_byte_order_mark = start == BYTE_ORDER_MARK;
        let mut sheet = Self { args, delimiter, has_byte_order_mark, header, columns, rows: 0 };
        sheet.rows = sheet.count()?;
        Ok(sheet)
    }

    pub(super) fn path(&self) -> &Path {
        &self.args.file
    }

    /// Returns whether all rows belong to the same client account.
    pub(super) fn has_one_client(&self) -> bool {
        !self.columns.iter().any(|column| matches!(column, Column::Field(LeadField::ClientId)))
    }

    /// Reads the rows lazily. `open` has read the whole file, so an error means that the file has changed or can no
    /// longer be read.
    pub(super) fn rows(&self) -> Result<impl Iterator<Item = Result<Row, CsvError>> + Send, CsvError> {
        let records = reader(&self.args.file, self.delimiter)?.into_records();
        let rows = records.filter(|record| record.as_ref().map_or(true, |record| !is_end(record) && !is_blank(record)));
        Ok(rows.map(|record| {
            let record = record.map_err(|error| problem(&self.args.file, &error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let new = self.lead(&record);
            Ok(Row::new(line, record, new))
        }))
    }

    /// Reads the whole file and counts its rows.
    fn count(&self) -> Result<u64, CsvError> {
        let (mut rows, mut line, mut is_closed) = (0, 0, false);
        for record in reader(&self.args.file, self.delimiter)?.into_records() {
            let record = record.map_err(|error| problem(&self.args.file, &error))?;
            is_closed = is_end(&record);
            line = record.position().map_or(0, csv::Position::line);
            rows += u64::from(!is_closed && !is_blank(&record));
        }
        if is_closed {
            return Ok(rows);
        }
        let problem = format!("line {line}: a quoted field has no end");
        Err(CsvError::File { path: self.args.file.clone(), problem })
    }

    fn lead(&self, record: &StringRecord) -> Result<NewLead, String> {
        if record.len() != self.header.len() {
            return Err(format!("the row has {} fields instead of {}", record.len(), self.header.len()));
        }
        let mut new = NewLead::default();
        new.client_id = self.args.client.as_ref().map(ToString::to_string);
        for (text, column) in record.iter().zip(&self.columns) {
            let Column::Field(field) = *column else { continue };
            let text = if self.args.raw { text } else { formula::unescape(text) };
            if !text.trim().is_empty() {
                field::set(&mut new, field, text, self.args.decimal_comma)?;
            }
        }
        Ok(new)
    }
}

impl SheetArgs {
    fn column(&self, title: &str) -> Column {
        let title = title.trim();
        let mapped = self.mappings.iter().find(|Mapping(mapped, _)| mapped == title);
        match (mapped, field::titled(title)) {
            (Some(Mapping(_, Some(field))), _) => Column::Field(*field),
            (None, Some(field)) if field.is_writable() => Column::Field(field),
            (None, None) if !field::REFUSED_COLUMNS.contains(&title) => Column::Unknown,
            // `--map` excludes the column, only the service sets its field, or an earlier import added it.
            _ => Column::Ignored,
        }
    }

    fn columns(&self, header: &StringRecord) -> Result<Vec<Column>, String> {
        if is_end(header) {
            return Err("the file is empty".to_owned());
        }
        let quoted =
            |names: &mut dyn Iterator<Item = &str>| names.map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ");
        let is_missing = |Mapping(mapped, _): &&Mapping| !header.iter().any(|title| title.trim() == mapped);
        if let Some(Mapping(title, _)) = self.mappings.iter().find(is_missing) {
            return Err(format!("--map: there is no column {title:?}"));
        }
        let columns: Vec<Column> = header.iter().map(|title| self.column(title)).collect();
        let names = columns
            .iter()
            .filter_map(|column| if let Column::Field(field) = column { Some(field.name()) } else { None });
        let names: Vec<&str> = names.collect();
        if let Some(twice) = names.iter().find(|name| names.iter().filter(|other| other == name).count() > 1) {
            return Err(format!("two columns are mapped to {twice}: ignore one with --map \"COLUMN=\""));
        }
        if !names.contains(&"name") {
            return Err(format!(
                "no column is mapped to name, which is required: map one with --map \"COLUMN=name\"; the columns are {}",
                quoted(&mut header.iter())
            ));
        }
        let unknown = header.iter().zip(&columns).filter(|(_, column)| matches!(column, Column::Unknown));
        let unknown = quoted(&mut unknown.map(|(title, _)| title));
        if !unknown.is_empty() && !self.ignore_unknown {
            return Err(format!(
                "unknown columns: {unknown}; use --map \"COLUMN=FIELD\" or --ignore-unknown; the fields are {}",
                field::writable_names()
            ));
        }
        if self.client.is_none() && !names.contains(&"client_id") {
            return Err("no client account: pass --client, or map a column to client_id".to_owned());
        }
        Ok(columns)
    }
}

/// Opens a reader that accepts rows with any number of fields, so that one wrong row does not stop the import.
fn reader(path: &Path, delimiter: u8) -> Result<Reader, CsvError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(file.chain(END_LINE)))
}

fn is_end(record: &StringRecord) -> bool {
    record.len() == 1 && record.get(0) == Some(END)
}

/// Returns whether all fields are empty, as in the rows that spreadsheets write below the last row with data.
fn is_blank(record: &StringRecord) -> bool {
    record.iter().all(|field| field.trim().is_empty())
}

fn problem(path: &Path, error: &csv::Error) -> CsvError {
    let line = error.position().map_or(1, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::Utf8 { .. } => format!("line {line} is not UTF-8: save the file as \"CSV UTF-8\""),
        _ => format!("line {line}: {error}"),
    };
    CsvError::File { path: path.to_owned(), problem }
}

fn unreadable(path: &Path, error: &std::io::Error) -> CsvError {
    CsvError::File { path: path.to_owned(), problem: format!("cannot read the file: {error}") }
}

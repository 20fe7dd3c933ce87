//! The input file, with a mapping of its columns to fields.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use csv::StringRecord;
use leadapi_core::{id::ClientId, model::NewLead, validate::LeadField};

use super::{delimiter::Delimiter, field, formula, row::Row, source::Source};
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
    /// Accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// A wrong quote can turn the rows up to the next wrong quote into text of one cell. By default, a file with such a
    /// cell is refused.
    #[arg(long)]
    multiline: bool,
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
    source: Source,
    pub(super) delimiter: u8,
    pub(super) header: StringRecord,
    columns: Vec<Column>,
    /// The number of rows that are not blank.
    pub(super) rows: u64,
}

impl Sheet {
    /// Opens a file, maps its columns to fields, and reads it once to check its text and count its rows.
    pub(super) fn open(args: SheetArgs) -> Result<Self, CsvError> {
        let mut source = Source::open(&args.file)?;
        let (delimiter, header) = args.header(&source)?;
        let columns = args.columns(&header).map_err(|problem| source.problem(problem))?;
        let mut rows = 0;
        source.check(delimiter, |record| {
            rows += 1;
            if record.resembles_rows(header.len()) && !args.multiline {
                return Err(format!(
                    "line {}: a quoted cell has several lines, and each one looks like a row: if a quote is wrong, \
                     correct it; if the cell is right, pass --multiline",
                    record.line
                ));
            }
            Ok(())
        })?;
        Ok(Self { args, source, delimiter, header, columns, rows })
    }

    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    pub(super) const fn has_byte_order_mark(&self) -> bool {
        self.source.has_byte_order_mark
    }

    /// Returns whether all rows belong to the same client account.
    pub(super) fn has_one_client(&self) -> bool {
        !self.columns.iter().any(|column| matches!(column, Column::Field(LeadField::ClientId)))
    }

    /// Reads the rows lazily. `open` has read the whole file, so an error means that the file has changed or can no
    /// longer be read.
    pub(super) fn rows(&self) -> Result<impl Iterator<Item = Result<Row, CsvError>> + Send, CsvError> {
        let rows = self.source.rows(self.delimiter)?;
        Ok(rows.map(|record| {
            let record = record?;
            let new = self.lead(&record.fields);
            Ok(Row::new(record.line, record.fields, new))
        }))
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
            let known = header.iter().filter(|title| !matches!(self.column(title), Column::Unknown)).count();
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

    fn columns(&self, header: &StringRecord) -> Result<Vec<Column>, String> {
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

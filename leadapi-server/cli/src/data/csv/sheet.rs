//! The input file of an import, and the options that map its columns.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use leadapi_core::locale::Locale;
use leadapi_import::{
    ColumnTarget, CsvFile, Encoding, Notation, ProfileChoice, ReadOptions, UnknownField, UnknownProfile,
};

use super::delimiter::Delimiter;
use crate::{CommandError, csv_error::CsvError, data::file::is_standard};

#[derive(Debug, Args)]
pub(super) struct SheetArgs {
    /// The CSV file or Excel workbook (.xlsx), or - for standard input. Its first row is the header.
    ///
    /// Standard input needs --name, from which the journal and the file of refused rows get their names.
    file: PathBuf,
    #[command(flatten)]
    columns: ColumnArgs,
    /// The encoding of a file without a byte order mark, such as windows-1252. By default UTF-8, or UTF-16 if the file
    /// looks like it.
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// The number of lines before the header, such as the title of a report.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip_lines: u64,
    /// The sheet of a workbook. By default, the only one with cells.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The delimiter of fields. By default, the one that a first line such as "sep=;" names, or with which the header
    /// matches the most fields.
    #[arg(long, value_enum)]
    delimiter: Option<Delimiter>,
    /// Accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// A wrong quote can turn the rows up to the next wrong quote into text of one cell. By default, a file with such a
    /// cell is refused.
    #[arg(long)]
    multiline: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each one is an option of the command line")]
struct ColumnArgs {
    /// The client account of rows without a `client_id`, by its id or its name.
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// The product that exported the file, or "none" to recognize only the names of fields. By default, the command
    /// detects the product from the titles.
    #[arg(long, value_name = "NAME", value_parser = profile)]
    profile: Option<ProfileChoice>,
    /// Use a column for a field, such as "Company=notes". Without a field ("Company="), ignore the column.
    ///
    /// The fields `first_name` and `last_name` form the name of a row without a `name`. Several columns can be mapped
    /// to `notes`: each one becomes a line, such as "Company: Sol". "Phone#2=phone" maps the second column with the
    /// title "Phone", and "#5=phone" maps the fifth column.
    #[arg(long = "map", value_name = "COLUMN=FIELD", value_parser = mapping)]
    mappings: Vec<(String, Option<ColumnTarget>)>,
    /// Ignore columns that are not fields of a lead.
    #[arg(long)]
    ignore_unknown: bool,
    /// Use the business name, the email address or the phone number as the name of a row without a name. By default,
    /// such a row is refused.
    #[arg(long)]
    stand_in_names: bool,
    /// Read amounts in the notation of a language or country, such as de or en-GB. Amounts in any other notation are
    /// refused. By default, the command detects the notation from the whole column.
    #[arg(long, value_name = "LOCALE", value_parser = locale, conflicts_with_all = ["decimal_comma", "decimal_point"])]
    locale: Option<Locale>,
    /// Read amounts with a decimal comma, such as 1.234,50 or 1234,5. Amounts in any other notation are refused.
    #[arg(long)]
    decimal_comma: bool,
    /// Read amounts with a decimal point, such as 1,234.50 or 1234.5. Amounts in any other notation are refused.
    #[arg(long, conflicts_with = "decimal_comma")]
    decimal_point: bool,
    /// Texts that stand for an empty cell, separated by commas, such as "N/A,-".
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    empty: Vec<String>,
    /// Keep a leading ' that marks text that looks like a formula, as "data export-csv" and spreadsheets write it. By
    /// default, it is removed.
    #[arg(long)]
    raw: bool,
}

fn profile(name: &str) -> Result<ProfileChoice, String> {
    match name {
        "none" => Ok(ProfileChoice::FieldNames),
        name => name.parse().map(ProfileChoice::Named).map_err(|error: UnknownProfile| format!("{error} or none")),
    }
}

fn locale(tag: &str) -> Result<Locale, &'static str> {
    let locale = Locale::of(tag);
    if locale.is_known() { Ok(locale) } else { Err("must be a known language or country, such as de, en-GB or fr") }
}

fn mapping(text: &str) -> Result<(String, Option<ColumnTarget>), String> {
    let (title, name) = text.rsplit_once('=').ok_or("must be COLUMN=FIELD")?;
    let target = match name.trim() {
        "" => None,
        name => Some(name.parse().map_err(|error: UnknownField| error.to_string())?),
    };
    Ok((title.trim().to_owned(), target))
}

impl SheetArgs {
    /// Opens the file. The name of the import stands for the name of standard input.
    pub(super) fn open(self, name: Option<&str>) -> Result<CsvFile, CommandError> {
        let columns = self.columns;
        let mut options = ReadOptions::default()
            .ignore_unknown(columns.ignore_unknown)
            .stand_in_names(columns.stand_in_names)
            .raw(columns.raw)
            .multiline(self.multiline)
            .profile(columns.profile.unwrap_or_default());
        options.notation = match (columns.locale, columns.decimal_comma, columns.decimal_point) {
            (Some(locale), ..) => Some(Notation::Local(locale)),
            (None, true, _) => Some(Notation::DecimalComma),
            (None, _, true) => Some(Notation::DecimalPoint),
            (None, false, false) => None,
        };
        options.empty = columns.empty;
        options.client = columns.client;
        options.mappings = columns.mappings;
        options.delimiter = self.delimiter.map(Into::into);
        (options.encoding, options.skip_lines, options.sheet) = (self.encoding, self.skip_lines, self.sheet);
        if !is_standard(&self.file) {
            return Ok(CsvFile::open(&self.file, &options)?);
        }
        let name = name.filter(|name| Path::new(name).file_name() == Some(OsStr::new(name)));
        let name = name.ok_or_else(|| {
            CsvError::Api("standard input needs --name with a file name, without a folder".to_owned())
        })?;
        Ok(CsvFile::copy(name, io::stdin().lock(), &options)?)
    }
}

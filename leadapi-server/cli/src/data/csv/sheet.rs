//! The input file of an import, and the options that map its columns.

use std::path::PathBuf;

use clap::Args;
use leadapi_core::id::ClientId;
use leadapi_import::{ColumnTarget, CsvFile, ImportError, Notation, ReadOptions, UnknownField};

use super::delimiter::Delimiter;

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

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each one is an option of the command line")]
struct ColumnArgs {
    /// The client account of rows without a `client_id`.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// Use a column for a field, such as "Company=notes". Without a field ("Company="), ignore the column.
    ///
    /// The fields `first_name` and `last_name` form the name of a row without a `name`. Several columns can be mapped
    /// to `notes`: each one becomes a line, such as "Company: Sol".
    #[arg(long = "map", value_name = "COLUMN=FIELD", value_parser = mapping)]
    mappings: Vec<(String, Option<ColumnTarget>)>,
    /// Ignore columns that are not fields of a lead.
    #[arg(long)]
    ignore_unknown: bool,
    /// Use the business name, the email address or the phone number as the name of a row without a name. By default,
    /// such a row is refused.
    #[arg(long)]
    stand_in_names: bool,
    /// Read amounts with a decimal comma, such as 1.234,50 or 1234,5. Amounts in any other notation are refused.
    #[arg(long)]
    decimal_comma: bool,
    /// Read amounts with a decimal point, such as 1,234.50 or 1234.5. Needed if a file with semicolons or tabs has only
    /// amounts such as 1.234, which are ambiguous.
    #[arg(long, conflicts_with = "decimal_comma")]
    decimal_point: bool,
    /// Keep a leading ' that marks text that looks like a formula, as "data export-csv" and spreadsheets write it. By
    /// default, it is removed.
    #[arg(long)]
    raw: bool,
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
    pub(super) fn open(self) -> Result<CsvFile, ImportError> {
        let columns = self.columns;
        let mut options = ReadOptions::default()
            .ignore_unknown(columns.ignore_unknown)
            .stand_in_names(columns.stand_in_names)
            .raw(columns.raw)
            .multiline(self.multiline)
            .notation(match (columns.decimal_comma, columns.decimal_point) {
                (true, _) => Notation::DecimalComma,
                (_, true) => Notation::DecimalPoint,
                _ => Notation::Plain,
            });
        options.client = columns.client;
        options.mappings = columns.mappings;
        options.delimiter = self.delimiter.map(Into::into);
        CsvFile::open(&self.file, &options)
    }
}

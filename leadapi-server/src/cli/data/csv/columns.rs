//! The mapping of the columns of a file to the fields of a lead.

use clap::Args;
use csv::StringRecord;
use leadapi_core::{id::ClientId, model::NewLead};

use super::{
    amounts::Notation,
    field::{self, MappedField},
    formula,
};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each one is an option of the command line")]
pub(super) struct ColumnArgs {
    /// The client account of rows without a `client_id`.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// Use a column for a field, such as "Company=notes". Without a field ("Company="), ignore the column.
    ///
    /// The fields `first_name` and `last_name` form the name of a row without a `name`. Several columns can be mapped
    /// to `notes`: each one becomes a line, such as "Company: Sol".
    #[arg(long = "map", value_name = "COLUMN=FIELD", value_parser = mapping)]
    mappings: Vec<Mapping>,
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

/// The name of a column, and what to use it for, or `None` to ignore the column.
#[derive(Debug, Clone)]
struct Mapping(String, Option<MappedField>);

fn mapping(text: &str) -> Result<Mapping, String> {
    let (title, name) = text.rsplit_once('=').ok_or("must be COLUMN=FIELD")?;
    let unknown = || format!("the fields are {}", field::writable_names());
    let field = (!name.trim().is_empty()).then(|| field::writable(name.trim()).ok_or_else(unknown)).transpose()?;
    Ok(Mapping(title.trim().to_owned(), field))
}

/// The meaning of a column.
#[derive(Debug, Clone, Copy)]
enum Column {
    Mapped(MappedField),
    Ignored,
    Unknown,
}

impl Column {
    const fn target(self) -> Option<MappedField> {
        if let Self::Mapped(target) = self { Some(target) } else { None }
    }
}

/// The columns of a file.
pub(super) struct Columns {
    args: ColumnArgs,
    titles: Vec<String>,
    meanings: Vec<Column>,
    has_many_notes: bool,
}

impl ColumnArgs {
    /// Returns the number of columns with a known meaning.
    pub(super) fn known(&self, header: &StringRecord) -> usize {
        header.iter().filter(|title| !matches!(self.column(title), Column::Unknown)).count()
    }

    fn column(&self, title: &str) -> Column {
        let title = title.trim();
        let mapped = self.mappings.iter().find(|Mapping(mapped, _)| mapped == title);
        match (mapped, field::titled(title)) {
            (Some(Mapping(_, Some(target))), _) => Column::Mapped(*target),
            (None, Some(field)) if field.is_writable() => Column::Mapped(MappedField::Field(field)),
            (None, None) if !field::REFUSED_COLUMNS.contains(&title) => Column::Unknown,
            // `--map` excludes the column, only the service sets its field, or an earlier import added it.
            _ => Column::Ignored,
        }
    }

    /// Maps the columns of a file.
    pub(super) fn map(self, header: &StringRecord) -> Result<Columns, String> {
        let quoted =
            |names: &mut dyn Iterator<Item = &str>| names.map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ");
        let is_missing = |Mapping(mapped, _): &&Mapping| !header.iter().any(|title| title.trim() == mapped);
        if let Some(Mapping(title, _)) = self.mappings.iter().find(is_missing) {
            return Err(format!("--map: there is no column {title:?}"));
        }
        let columns: Vec<Column> = header.iter().map(|title| self.column(title)).collect();
        let names: Vec<&str> = columns.iter().filter_map(|column| column.target()).map(MappedField::name).collect();
        let count = |name: &str| names.iter().filter(|other| **other == name).count();
        if let Some(twice) = names.iter().find(|name| **name != "notes" && count(name) > 1) {
            let parts = if *twice == "name" { ", or map its parts to first_name and last_name" } else { "" };
            return Err(format!("two columns are mapped to {twice}: ignore one with --map \"COLUMN=\"{parts}"));
        }
        let stand_ins = STAND_INS.iter().filter(|_| self.stand_in_names);
        if !["name", "first_name", "last_name"].iter().chain(stand_ins).any(|name| names.contains(name)) {
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
        let has_many_notes = count("notes") > 1;
        let titles = header.iter().map(|title| title.trim().to_owned()).collect();
        Ok(Columns { args: self, titles, meanings: columns, has_many_notes })
    }

    const fn notation(&self) -> Notation {
        match (self.decimal_comma, self.decimal_point) {
            (true, _) => Notation::DecimalComma,
            (_, true) => Notation::DecimalPoint,
            _ => Notation::Plain,
        }
    }
}

/// The fields that can stand in for a missing name, as in forms.
const STAND_INS: [&str; 3] = ["business_name", "email", "phone"];

impl Columns {
    pub(super) const fn len(&self) -> usize {
        self.meanings.len()
    }

    pub(super) const fn notation(&self) -> Notation {
        self.args.notation()
    }

    /// Returns whether all rows belong to the same client account.
    pub(super) fn has_one_client(&self) -> bool {
        self.position("client_id").is_none()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.meanings.iter().position(|column| column.target().is_some_and(|target| target.name() == name))
    }

    /// Returns the text in a row of the column that is mapped to a field, if any.
    pub(super) fn cell<'r>(&self, field: &str, record: &'r StringRecord) -> Option<&'r str> {
        record.get(self.position(field)?).map(|text| self.text(text))
    }

    /// Returns the lead of a row.
    pub(super) fn lead(&self, record: &StringRecord) -> Result<NewLead, String> {
        if record.len() != self.len() {
            return Err(format!("the row has {} fields instead of {}", record.len(), self.len()));
        }
        let mut new = NewLead::default();
        new.client_id = self.args.client.as_ref().map(ToString::to_string);
        let (mut parts, mut notes) = ([""; 2], Vec::new());
        for ((text, column), title) in record.iter().zip(&self.meanings).zip(&self.titles) {
            let text = self.text(text);
            let Some(target) = column.target().filter(|_| !text.trim().is_empty()) else { continue };
            match (target, &mut parts) {
                (MappedField::FirstName, [first, _]) => *first = text.trim(),
                (MappedField::LastName, [_, last]) => *last = text.trim(),
                (MappedField::Field(_), _) if self.has_many_notes && target.name() == "notes" => {
                    notes.push(format!("{title}: {text}"));
                }
                (MappedField::Field(field), _) => field::set(&mut new, field, text, self.notation())?,
            }
        }
        if !notes.is_empty() {
            new.notes = Some(notes.join("\n"));
        }
        if new.name.is_none() {
            let name = parts.join(" ").trim().to_owned();
            new.name = Some(name).filter(|name| !name.is_empty());
        }
        if new.name.is_none() && self.args.stand_in_names {
            new.name = [&new.business_name, &new.email, &new.phone].into_iter().flatten().next().cloned();
        }
        Ok(new)
    }

    fn text<'t>(&self, text: &'t str) -> &'t str {
        if self.args.raw { text } else { formula::unescape(text) }
    }
}

//! The mapping of the columns of a file to the fields of a lead.

use std::{borrow::Cow, collections::BTreeMap};

use csv::StringRecord;
use leadapi_core::model::NewLead;

use crate::{
    amounts::Notation,
    encoding::Encoding,
    error::FileProblem,
    field::{self, ColumnTarget},
    formula,
    mapping::{Mapping, TITLED_NOTES},
    meaning::{self, Column},
    options::ReadOptions,
    profile::{Profile, ProfileChoice},
    workbook,
};

/// The columns of a file.
pub(crate) struct Columns {
    options: ReadOptions,
    titles: Vec<String>,
    meanings: Vec<Column>,
    has_many_notes: bool,
    pub(crate) profile: Option<Profile>,
    /// The notation of amounts in text.
    pub(crate) notation: Notation,
    /// Whether an amount in text has a separator.
    pub(crate) has_separators: bool,
    /// The encoding, if the file has text that is not ASCII.
    pub(crate) encoding: Option<Encoding>,
    /// Whether the cells are those of a workbook, whose numbers and errors have marks.
    pub(crate) has_marks: bool,
}

/// The fields that can stand in for a missing name, as in forms.
const STAND_INS: [&str; 3] = ["business_name", "email", "phone"];

impl Columns {
    /// Maps the columns of a file.
    pub(crate) fn map(options: &ReadOptions, header: &StringRecord) -> Result<Self, FileProblem> {
        let profile = options.profile_of(header);
        let meanings = meaning::of(options, profile, header)?;
        let targets = || meanings.iter().filter_map(|column| column.target()).map(ColumnTarget::name);
        let single = |column: &Column| match column {
            Column::Mapped(target) if target.name() != "notes" => Some(target.name()),
            _ => None,
        };
        let singles: Vec<&'static str> = meanings.iter().filter_map(single).collect();
        let count = |name: &str| singles.iter().filter(|other| **other == name).count();
        if let Some(field) = singles.iter().find(|name| count(name) > 1) {
            return Err(FileProblem::MappedTwice { field });
        }
        let stand_ins = STAND_INS.iter().filter(|_| options.stand_in_names);
        let has = |name: &str| targets().any(|target| target == name);
        if !["name", "first_name", "last_name"].iter().chain(stand_ins).any(|name| has(name)) {
            return Err(FileProblem::NoName { columns: header.iter().map(str::to_owned).collect() });
        }
        let unknown = header.iter().zip(&meanings).filter(|(_, column)| matches!(column, Column::Unknown));
        let unknown: Vec<String> = unknown.map(|(title, _)| title.to_owned()).collect();
        if !unknown.is_empty() && !options.ignore_unknown {
            return Err(FileProblem::UnknownColumns { columns: unknown });
        }
        if options.client.is_none() && !has("client_id") {
            return Err(FileProblem::NoClient);
        }
        let has_many_notes = targets().filter(|name| *name == "notes").count() > 1;
        let titles = header.iter().map(|title| title.trim().to_owned()).collect();
        let (options, notation) = (options.clone(), options.notation.unwrap_or_default());
        Ok(Self {
            options,
            titles,
            meanings,
            has_many_notes,
            profile,
            notation,
            has_separators: false,
            encoding: None,
            has_marks: false,
        })
    }

    pub(crate) const fn len(&self) -> usize {
        self.meanings.len()
    }

    /// Returns the title and the target of each column.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        let name = |column: &Column| column.target().map(ColumnTarget::name);
        self.titles.iter().map(String::as_str).zip(self.meanings.iter().map(name))
    }

    pub(crate) const fn skipped_lines(&self) -> u64 {
        self.options.skip_lines
    }

    /// Returns the client account of the options, if all rows belong to it.
    pub(crate) fn only_client(&self) -> Option<&str> {
        let has_column = self.targets().any(|(_, target)| target == Some("client_id"));
        self.options.client.as_deref().filter(|_| !has_column)
    }

    /// Returns the cells of the columns that are mapped to a field, except empty ones.
    pub(crate) fn cells<'r>(&self, field: &str, record: &'r StringRecord) -> impl Iterator<Item = &'r str> {
        let mapped = self.targets().zip(record).filter(move |((_, target), _)| *target == Some(field));
        mapped.filter_map(|(_, cell)| self.filled(cell))
    }

    /// Returns the position of a column that has text but no title.
    pub(crate) fn untitled_text(&self, record: &StringRecord) -> Option<usize> {
        let has_text = |(column, text): (&Column, &str)| {
            matches!(column, Column::Untitled) && !self.options.ignore_unknown && !text.trim().is_empty()
        };
        self.meanings.iter().zip(record).position(has_text)
    }

    /// Returns the lead of a row.
    pub(crate) fn lead(&self, record: &StringRecord) -> Result<NewLead, String> {
        let is_wider = record.iter().skip(self.len()).any(|text| !text.trim().is_empty());
        if record.len() < self.len() || is_wider {
            return Err(format!("the row has {} fields instead of {}", record.len(), self.len()));
        }
        let mut new = NewLead::default();
        new.client_id.clone_from(&self.options.client);
        let (mut parts, mut notes, mut filled) = ([("", ""); 2], Vec::new(), Vec::<(&str, &str)>::new());
        for ((cell, column), title) in record.iter().zip(&self.meanings).zip(&self.titles) {
            let (Some(target), Some(cell)) = (column.target(), self.filled(cell)) else { continue };
            let text = self.text(cell);
            if self.has_marks && cell.starts_with(workbook::ERROR) {
                return Err(format!("{}: the cell has the error {text}", target.name()));
            }
            let earlier = filled.iter().find(|(name, _)| *name == target.name()).map(|(_, text)| *text);
            match (target, &mut parts) {
                _ if matches!(column, Column::Answer) => notes.push(format!("{title}: {text}")),
                _ if target.name() == "notes" && self.has_many_notes => notes.push(format!("{title}: {text}")),
                // Only a column that a profile or the list of usual titles maps can have the target of another column.
                _ if earlier.is_some_and(|earlier| earlier != text) => notes.push(format!("{title}: {text}")),
                _ if earlier.is_some() => {}
                (ColumnTarget::FirstName, [first, _]) => *first = (title, text.trim()),
                (ColumnTarget::LastName, [_, last]) => *last = (title, text.trim()),
                (ColumnTarget::Field(field), _) => field::set(&mut new, field, text, self.notation_of(cell))?,
            }
            filled.push((target.name(), text));
        }
        if let Some(name) = &new.name {
            let lost = parts.iter().filter(|(_, part)| !contains_words(name, part));
            notes.extend(lost.map(|(title, part)| format!("{title}: {part}")));
        }
        if !notes.is_empty() {
            notes.splice(0..0, new.notes.take());
            new.notes = Some(notes.join("\n"));
        }
        if new.name.is_none() {
            let name = parts.map(|(_, part)| part).join(" ").trim().to_owned();
            new.name = Some(name).filter(|name| !name.is_empty());
        }
        if new.name.is_none() && self.options.stand_in_names {
            new.name = [&new.business_name, &new.email, &new.phone].into_iter().flatten().next().cloned();
        }
        Ok(new)
    }

    /// Returns the text of a cell in the file of refused rows, which has the notation of the file.
    pub(crate) fn refused<'t>(&self, cell: &'t str) -> Cow<'t, str> {
        match cell {
            number if self.is_number(number) && self.notation.has_decimal_comma() => {
                workbook::unmarked(number).replace('.', ",").into()
            }
            cell if self.has_marks => workbook::unmarked(cell).into(),
            cell => cell.into(),
        }
    }

    /// Returns the mapping for the journal.
    pub(crate) fn mapping(&self) -> Mapping {
        let (mut fields, mut order) = (BTreeMap::new(), Vec::new());
        for (position, ((title, field), column)) in self.targets().zip(&self.meanings).enumerate() {
            let equal = self.titles.iter().take(position).filter(|other| *other == title).count();
            let title = if equal == 0 { title.to_owned() } else { format!("{title}#{}", equal + 1) };
            let is_titled = matches!(column, Column::Answer) || (field == Some("notes") && self.has_many_notes);
            if is_titled || field.is_some() && self.targets().filter(|(_, other)| *other == field).count() > 1 {
                order.push(title.clone());
            }
            let field = if is_titled { Some(TITLED_NOTES) } else { field };
            fields.insert(title, field.map(str::to_owned));
        }
        let decimal_comma = self.has_separators.then(|| self.notation.has_decimal_comma());
        let encoding = self.encoding.map(|encoding| encoding.or_utf_8().name().to_owned());
        let ReadOptions { raw, stand_in_names, ref empty, .. } = self.options;
        Mapping { fields, client: None, order, encoding, decimal_comma, raw, stand_in_names, empty: empty.clone() }
    }

    /// Returns the mapping of the first version, which understood only the names of fields, if it could import the file.
    pub(crate) fn mapping_of_first_version(&self) -> Option<Mapping> {
        let mut options = self.options.clone();
        (options.profile, options.ignore_unknown) = (ProfileChoice::FieldNames, true);
        let mut columns = Self::map(&options, &self.titles.iter().collect()).ok()?;
        columns.has_separators = self.has_separators;
        Some(columns.mapping())
    }

    /// Returns the cell unless it is blank or stands for an empty one.
    fn filled<'t>(&self, cell: &'t str) -> Option<&'t str> {
        let text = self.text(cell).trim();
        let is_empty =
            text.is_empty() || self.options.empty.iter().any(|empty| empty.trim().eq_ignore_ascii_case(text));
        (!is_empty).then_some(cell)
    }

    fn notation_of(&self, cell: &str) -> Notation {
        if self.is_number(cell) { Notation::Plain } else { self.notation }
    }

    /// Returns whether the cell is a number of a workbook.
    pub(crate) fn is_number(&self, cell: &str) -> bool {
        self.has_marks && cell.starts_with(workbook::NUMBER)
    }

    pub(crate) fn text<'t>(&self, cell: &'t str) -> &'t str {
        let is_marked = self.has_marks && cell.starts_with([workbook::NUMBER, workbook::ERROR]);
        match cell {
            cell if is_marked => workbook::unmarked(cell),
            cell if self.options.raw => cell,
            cell => formula::unescape(cell),
        }
    }
}

/// Returns whether a name contains each word of one of its parts.
fn contains_words(name: &str, part: &str) -> bool {
    let [name, part] = [name, part].map(str::to_lowercase);
    part.split_whitespace().all(|word| name.split_whitespace().any(|other| other == word))
}

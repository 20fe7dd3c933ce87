//! The mapping of the columns of a file to the fields of a lead.

use csv::StringRecord;
use leadapi_core::model::NewLead;

use crate::{
    amounts::Notation,
    error::FileProblem,
    field::{self, ColumnTarget},
    formula,
    options::{Column, ReadOptions},
};

/// The columns of a file.
pub(crate) struct Columns {
    options: ReadOptions,
    titles: Vec<String>,
    meanings: Vec<Column>,
    has_many_notes: bool,
}

/// The fields that can stand in for a missing name, as in forms.
const STAND_INS: [&str; 3] = ["business_name", "email", "phone"];

impl Columns {
    /// Maps the columns of a file.
    pub(crate) fn map(options: &ReadOptions, header: &StringRecord) -> Result<Self, FileProblem> {
        let is_missing = |(mapped, _): &&(String, _)| !header.iter().any(|title| title.trim() == mapped);
        if let Some((title, _)) = options.mappings.iter().find(is_missing) {
            return Err(FileProblem::NoSuchColumn { title: title.clone() });
        }
        let columns: Vec<Column> = header.iter().map(|title| options.column(title)).collect();
        let names: Vec<&'static str> =
            columns.iter().filter_map(|column| column.target()).map(ColumnTarget::name).collect();
        let count = |name: &str| names.iter().filter(|other| **other == name).count();
        if let Some(field) = names.iter().find(|name| **name != "notes" && count(name) > 1) {
            return Err(FileProblem::MappedTwice { field });
        }
        let stand_ins = STAND_INS.iter().filter(|_| options.stand_in_names);
        if !["name", "first_name", "last_name"].iter().chain(stand_ins).any(|name| names.contains(name)) {
            return Err(FileProblem::NoName { columns: header.iter().map(str::to_owned).collect() });
        }
        let unknown = header.iter().zip(&columns).filter(|(_, column)| matches!(column, Column::Unknown));
        let unknown: Vec<String> = unknown.map(|(title, _)| title.to_owned()).collect();
        if !unknown.is_empty() && !options.ignore_unknown {
            return Err(FileProblem::UnknownColumns { columns: unknown });
        }
        if options.client.is_none() && !names.contains(&"client_id") {
            return Err(FileProblem::NoClient);
        }
        let has_many_notes = count("notes") > 1;
        let titles = header.iter().map(|title| title.trim().to_owned()).collect();
        Ok(Self { options: options.clone(), titles, meanings: columns, has_many_notes })
    }

    pub(crate) const fn len(&self) -> usize {
        self.meanings.len()
    }

    pub(crate) const fn notation(&self) -> Notation {
        self.options.notation
    }

    /// Returns whether all rows belong to the same client account.
    pub(crate) fn has_one_client(&self) -> bool {
        self.position("client_id").is_none()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.meanings.iter().position(|column| column.target().is_some_and(|target| target.name() == name))
    }

    /// Returns the row's text in the column that is mapped to a field, if any.
    pub(crate) fn cell<'r>(&self, field: &str, record: &'r StringRecord) -> Option<&'r str> {
        record.get(self.position(field)?).map(|text| self.text(text))
    }

    /// Returns the lead of a row.
    pub(crate) fn lead(&self, record: &StringRecord) -> Result<NewLead, String> {
        if record.len() != self.len() {
            return Err(format!("the row has {} fields instead of {}", record.len(), self.len()));
        }
        let mut new = NewLead::default();
        new.client_id = self.options.client.as_ref().map(ToString::to_string);
        let (mut parts, mut notes) = ([""; 2], Vec::new());
        for ((text, column), title) in record.iter().zip(&self.meanings).zip(&self.titles) {
            let text = self.text(text);
            let Some(target) = column.target().filter(|_| !text.trim().is_empty()) else { continue };
            match (target, &mut parts) {
                (ColumnTarget::FirstName, [first, _]) => *first = text.trim(),
                (ColumnTarget::LastName, [_, last]) => *last = text.trim(),
                (ColumnTarget::Field(_), _) if self.has_many_notes && target.name() == "notes" => {
                    notes.push(format!("{title}: {text}"));
                }
                (ColumnTarget::Field(field), _) => field::set(&mut new, field, text, self.notation())?,
            }
        }
        if !notes.is_empty() {
            new.notes = Some(notes.join("\n"));
        }
        if new.name.is_none() {
            let name = parts.join(" ").trim().to_owned();
            new.name = Some(name).filter(|name| !name.is_empty());
        }
        if new.name.is_none() && self.options.stand_in_names {
            new.name = [&new.business_name, &new.email, &new.phone].into_iter().flatten().next().cloned();
        }
        Ok(new)
    }

    fn text<'t>(&self, text: &'t str) -> &'t str {
        if self.options.raw { text } else { formula::unescape(text) }
    }
}

//! The columns of a CSV file, which are the fields of a lead.

use std::str::FromStr;

use leadapi_core::{
    model::NewLead,
    validate::{LEAD_FIELDS, LeadField},
};
use serde_json::Value;

use crate::{amounts::Notation, phone};

/// The columns that a file of refused rows has before the columns of the input.
pub(crate) const REFUSED_COLUMNS: [&str; 2] = ["refused_line", "refused_because"];

/// The target of a column.
///
/// ```
/// use leadapi_import::ColumnTarget;
///
/// assert_eq!("notes".parse::<ColumnTarget>()?.name(), "notes");
/// assert!("created_at".parse::<ColumnTarget>().unwrap_err().to_string().starts_with("the fields are client_id, name"));
/// # Ok::<(), leadapi_import::UnknownField>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ColumnTarget {
    /// A field of a lead.
    Field(LeadField),
    /// The first part of the name. It becomes a line of the notes if the row has a full name that lacks it.
    FirstName,
    /// The second part of the name, likewise.
    LastName,
}

/// The error for a string that is not the name of a field that callers can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the fields are {}", ColumnTarget::names().join(", "))]
pub struct UnknownField;

impl ColumnTarget {
    /// Returns the name of the target, such as `email` or `first_name`.
    ///
    /// ```
    /// assert_eq!(leadapi_import::ColumnTarget::FirstName.name(), "first_name");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Field(field) => field.name(),
            Self::FirstName => "first_name",
            Self::LastName => "last_name",
        }
    }

    /// Returns the names of all targets.
    ///
    /// ```
    /// assert!(leadapi_import::ColumnTarget::names().contains(&"email"));
    /// ```
    pub fn names() -> Vec<&'static str> {
        Self::all().map(Self::name).collect()
    }

    fn all() -> impl Iterator<Item = Self> {
        let fields = LEAD_FIELDS.into_iter().filter(|field| field.is_writable()).map(Self::Field);
        fields.chain([Self::FirstName, Self::LastName])
    }
}

impl FromStr for ColumnTarget {
    type Err = UnknownField;

    fn from_str(name: &str) -> Result<Self, UnknownField> {
        Self::all().find(|target| target.name() == name).ok_or(UnknownField)
    }
}

/// Returns the field with the same name as a column. Case, spaces, hyphens, underscores and a missing `id` suffix do
/// not matter: `E-Mail` matches `email`, and `Stage` matches `stage_id`.
pub(crate) fn titled(title: &str) -> Option<LeadField> {
    let title = simple(title);
    LEAD_FIELDS.into_iter().find(|field| {
        let name = simple(field.name());
        // An empty column name must not match `id`.
        name == title || name.strip_suffix("id").is_some_and(|name| !name.is_empty() && name == title)
    })
}

/// Returns whether a column has the name of a field, apart from case, spaces, hyphens and underscores.
pub(crate) fn is_name(field: LeadField, title: &str) -> bool {
    simple(field.name()) == simple(title)
}

fn simple(text: &str) -> String {
    text.to_lowercase().replace([' ', '-', '_'], "")
}

/// Returns the field for the notes.
pub(crate) fn notes() -> Option<ColumnTarget> {
    "notes".parse().ok()
}

/// Sets a field to the text of a cell.
pub(crate) fn set(new: &mut NewLead, field: LeadField, text: &str, notation: Notation) -> Result<(), String> {
    let id = || Some(text.trim().to_owned());
    match field {
        LeadField::ClientId => new.client_id = id(),
        LeadField::Name => new.name = Some(text.to_owned()),
        LeadField::Text(text_field) => {
            let text = if field.name() == "phone" { phone::read(text)? } else { text };
            *text_field.in_new(new) = Some(text.to_owned());
        }
        LeadField::Value => new.value = Some(notation.parse(text)?.get()),
        LeadField::PipelineId => new.pipeline_id = id(),
        LeadField::StageId => new.stage_id = id(),
        // Only the service sets these fields, so no column is mapped to them.
        LeadField::Id | LeadField::CreatedAt => {}
    }
    Ok(())
}

/// Returns the text of a cell for the JSON value of a field.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_match_however_they_are_written() {
        for (title, field) in [
            ("email", "email"),
            ("E-Mail", "email"),
            ("Business Name", "business_name"),
            ("Stage", "stage_id"),
            ("PIPELINE-ID", "pipeline_id"),
            ("Client", "client_id"),
            ("id", "id"),
            ("created_at", "created_at"),
        ] {
            assert_eq!(titled(title).map(LeadField::name), Some(field), "{title}");
        }
        for title in ["", "first name", "i", "ids"] {
            assert_eq!(titled(title).map(LeadField::name), None, "{title}");
        }
    }
}

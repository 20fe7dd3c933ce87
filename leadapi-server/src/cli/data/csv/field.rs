//! The columns of a CSV file, which are the fields of a lead.

use leadapi_core::{
    model::NewLead,
    validate::{LEAD_FIELDS, LeadField},
};
use serde_json::Value;

use super::{amounts::Notation, phone};

/// The columns that a file of refused rows has in front of the columns of the input.
pub(super) const REFUSED_COLUMNS: [&str; 2] = ["refused_line", "refused_because"];

/// What a column is mapped to.
#[derive(Debug, Clone, Copy)]
pub(super) enum MappedField {
    Field(LeadField),
    /// A part of the name, as in forms.
    FirstName,
    LastName,
}

impl MappedField {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Field(field) => field.name(),
            Self::FirstName => "first_name",
            Self::LastName => "last_name",
        }
    }
}

/// Returns the target with this name, if callers can set it.
pub(super) fn writable(name: &str) -> Option<MappedField> {
    let field = LEAD_FIELDS.into_iter().find(|field| field.is_writable() && field.name() == name);
    let part = [MappedField::FirstName, MappedField::LastName].into_iter().find(|part| part.name() == name);
    field.map(MappedField::Field).or(part)
}

/// Returns the field with the same name as a column. Case, spaces, hyphens, underscores and a missing `id` suffix do
/// not matter: `E-Mail` matches `email`, and `Stage` matches `stage_id`.
pub(super) fn titled(title: &str) -> Option<LeadField> {
    let simple = |text: &str| text.to_lowercase().replace([' ', '-', '_'], "");
    let title = simple(title);
    LEAD_FIELDS.into_iter().find(|field| {
        let name = simple(field.name());
        // An empty column name must not match `id`.
        name == title || name.strip_suffix("id").is_some_and(|name| !name.is_empty() && name == title)
    })
}

/// Returns the names of the targets that callers can set, for messages.
pub(super) fn writable_names() -> String {
    let fields = LEAD_FIELDS.iter().filter(|field| field.is_writable()).map(|field| field.name());
    let names: Vec<&str> = fields.chain([MappedField::FirstName.name(), MappedField::LastName.name()]).collect();
    names.join(", ")
}

/// Sets a field to the text of a cell.
pub(super) fn set(new: &mut NewLead, field: LeadField, text: &str, notation: Notation) -> Result<(), String> {
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
pub(super) fn cell(value: &Value) -> String {
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

//! The columns of a CSV file, which are the fields of a lead.

use leadapi_core::{
    model::{Amount, InvalidAmount, NewLead},
    validate::{LEAD_FIELDS, LeadField},
};
use serde_json::Value;

/// The columns that a file of refused rows has in front of the columns of the input.
pub(super) const REFUSED_COLUMNS: [&str; 2] = ["refused_line", "refused_because"];

/// Returns the field with this name, if callers can set it.
pub(super) fn writable(name: &str) -> Option<LeadField> {
    LEAD_FIELDS.into_iter().find(|field| field.is_writable() && field.name() == name)
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

/// Returns the names of the fields that callers can set, for messages.
pub(super) fn writable_names() -> String {
    let names: Vec<&str> = LEAD_FIELDS.iter().filter(|field| field.is_writable()).map(|field| field.name()).collect();
    names.join(", ")
}

/// Sets a field to the text of a cell.
pub(super) fn set(new: &mut NewLead, field: LeadField, text: &str, decimal_comma: bool) -> Result<(), String> {
    let id = || Some(text.trim().to_owned());
    match field {
        LeadField::ClientId => new.client_id = id(),
        LeadField::Name => new.name = Some(text.to_owned()),
        LeadField::Text(field) => *field.in_new(new) = Some(text.to_owned()),
        LeadField::Value => new.value = Some(amount(text.trim(), decimal_comma)?.get()),
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

/// Parses a number. Without `decimal_comma`, it must not contain a comma, because the meaning of 1,234 depends on the
/// country.
fn amount(text: &str, decimal_comma: bool) -> Result<Amount, String> {
    let example = if decimal_comma { "450 or 1.234,5" } else { "450 or 1234.5" };
    let number = if decimal_comma { text.replace('.', "").replace(',', ".") } else { text.to_owned() };
    Amount::parse(&number).map_err(|error| match error {
        InvalidAmount::Inexact => format!("value {error}"),
        _ => format!("value must be a number such as {example}"),
    })
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

    #[test]
    fn amounts_are_read_as_written() {
        for (text, decimal_comma, read) in [
            ("450", false, Some(450.0)),
            ("-1234.5", false, Some(-1234.5)),
            ("1,234", false, None),
            ("1 234", false, None),
            ("1.234,5", true, Some(1234.5)),
            ("1234,50", true, Some(1234.5)),
            ("inf", false, None),
            ("NaN", false, None),
            ("9007199254740993", false, None),
            ("€ 5", false, None),
        ] {
            assert_eq!(amount(text, decimal_comma).ok().map(Amount::get), read, "{text}");
        }
    }
}

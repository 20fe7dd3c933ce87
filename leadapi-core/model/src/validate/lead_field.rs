//! The fields of a lead, defined once for the whole project.
//!
//! Bodies, validation, fingerprints, data sets, forms, the OpenAPI document, the server's SQL and the conformance
//! suites derive from these tables. CONTRIBUTING.md lists the steps for adding an optional text field.

use std::fmt;

use super::{
    email,
    text::{Shape, TextRule},
};
use crate::model::{Change, Lead, LeadPatch, NewLead};

/// A field of a lead.
#[derive(Debug, Clone, Copy)]
pub enum LeadField {
    /// [`Lead::id`].
    Id,
    /// [`Lead::client_id`].
    ClientId,
    /// [`Lead::name`].
    Name,
    /// An optional text field.
    Text(&'static OptionalText),
    /// [`Lead::value`].
    Value,
    /// [`Lead::pipeline_id`].
    PipelineId,
    /// [`Lead::stage_id`].
    StageId,
    /// [`Lead::created_at`].
    CreatedAt,
}

/// The fields of a lead, in the order in which they are declared in [`Lead`] and written as JSON.
pub static LEAD_FIELDS: [LeadField; 12] = [
    LeadField::Id,
    LeadField::ClientId,
    LeadField::Name,
    LeadField::Text(&EMAIL),
    LeadField::Text(&PHONE),
    LeadField::Text(&SOURCE),
    LeadField::Text(&NOTES),
    LeadField::Value,
    LeadField::PipelineId,
    LeadField::StageId,
    LeadField::Text(&BUSINESS_NAME),
    LeadField::CreatedAt,
];

/// The optional text fields, in the order of [`LEAD_FIELDS`].
pub static OPTIONAL_TEXTS: [&OptionalText; 5] = [&EMAIL, &PHONE, &SOURCE, &NOTES, &BUSINESS_NAME];

/// The number of optional text fields that are written before `value`. The others are written after `stage_id`.
pub const TEXTS_BEFORE_VALUE: usize = 4;

/// The field [`email`](NewLead::email).
pub static EMAIL: OptionalText = OptionalText {
    access: access!(email clear_email),
    rule: TextRule {
        field: "email",
        max_chars: email::MAX_CHARS,
        trimmed: true,
        line_breaks: false,
        shape: Some(Shape::Email),
    },
    description: email::DESCRIPTION,
    in_list: true,
    is_personal: true,
    takes_answers: true,
    null_in_fingerprint: true,
};

/// The field [`phone`](NewLead::phone).
pub static PHONE: OptionalText = OptionalText {
    access: access!(phone clear_phone),
    rule: TextRule { field: "phone", max_chars: 50, trimmed: true, line_breaks: false, shape: Some(Shape::Phone) },
    description: "The phone number, with at least three digits of any script. Leading and trailing white space is \
        trimmed. No country code is inferred.",
    in_list: true,
    is_personal: true,
    takes_answers: true,
    null_in_fingerprint: true,
};

/// The field [`source`](NewLead::source).
pub static SOURCE: OptionalText = OptionalText {
    access: access!(source clear_source),
    rule: TextRule { field: "source", max_chars: 100, trimmed: false, line_breaks: false, shape: None },
    description: "The origin of the lead, as free text. It is stored as sent.",
    in_list: true,
    is_personal: false,
    takes_answers: false,
    null_in_fingerprint: true,
};

/// The field [`notes`](NewLead::notes).
pub static NOTES: OptionalText = OptionalText {
    access: access!(notes clear_notes),
    rule: TextRule { field: "notes", max_chars: 10_000, trimmed: false, line_breaks: true, shape: None },
    description: "Free text, stored as sent. Control characters other than line breaks and tabs are not allowed.",
    in_list: false,
    is_personal: true,
    takes_answers: false,
    null_in_fingerprint: true,
};

pub(crate) static BUSINESS_NAME: OptionalText = OptionalText {
    access: access!(business_name clear_business_name),
    rule: TextRule { field: "business_name", max_chars: 200, trimmed: true, line_breaks: false, shape: None },
    description: "The name of the lead's own business. Leading and trailing white space is trimmed. Control \
        characters are not allowed.",
    in_list: false,
    is_personal: true,
    takes_answers: true,
    null_in_fingerprint: true,
};

/// An optional text field of a lead.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub struct OptionalText {
    access: Access,
    /// The rule for the text.
    pub rule: TextRule,
    /// The description of the field in a request body (OpenAPI).
    pub description: &'static str,
    /// Whether list items contain the field.
    in_list: bool,
    /// Whether recordings redact the field.
    is_personal: bool,
    /// Whether form questions can be mapped to the field. Answers that fill no field go to the notes.
    pub takes_answers: bool,
    /// Whether the fingerprint of a create includes the field even if it is unset. Must be false for fields added
    /// later, so that requests without them keep their fingerprints (contract D10).
    pub(crate) null_in_fingerprint: bool,
}

/// The JSON key of a field, and accessors for the field in each type that has it.
struct Access {
    key: &'static str,
    of: fn(&Lead) -> &Option<String>,
    of_mut: fn(&mut Lead) -> &mut Option<String>,
    in_new: fn(&mut NewLead) -> &mut Option<String>,
    in_patch: fn(&mut LeadPatch) -> &mut Change<String>,
}

/// Builds the [`Access`] of a field. Does not compile without the setters of the field in [`NewLead`] and [`LeadPatch`].
macro_rules! access {
    ($field:ident $clear:ident) => {{
        const _: fn(NewLead, String) -> NewLead = |new, text| new.$field(text);
        const _: fn(LeadPatch, String) -> LeadPatch = |patch, text| patch.$field(text);
        const _: fn(LeadPatch) -> LeadPatch = LeadPatch::$clear;
        Access {
            key: concat!(",\"", stringify!($field), "\":"),
            of: |lead| &lead.$field,
            of_mut: |lead| &mut lead.$field,
            in_new: |new| &mut new.$field,
            in_patch: |patch| &mut patch.$field,
        }
    }};
}
use access;

impl OptionalText {
    /// Returns the name on the wire, which is also the name of the database column.
    pub const fn name(&self) -> &'static str {
        self.rule.field
    }

    /// Returns the name as JSON: a comma, the quoted name and a colon, as for any member except the first.
    pub const fn key(&self) -> &'static str {
        self.access.key
    }

    /// Returns whether list items contain the field.
    pub const fn is_in_list(&self) -> bool {
        self.in_list
    }

    /// Returns whether the field can contain personal data.
    pub const fn is_personal(&self) -> bool {
        self.is_personal
    }

    /// Returns the value of the field in a lead.
    pub fn get<'a>(&self, lead: &'a Lead) -> Option<&'a str> {
        (self.access.of)(lead).as_deref()
    }

    /// Returns a mutable reference to the field of a lead.
    pub fn get_mut<'a>(&self, lead: &'a mut Lead) -> &'a mut Option<String> {
        (self.access.of_mut)(lead)
    }

    /// Returns a mutable reference to the field of a create.
    pub fn in_new<'a>(&self, new: &'a mut NewLead) -> &'a mut Option<String> {
        (self.access.in_new)(new)
    }

    /// Returns a mutable reference to the field of an update.
    pub fn in_patch<'a>(&self, patch: &'a mut LeadPatch) -> &'a mut Change<String> {
        (self.access.in_patch)(patch)
    }
}

impl fmt::Debug for OptionalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl LeadField {
    /// Returns the name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::ClientId => "client_id",
            Self::Name => "name",
            Self::Text(text) => text.name(),
            Self::Value => "value",
            Self::PipelineId => "pipeline_id",
            Self::StageId => "stage_id",
            Self::CreatedAt => "created_at",
        }
    }

    /// Returns whether list items contain the field.
    pub const fn is_in_list(self) -> bool {
        match self {
            Self::Text(text) => text.in_list,
            _ => true,
        }
    }

    /// Returns whether every lead has a value of the field. All other fields can be `null`.
    pub const fn is_always_set(self) -> bool {
        matches!(self, Self::Id | Self::ClientId | Self::Name | Self::CreatedAt)
    }

    /// Returns whether callers can set the field. The service sets all other fields.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::Id | Self::CreatedAt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::{ClientId, LeadId},
        model::LeadItem,
    };

    fn keys(value: &impl serde::Serialize) -> Vec<String> {
        let text = serde_json::to_string(value).unwrap();
        let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        let is_key = |name: &&&str| text.contains(&format!("\"{name}\":"));
        quoted.iter().filter(is_key).map(|&name| name.to_owned()).collect()
    }

    fn names(fields: impl Iterator<Item = LeadField>) -> Vec<&'static str> {
        fields.map(LeadField::name).collect()
    }

    #[test]
    fn the_tables_agree_with_the_types() {
        let at = "2026-05-04T07:58:12.004Z".parse().unwrap();
        let mut lead = Lead::new(LeadId::parse("l1").unwrap(), ClientId::parse("c1").unwrap(), "Ann", at);
        assert_eq!(keys(&lead), names(LEAD_FIELDS.into_iter()));
        assert_eq!(
            keys(&LeadItem::from(lead.clone())),
            names(LEAD_FIELDS.into_iter().filter(|field| field.is_in_list()))
        );
        let nullable = LEAD_FIELDS.into_iter().filter(|field| !field.is_always_set());
        let json = serde_json::to_value(&lead).unwrap();
        let null = LEAD_FIELDS.into_iter().filter(|field| json[field.name()].is_null());
        assert_eq!(names(nullable), names(null));
        let set_by_the_service = LEAD_FIELDS.into_iter().filter(|field| !field.is_writable());
        assert_eq!(names(set_by_the_service), ["id", "created_at"]);
        let public = OPTIONAL_TEXTS.into_iter().filter(|text| !text.is_personal()).map(OptionalText::name);
        assert!(public.eq(["source"]), "every other text can name or describe a person");
        let only_in_full = OPTIONAL_TEXTS.into_iter().filter(|text| !text.is_in_list()).map(OptionalText::name);
        assert!(only_in_full.eq(["notes", "business_name"]));
        let texts =
            LEAD_FIELDS.iter().filter_map(|field| if let LeadField::Text(text) = field { Some(text) } else { None });
        assert!(texts.map(|text| text.name()).eq(OPTIONAL_TEXTS.iter().map(|text| text.name())));
        for text in OPTIONAL_TEXTS {
            let (mut new, mut patch) = (NewLead::default(), LeadPatch::new());
            *text.get_mut(&mut lead) = Some("text".into());
            *text.in_new(&mut new) = Some("text".into());
            *text.in_patch(&mut patch) = Change::Clear;
            assert_eq!(text.get(&lead), Some("text"));
            assert_eq!(serde_json::to_value(&lead).unwrap()[text.name()], "text");
            assert_eq!(keys(&new), [text.name()]);
            assert_eq!(keys(&patch), [text.name()]);
            assert_eq!(text.key(), format!(",\"{}\":", text.name()));
        }
    }
}

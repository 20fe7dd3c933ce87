//! Parsing of a lead in a data set file.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    id::LeadId,
    model::{Amount, NewLead, Timestamp},
    validate::{LEAD_FIELDS, LeadField},
};

/// A lead before validation. Unknown and duplicate keys are errors.
pub(super) struct RawLead {
    pub(super) id: LeadId,
    pub(super) created_at: Timestamp,
    pub(super) new: NewLead,
}

impl<'de> Deserialize<'de> for RawLead {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LeadVisitor)
    }
}

struct LeadVisitor;

impl<'de> Visitor<'de> for LeadVisitor {
    type Value = RawLead;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a lead")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawLead, A::Error> {
        let (mut id, mut created_at, mut new) = (None, None, NewLead::default());
        let mut seen = Vec::with_capacity(LEAD_FIELDS.len());
        while let Some(Key(field)) = map.next_key()? {
            if seen.contains(&field.name()) {
                return Err(de::Error::duplicate_field(field.name()));
            }
            seen.push(field.name());
            match field {
                LeadField::Id => id = Some(map.next_value()?),
                LeadField::ClientId => new.client_id = map.next_value()?,
                LeadField::Name => new.name = map.next_value()?,
                LeadField::Text(text) => *text.in_new(&mut new) = map.next_value()?,
                LeadField::Value => new.value = exact(map.next_value()?)?,
                LeadField::PipelineId => new.pipeline_id = map.next_value()?,
                LeadField::StageId => new.stage_id = map.next_value()?,
                LeadField::CreatedAt => created_at = Some(map.next_value()?),
            }
        }
        let id = id.ok_or_else(|| de::Error::missing_field("id"))?;
        let created_at = created_at.ok_or_else(|| de::Error::missing_field("created_at"))?;
        Ok(RawLead { id, created_at, new })
    }
}

/// Parses a number as the API does: a whole number that a double cannot represent exactly is rejected, not rounded.
fn exact<E: de::Error>(text: Option<Box<RawValue>>) -> Result<Option<f64>, E> {
    let amount = text.map(|text| Amount::parse(text.get())).transpose();
    amount.map(|amount| amount.map(Amount::get)).map_err(|error| E::custom(format_args!("value {error}")))
}

/// A JSON key in a lead.
struct Key(LeadField);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(KeyVisitor)
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field of a lead")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Key, E> {
        let known = LEAD_FIELDS.into_iter().find(|field| field.name() == name);
        known.map(Key).ok_or_else(|| {
            let names: Vec<_> = LEAD_FIELDS.into_iter().map(|field| format!("`{}`", field.name())).collect();
            E::custom(format_args!("unknown field `{name}`, expected one of {}", names.join(", ")))
        })
    }
}

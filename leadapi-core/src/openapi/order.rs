//! The order of the members in the document. It does not depend on the map order in memory.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::validate::{LEAD_FIELDS, LeadField};

/// The names of the members that are written first, in this order. The fields of a lead except `created_at` follow,
/// then [`THEN`], then all others alphabetically.
#[rustfmt::skip]
const FIRST: [&str; 17] = [
    // The document.
    "openapi", "info", "servers", "operationId", "tags", "paths", "components",
    "/leads", "/leads/{id}", "/pipelines", "/clients",
    // A path.
    "get", "post", "patch", "delete",
    // A list.
    "data", "total",
];

#[rustfmt::skip]
const THEN: [&str; 29] = [
    // The members of a pipeline or a stage, then the last member of every record.
    "stages", "position", "created_at",
    // The members of an operation, a parameter or a response.
    "title", "version", "summary", "in", "description", "required", "security", "parameters", "requestBody", "responses",
    "headers", "content", "schema", "example", "examples", "links",
    // The members of a schema.
    "type", "format", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "properties", "additionalProperties",
];

pub(super) fn pretty(document: &Value) -> String {
    serde_json::to_string_pretty(&Ordered(document)).unwrap_or_default()
}

struct Ordered<'a>(&'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by_key(|(name, _)| (rank(name), *name));
                serializer.collect_map(members.into_iter().map(|(name, value)| (name, Ordered(value))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Ordered)),
            plain => plain.serialize(serializer),
        }
    }
}

fn rank(name: &str) -> usize {
    let fields = LEAD_FIELDS.into_iter().filter(|field| !matches!(field, LeadField::CreatedAt)).map(LeadField::name);
    FIRST.into_iter().chain(fields).chain(THEN).position(|known| known == name).unwrap_or(usize::MAX)
}

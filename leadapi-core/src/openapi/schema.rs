//! Schemas of the request and response bodies. The fields come from the wire types, and the rules for request fields
//! come from [`validate`](crate::validate).

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{field, set};
use crate::{
    model::{ClientAccount, Lead, LeadItem, LeadPatch, NewLead, Page, Pipeline},
    validate::LEAD_FIELDS,
};

/// Returns a `$ref` to a schema.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

pub(super) fn all() -> Map<String, Value> {
    let mut schemas = answers();
    schemas.extend(requests());
    schemas.insert("Error".into(), error());
    schemas.values_mut().for_each(close);
    schemas
}

/// Returns the schemas of the response bodies, which always contain every field of their type.
fn answers() -> Map<String, Value> {
    let mut generator = settings().for_serialize().into_generator();
    let lead = add::<Lead>(&mut generator);
    for list in [add::<Page<LeadItem>>, add::<Page<Pipeline>>, add::<Page<ClientAccount>>] {
        list(&mut generator);
    }
    let mut schemas = generator.take_definitions(true);
    // The fields of a list item take their schemas from the same fields of a lead.
    if let Some(item) = schemas.get_mut("LeadItem") {
        let left_out = LEAD_FIELDS.into_iter().filter(|field| !field.is_in_list());
        let left_out: Vec<_> = left_out.map(|field| format!("`{}`", field.name())).collect();
        set(item, "description", format!("A lead in a list, without {}.", left_out.join(" and ")));
        for (name, property) in properties(item) {
            let of_lead = lead.get("properties").and_then(|properties| properties.get(name));
            *property = of_lead.cloned().unwrap_or_default();
        }
    }
    schemas
}

/// Returns the schemas of the request bodies. Field names come from the wire types, and the rules come from the
/// validation code.
fn requests() -> Map<String, Value> {
    let mut generator = settings().for_deserialize().into_generator();
    add::<NewLead>(&mut generator);
    add::<LeadPatch>(&mut generator);
    let mut schemas = generator.take_definitions(true);
    for schema in schemas.values_mut() {
        for (name, property) in properties(schema) {
            *property = field::schema(name);
        }
    }
    if let Some(new) = schemas.get_mut("NewLead") {
        set(new, "required", json!(["client_id", "name"]));
    }
    if let Some(patch) = schemas.get_mut("LeadPatch") {
        set(patch, "minProperties", 1);
        set(patch, "not", field::one_cleared_the_other_set());
    }
    schemas
}

fn error() -> Value {
    json!({
        "description": "The reason why a request failed.",
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "description": "A human-readable message that names the invalid part of the request and the broken \
                    rule. Multiple messages are joined with `; `.",
                "type": "string",
                "minLength": 1,
            },
        },
    })
}

/// Forbids additional fields. The service writes exactly the named fields (contract D2) and rejects unknown fields
/// (contract D5).
fn close(schema: &mut Value) {
    set(schema, "additionalProperties", false);
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

/// Adds a type to the definitions and returns its schema.
fn add<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>();
    generator.definitions().get(&*T::schema_name()).cloned().unwrap_or_default()
}

fn properties(schema: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
}

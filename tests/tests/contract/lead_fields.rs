//! Finds the places that must name every field of a lead, but that cannot derive from the table of fields: independent
//! statements of the contract, and documents.

use std::{fs, path::Path};

use leadapi_core::validate::{LEAD_FIELDS, LeadField};

type Choice = fn(LeadField) -> bool;

/// The files, each with the fields that it must name.
const PLACES: [(&str, Choice); 9] = [
    ("leadapi-core/CONTRACT.md", |_| true),
    // The public contract check: the types, and the rules for texts.
    ("leadapi-client/testkit/src/conformance/sections/fields.rs", LeadField::is_writable),
    ("leadapi-client/testkit/src/conformance/sections/texts.rs", is_text),
    ("leadapi-client/testkit/src/conformance/sections/merge.rs", is_text),
    // Random texts for the schema in the OpenAPI document.
    ("tests/tests/contract/openapi.rs", is_text),
    // The questions that fill fields: the documentation, the independent interpreter and the random forms.
    ("leadapi-core/form/FORMS.md", takes_answers),
    ("tests/form_harness/src/naive/lead.rs", takes_answers),
    ("tests/tests/forms/random/mod.rs", takes_answers),
    ("tests/tests/contract/snapshots/contract__wire__create_lead.snap", |_| true),
];

fn is_text(field: LeadField) -> bool {
    matches!(field, LeadField::Name | LeadField::Text(_))
}

fn takes_answers(field: LeadField) -> bool {
    matches!(field, LeadField::Text(text) if text.takes_answers)
}

#[test]
fn every_place_names_every_field() {
    let mut missing = Vec::new();
    for (file, must_name) in PLACES {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
        // A bare word could mean something else, so the name must be quoted, or fill the cell of a table.
        let names = |field: &LeadField| {
            let name = field.name();
            [format!("\"{name}\""), format!("`{name}`"), format!("| {name} |")].iter().any(|name| text.contains(name))
        };
        let fields = LEAD_FIELDS.iter().filter(|field| must_name(**field) && !names(field));
        missing.extend(fields.map(|field| format!("{file} does not name {}", field.name())));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

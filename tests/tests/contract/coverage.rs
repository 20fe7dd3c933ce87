//! Checks that every section of the contract has at least one case.

use std::collections::BTreeMap;

const SOURCES: [&str; 13] = [
    include_str!("bodies.rs"),
    include_str!("create.rs"),
    include_str!("failures.rs"),
    include_str!("forms.rs"),
    include_str!("idempotency.rs"),
    include_str!("isolation.rs"),
    include_str!("limits.rs"),
    include_str!("lists.rs"),
    include_str!("methods.rs"),
    include_str!("order.rs"),
    include_str!("paths.rs"),
    include_str!("tokens.rs"),
    include_str!("wire.rs"),
];

/// The sections that contain requirements. Sections 3 (transitions) and 6 (events) contain none.
const SECTIONS: [&str; 18] =
    ["1", "2", "4", "5", "7", "8", "9", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11"];

#[test]
fn every_section_has_cases() {
    let mut sentences: BTreeMap<&str, usize> = BTreeMap::new();
    for literal in SOURCES.iter().flat_map(|source| source.split('"')) {
        let Some((label, _)) = literal.split_once(' ') else { continue };
        if let Some(section) = SECTIONS.iter().find(|section| **section == label.split('.').next().unwrap()) {
            *sentences.entry(section).or_default() += 1;
        }
    }
    for section in SECTIONS {
        assert!(sentences.get(section).is_some_and(|count| *count >= 1), "{section} has no cases: {sentences:?}");
    }
}

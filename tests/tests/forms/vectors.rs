//! The test vectors: records, answers, and the expected walks. They are language-neutral, so other implementations can
//! use them too.

use std::collections::BTreeSet;

use leadapi_form_harness::{Naive, report};
use serde_json::Value;

const VECTORS: &str = include_str!("../vectors/forms.json");

/// The minimum number of vectors.
const LEAST: usize = 300;

struct Vector {
    name: String,
    record: Value,
    draft: bool,
    answers: Value,
    expect: Value,
}

fn vectors() -> Vec<Vector> {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    let vector = |vector: &Value| Vector {
        name: vector["name"].as_str().unwrap().to_owned(),
        record: if vector["record"] == "@sample" { crate::sample() } else { vector["record"].clone() },
        draft: vector["draft"] == true,
        answers: vector["answers"].clone(),
        expect: vector["expect"].clone(),
    };
    file["vectors"].as_array().unwrap().iter().map(vector).collect()
}

/// Returns the differences between the expected walks and the actual walks.
fn differences(walk: impl Fn(&Vector) -> Value) -> Vec<String> {
    let mut differences = Vec::new();
    for vector in vectors() {
        let report = walk(&vector);
        for (key, expected) in vector.expect.as_object().unwrap() {
            let actual = report.get(key);
            if actual != Some(expected) {
                differences.push(format!(
                    "{}\n    {key}: {}\n    instead of {expected}",
                    vector.name,
                    actual.unwrap_or(&Value::Null)
                ));
            }
        }
    }
    differences
}

#[test]
fn the_engine_matches_the_test_vectors() {
    let differences = differences(|vector| report(&vector.record, vector.draft, &vector.answers));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_naive_interpreter_matches_the_test_vectors() {
    let differences = differences(|vector| Naive::new(&vector.record, vector.draft).report(&vector.answers));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn each_test_vector_has_a_unique_name_a_rule_and_an_expectation() {
    let vectors = vectors();
    let names: BTreeSet<&str> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names.len(), vectors.len(), "a name is used twice");
    assert!(vectors.len() >= LEAST, "{}", vectors.len());
    for vector in &vectors {
        assert!(!vector.expect.as_object().unwrap().is_empty(), "{}", vector.name);
    }
}

//! Tests that reading and writing a record preserves its JSON value, regardless of which part of the record was changed
//! (contract D11).
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a failed helper fails its test")]

mod form_json;

use std::{fmt, thread};

use form_json::Json;
use leadapi_model::form::{
    Capi, Choice, Condition, Ending, Form, FormClient, FormRecord, Group, Jump, LiveSnapshot, Logic, MetaEvent, Page,
    Question, Rule, Settings, Theme,
};
use proptest::{collection, prelude::*, sample};

const SAMPLE: &str = include_str!("data/form.json");

/// The known members of each kind of object.
#[rustfmt::skip]
const KNOWN: [&[&str]; 17] = [
    FormRecord::KEYS, FormClient::KEYS, Capi::KEYS, Form::KEYS, LiveSnapshot::KEYS, Page::KEYS, Question::KEYS,
    Choice::KEYS, Logic::KEYS, Rule::KEYS, Jump::KEYS, Group::KEYS, Condition::KEYS, Settings::KEYS, Ending::KEYS,
    MetaEvent::KEYS, Theme::KEYS,
];

/// Reads and writes the value as a record, and fails unless the result is the same value.
fn round_trip(json: &Json, what: impl fmt::Display) -> FormRecord {
    let text = json.to_string();
    let record: FormRecord = serde_json::from_str(&text).unwrap();
    let written = serde_json::to_string(&record).unwrap();
    assert!(Json::parse(&written) == *json, "{what}");
    record
}

/// Fails unless the whole record is typed, except for at most one raw value, which must be the change or part of it.
fn assert_typed_except(record: &FormRecord, change: &str, what: &str) {
    let debug = format!("{record:?}");
    let extras = debug.matches("extra: {").count() - debug.matches("extra: {}").count();
    assert!(debug.matches("Other(").count() + extras <= 1, "{what}");
    for raw in debug.split("Raw(").skip(1) {
        assert!(raw.split(')').next().is_some_and(|raw| change.contains(raw)), "{what}");
    }
}

#[test]
fn the_sample_round_trips_and_is_fully_typed() {
    let debug = format!("{:?}", round_trip(&Json::parse(SAMPLE), "the sample"));
    assert!(!debug.contains("Other("), "{debug}");
    assert_eq!(debug.matches("extra: {").count(), debug.matches("extra: {}").count(), "{debug}");
}

/// The members of forms, questions, endings and jumps that this crate adds to the members in the contract.
const EXTENSIONS: [&str; 11] = [
    "locale",
    "languages",
    "max",
    "minLength",
    "maxLength",
    "pattern",
    "patternMessage",
    "format",
    "currency",
    "pipelineId",
    "stageId",
];

#[test]
fn the_sample_has_every_known_member() {
    let in_contract = |key: &&str| !EXTENSIONS.contains(key);
    for key in KNOWN.concat().into_iter().filter(in_contract) {
        assert!(SAMPLE.contains(&format!("\"{key}\":")), "{key}");
    }
    // The member counts in the contract reveal a member that is missing both in the types and in the sample. A choice
    // has one more, `value`, which is also the name of a member of a condition in the contract.
    let counts = KNOWN.map(|keys| keys.iter().copied().filter(in_contract).count());
    assert_eq!(counts, [3, 2, 2, 14, 5, 3, 8, 3 + 1, 1, 6, 2, 2, 3, 9, 10, 1, 18]);
}

/// The replacements for each value.
const REPLACEMENTS: [&str; 7] = ["null", r#""Unheard of""#, "10.0", "1e400", "true", "[-0]", r#"{"a":1E+2}"#];
/// The members that are added to each object.
const UNKNOWN: [(&str, &str); 3] =
    [("Unheard of", "null"), ("", "1e400"), ("$serde_json::private::RawValue", r#"{"a":[10.0]}"#)];

/// Makes and undoes every change at one path of a value, and returns the number of changes.
fn change(json: &mut Json, path: &[usize]) -> usize {
    let mut changes = 0;
    let mut check = |json: &Json, change: &str| {
        let what = format!("{change} at {path:?}");
        assert_typed_except(&round_trip(json, &what), change, &what);
        changes += 1;
    };
    let before = json.at(path).clone();
    if !path.is_empty() {
        check(&json.without(path), "");
        for wrong in REPLACEMENTS {
            *json.at(path) = Json::parse(wrong);
            check(json, wrong);
        }
    }
    if let Json::Object(members) = &before {
        for (key, value) in UNKNOWN {
            let mut members = members.clone();
            members.insert(key.into(), Json::parse(value));
            *json.at(path) = Json::Object(members);
            check(json, value);
        }
    }
    *json.at(path) = before;
    changes
}

#[test]
fn a_local_change_round_trips_and_leaves_the_rest_typed() {
    let sample = Json::parse(SAMPLE);
    let paths = [vec![vec![]], sample.clone().paths()].concat();
    let all = |paths: &[Vec<usize>]| {
        let mut json = sample.clone();
        let changes: usize = paths.iter().map(|path| change(&mut json, path)).sum();
        assert!(json == sample, "every change was undone");
        changes
    };
    // Uses several threads, because reading thousands of records is slow in a test build.
    let changes: usize = thread::scope(|scope| {
        let threads: Vec<_> = paths.chunks(paths.len() / 4).map(|paths| scope.spawn(|| all(paths))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(changes > 5_000, "{changes}");
}

fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?"
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![8 => sample::select(KNOWN.concat()).prop_map(String::from), 1 => any::<String>()]
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        sample::select(vec!["null", "true", "false"]).prop_map(|text| Json::Atom(text.into())),
        number().prop_map(Json::Atom),
        any::<String>().prop_map(Json::Text),
        sample::select(vec!["AND", "or", "jump", "gt", "email", "calendar"]).prop_map(|text| Json::Text(text.into())),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            collection::btree_map(key(), inner, 0..6).prop_map(Json::Object),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_object_round_trips(
        known in collection::btree_map(sample::select(FormRecord::KEYS).prop_map(String::from), json(), 0..4),
        members in collection::btree_map(key(), json(), 0..4),
    ) {
        let document = Json::Object(members.into_iter().chain(known).collect());
        let record = round_trip(&document, &document);
        let pretty = serde_json::to_string_pretty(&record).unwrap();
        prop_assert_eq!(serde_json::from_str::<FormRecord>(&pretty).unwrap(), record);
    }

    #[test]
    fn the_sample_with_arbitrary_changes_round_trips(
        changes in collection::vec((any::<sample::Index>(), json()), 1..8),
    ) {
        let mut sample = Json::parse(SAMPLE);
        for (index, change) in changes {
            let paths = sample.paths();
            if !paths.is_empty() {
                *sample.at(index.get::<Vec<usize>>(&paths)) = change;
            }
        }
        round_trip(&sample, &sample);
    }
}

//! Checks that every promise has a test, and either a planted bug or a reason for having none. Also checks that the
//! tests and the planted bugs still exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde::Deserialize;

use crate::{root, test_names::TestNames};

/// The file `plants.toml`.
#[derive(Deserialize)]
struct Plants {
    #[serde(rename = "plant")]
    plants: Vec<Plant>,
    /// The features with which the tests of each package are built.
    features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plant {
    id: String,
    promise: String,
    what: String,
    file: String,
    old: String,
    new: String,
    test: String,
}

/// A row of the tables in `PROMISES.md`.
struct Promise {
    id: String,
    tests: Vec<String>,
    /// The ids of the planted bugs. If there are none, `reason` explains why.
    plants: BTreeSet<String>,
    reason: String,
}

impl Plants {
    fn read() -> Self {
        toml::from_str(&fs::read_to_string(root().join("tests/plants/plants.toml")).unwrap()).unwrap()
    }
}

impl Promise {
    fn all() -> Vec<Self> {
        let text = fs::read_to_string(root().join("tests/PROMISES.md")).unwrap();
        let promises: Vec<Self> = text.lines().filter_map(Self::parse).collect();
        assert!(promises.len() > 50, "only {} promises found", promises.len());
        promises
    }

    /// Parses a row of a table of promises. The table of what leadapi does not promise has fewer columns, so its rows
    /// are ignored.
    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let [id, _, tests, plants, _] = cells[..] else { return None };
        let is_id =
            id.starts_with(|first: char| first.is_ascii_uppercase()) && id.ends_with(|c: char| c.is_ascii_digit());
        is_id.then(|| Self {
            id: id.to_owned(),
            tests: code_spans(tests).map(str::to_owned).collect(),
            plants: code_spans(plants).map(str::to_owned).collect(),
            reason: plants.split('`').step_by(2).collect::<String>().replace("<br>", "").trim().to_owned(),
        })
    }
}

fn code_spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_promise_has_a_test_and_a_planted_bug() {
    let (promises, plants, names) = (Promise::all(), Plants::read().plants, TestNames::all());
    let (mut wrong, mut seen) = (vec![], BTreeSet::new());
    for Promise { id, tests, plants: listed, reason } in &promises {
        if !seen.insert(id) {
            wrong.push(format!("{id} occurs twice"));
        }
        if tests.is_empty() {
            wrong.push(format!("{id} has no test"));
        }
        if listed.is_empty() && reason.len() < 20 {
            wrong.push(format!("{id} has neither a planted bug nor a reason for having none"));
        }
        for test in tests {
            let is_file = !test.contains("::") && root().join(test).is_file();
            if !is_file && !names.contains(test) {
                wrong.push(format!("{id}: there is no test {test}"));
            }
        }
        let planted: Vec<&Plant> = plants.iter().filter(|plant| plant.promise == *id).collect();
        let ids: BTreeSet<String> = planted.iter().map(|plant| plant.id.clone()).collect();
        if ids != *listed {
            wrong.push(format!("{id} lists the plants {listed:?}, but plants.toml has {ids:?}"));
        }
        for plant in planted {
            if !tests.contains(&plant.test) {
                wrong.push(format!("{id} does not list {}, the test of the plant {}", plant.test, plant.id));
            }
        }
    }
    for plant in plants {
        if !seen.contains(&plant.promise) {
            wrong.push(format!("the plant {} belongs to no promise", plant.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_plant_still_matches_its_file() {
    let Plants { plants, features } = Plants::read();
    let (mut wrong, mut seen) = (vec![], BTreeSet::new());
    for Plant { id, what, file, old, new, test, .. } in &plants {
        if !seen.insert(id) {
            wrong.push(format!("{id} occurs twice"));
        }
        let found = fs::read_to_string(root().join(file)).map(|text| text.matches(old.as_str()).count());
        if !matches!(found, Ok(1)) {
            wrong.push(format!("{id}: the old text must occur once in {file}, but the result is {found:?}"));
        }
        if old == new || what.is_empty() {
            wrong.push(format!("{id} changes or describes nothing"));
        }
        if !test.split("::").next().is_some_and(|package| features.contains_key(package)) {
            wrong.push(format!("{id}: plants.toml has no features for the package of {test}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

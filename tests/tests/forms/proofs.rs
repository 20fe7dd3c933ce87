//! Proofs against brute force: all combinations of answers that could make a difference, walked by the naive
//! interpreter. `LEADAPI_FORMS_PROOFS` says of how many forms.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use leadapi_core::form::{
    Answers, FormRecord, NoLead, Outcome, PathEnd, Policy, Proofs, Questionnaire, Step, Verdict, Version,
};
use leadapi_tests::forms::Naive;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestCaseError, TestRunner},
};
use serde_json::{Value, json};

use crate::{
    configured,
    random::{self, Draw},
};

/// So many by default, which takes some seconds.
const FORMS: u32 = 1_500;
/// Forms with more combinations of answers than these are left out.
const MOST: usize = 3_000;

/// What all walks come to.
#[derive(Default)]
struct Seen {
    pages: BTreeSet<usize>,
    endings: BTreeSet<usize>,
    paths: BTreeSet<(Vec<usize>, String)>,
    endless: bool,
    nameless: bool,
    contactless: bool,
}

/// Answers to a question among which is one of every kind that a condition of the form, or a lead, could tell apart.
/// Nothing of what the engine makes of it is used: each constant of the form, each neighbour of each number, and some.
fn candidates(question: &Value, constants: &[Value]) -> Vec<Value> {
    let mut all = vec![Value::Null];
    match question["type"].as_str().unwrap() {
        "single_choice" => {
            all.extend(question["options"].as_array().unwrap().iter().map(|option| option["id"].clone()));
        }
        "number" => all.extend(numbers(constants.iter().chain([&question["min"], &json!(1)]))),
        kind => {
            all.extend(constants.iter().filter(|value| value.is_string()).cloned());
            all.extend(constants.iter().filter(|value| value.is_number()).map(|value| json!(value.to_string())));
            all.extend([json!("zz"), json!("ann@example.com"), json!("202 555 0101")]);
            if kind == "rating" {
                all.extend(constants.iter().filter(|value| value.is_number()).cloned());
                all.extend(constants.iter().filter_map(|value| serde_json::from_str(value.as_str()?.trim()).ok()));
                all.extend(numbers(constants.iter()));
                all.extend([json!(true), json!(false), json!([1]), json!(-1000), json!(1000.5)]);
            }
        }
    }
    all.sort_by_key(Value::to_string);
    all.dedup();
    all
}

/// The numbers that these are, and the next ones on both sides.
fn numbers<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let numbers = values.filter_map(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
    let finite = numbers.filter(|number: &f64| number.is_finite());
    finite.flat_map(|number| [number.next_down(), number, number.next_up()]).map(Value::from).collect()
}

fn version(record: &Value) -> &Value {
    let snapshot = &record["form"]["live_snapshot"];
    if snapshot.is_object() { snapshot } else { &record["form"] }
}

/// Walks with all combinations of answers; nothing if they are too many.
fn brute_force(value: &Value) -> Option<Seen> {
    let version = version(value);
    let naive = Naive::new(value, false);
    let mut constants: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for rule in version["logic"]["rules"].as_array().unwrap() {
        for group in rule["groups"].as_array().unwrap() {
            for condition in group["conds"].as_array().unwrap() {
                constants.entry(condition["fieldId"].as_str().unwrap()).or_default().push(condition["value"].clone());
            }
        }
    }
    let pages = version["pages"].as_array().unwrap().iter().map(|page| &page["fields"]);
    let fields = pages.chain([&value["form"]["fields"]]).filter_map(Value::as_array).flatten();
    let mut questions = Vec::new();
    let mut combinations = 1;
    for question in fields {
        let id = question["id"].as_str().unwrap();
        let none = Vec::new();
        let candidates = candidates(question, constants.get(id).unwrap_or(&none));
        combinations *= candidates.len();
        if combinations > MOST {
            return None;
        }
        questions.push((id, candidates));
    }
    let mut seen = Seen::default();
    for mut number in 0..combinations {
        let mut answers = serde_json::Map::new();
        for (id, candidates) in &questions {
            answers.insert((*id).to_owned(), candidates[number % candidates.len()].clone());
            number /= candidates.len();
        }
        let answers = Value::Object(answers);
        let walk = naive.walk(&answers);
        seen.pages.extend(&walk.path);
        seen.endings.extend(walk.ending);
        match walk.outcome {
            "endless" => {
                seen.endless = true;
                seen.paths.insert((walk.path.clone(), format!("back to {:?}", walk.again.unwrap())));
            }
            "finished" => {
                seen.paths.insert((walk.path.clone(), format!("{:?}", walk.ending)));
                match naive.lead(&walk, &answers) {
                    Ok((lead, ..)) => seen.contactless |= lead.get("email").is_none() && lead.get("phone").is_none(),
                    Err("no_name") => {
                        seen.nameless = true;
                        seen.contactless = true;
                    }
                    Err(_) => {}
                }
            }
            _ => {}
        }
    }
    Some(seen)
}

fn missing(count: usize, seen: &BTreeSet<usize>) -> Verdict<Vec<usize>> {
    let missing: Vec<usize> = (0..count).filter(|index| !seen.contains(index)).collect();
    if missing.is_empty() { Verdict::Proved } else { Verdict::Refuted(missing) }
}

/// What a verdict shows is there when the form is walked with it.
fn replay(form: &Questionnaire<'_>, proofs: &Proofs) {
    if let Verdict::Refuted(answers) = &proofs.ends {
        assert!(matches!(form.walk(answers).outcome(), Outcome::Endless { .. }), "{answers:?}");
    }
    if let Verdict::Refuted(answers) = &proofs.named {
        assert_eq!(form.walk(answers).lead().unwrap_err(), NoLead::NoName, "{answers:?}");
    }
    if let Verdict::Refuted(answers) = &proofs.contactable {
        let walk = form.walk(answers);
        let made = walk.lead();
        let none = made.as_ref().is_ok_and(|made| made.lead.email.is_none() && made.lead.phone.is_none());
        assert!(none || made == Err(NoLead::NoName), "{answers:?}");
    }
}

/// Every path is listed once, and its answers lead along it.
fn compare_paths(form: &Questionnaire<'_>, endings: &[Value], seen: &Seen) -> Result<(), TestCaseError> {
    let found = form.paths(usize::MAX);
    prop_assert!(found.complete);
    let end = |end| match end {
        PathEnd::Ending(id) => format!("{:?}", endings.iter().position(|ending| ending["id"].as_str() == id)),
        PathEnd::Endless(page) => format!("back to {page}"),
        other => panic!("{other:?}"),
    };
    let paths: BTreeSet<_> = found.paths.iter().map(|path| (path.pages.clone(), end(path.end))).collect();
    prop_assert_eq!(paths.len(), found.paths.len(), "a path twice");
    prop_assert_eq!(&paths, &seen.paths);
    let ids: Vec<_> = form.pages().collect();
    for path in &found.paths {
        let walk = form.walk(&path.answers);
        let walked: Vec<_> = walk.steps().map(Step::page).collect();
        prop_assert_eq!(walked, path.pages.iter().map(|page| ids[*page]).collect::<Vec<_>>());
        match walk.outcome() {
            Outcome::Finished(finish) => prop_assert_eq!(PathEnd::Ending(finish.id), path.end),
            Outcome::Endless { page } => {
                prop_assert_eq!(path.end, PathEnd::Endless(ids.iter().position(|id| *id == page).unwrap()));
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
    Ok(())
}

#[test]
fn verdicts_are_those_of_brute_force() {
    let forms = configured("LEADAPI_FORMS_PROOFS", FORMS);
    let refuted = RefCell::new([0; 5]);
    let mut runner = TestRunner::new(Config { max_global_rejects: u32::MAX, ..crate::config(forms) });
    let outcome = runner.run(&vec(any::<u8>(), 0..400), |bytes| {
        let value = random::record(&mut Draw(&bytes), true, 4);
        let Some(seen) = brute_force(&value) else { return Err(TestCaseError::reject("too many answers")) };
        let record: FormRecord = serde_json::from_str(&value.to_string()).unwrap();
        let form = record.compile(Version::Live, &Policy::default());
        let proofs = form.prove();
        let is_refuted = |verdict: &Verdict<Answers>| match verdict {
            Verdict::Refuted(_) => Some(true),
            Verdict::Proved => Some(false),
            _ => None,
        };
        prop_assert_eq!(is_refuted(&proofs.ends), Some(seen.endless), "{}", value);
        prop_assert_eq!(is_refuted(&proofs.named), Some(seen.nameless), "{}", value);
        prop_assert_eq!(is_refuted(&proofs.contactable), Some(seen.contactless), "{}", value);
        let endings = version(&value)["settings"]["endings"].as_array().unwrap();
        prop_assert_eq!(&proofs.pages, &missing(form.pages().count(), &seen.pages), "{}", value);
        prop_assert_eq!(&proofs.endings, &missing(endings.len(), &seen.endings), "{}", value);
        replay(&form, &proofs);
        compare_paths(&form, endings, &seen).map_err(|error| TestCaseError::fail(format!("{error}\n{value}")))?;
        let pages = proofs.pages != Verdict::Proved;
        let endings = proofs.endings != Verdict::Proved;
        let all = [seen.endless, seen.nameless, seen.contactless, pages, endings];
        refuted.borrow_mut().iter_mut().zip(all).for_each(|(count, refuted)| *count += u32::from(refuted));
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
    // Each is refuted of some forms and proved of others, or there would be nothing to compare.
    let refuted = refuted.into_inner();
    assert!(refuted.iter().all(|count| (1..forms).contains(count)), "{refuted:?}");
}

/// Between two constants there are answers too: each step of a ladder is come to, and no other.
#[test]
fn each_step_of_a_ladder_of_numbers_has_its_answer() {
    let step = |op: &str, value: i32, ending: &str| {
        json!({"fromPageId": "p", "then": {"kind": "jump", "target": format!("end:{ending}")},
            "groups": [{"conds": [{"fieldId": "q", "op": op, "value": value}]}]})
    };
    let record = json!({"form": {
        "pages": [{"id": "p", "fields": [{"id": "q", "type": "number", "required": true, "min": 10}]}],
        "logic": {"rules": [step("equals", 100, "a"), step("gt", 100, "a"), step("gt", 50, "b"),
            step("gt", 49, "c"), step("gt", 49, "never"), step("gt", 9, "d")]},
        "settings": {"endings": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "never"}, {"id": "d"}]}}});
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let form = record.compile(Version::Draft, &Policy::default());
    assert_eq!(form.prove().endings, Verdict::Refuted(vec![3]));
    let ends: Vec<PathEnd<'_>> = form.paths(10).paths.iter().map(|path| path.end).collect();
    assert_eq!(ends, ["a", "b", "c", "d"].map(|id| PathEnd::Ending(Some(id))));
}

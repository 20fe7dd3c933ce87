//! Properties of every walk through random forms: invariants, and changes that must make no difference.

use std::collections::BTreeMap;

use leadapi_form::{Answers, FormRecord, Outcome, Policy, Questionnaire, Step, Version};
use leadapi_form_harness::{report, report_of};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use serde_json::{Value, json};

use crate::{
    configured,
    random::{self, Draw},
};

/// The default number of forms for each property.
const FORMS: u32 = 400;

/// Checks a property on random forms and answers.
fn law(tame: bool, holds: impl Fn(&Value, &Value) -> Result<(), TestCaseError>) {
    let mut runner = TestRunner::new(crate::config(configured("LEADAPI_FORMS_LAWS", FORMS)));
    let bytes = (vec(any::<u8>(), 0..700), vec(vec(any::<u8>(), 0..40), 4));
    let outcome = runner.run(&bytes, |(form, walks)| {
        let record = random::record(&mut Draw(&form), tame, 8);
        for bytes in walks {
            let answers = random::answers(&mut Draw(&bytes), &record);
            holds(&record, &answers).map_err(|error| TestCaseError::fail(format!("{error}\n{record}\n{answers}")))?;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// Checks that a change to a record does not affect its walks.
fn no_change(tame: bool, change: impl Fn(&mut Value)) {
    law(tame, |record, answers| {
        let mut changed = record.clone();
        change(&mut changed);
        prop_assert_eq!(unplaced(report(&changed, false, answers)), unplaced(report(record, false, answers)));
        Ok(())
    });
}

/// Returns the report without the indexes of rules.
fn unplaced(mut report: Value) -> Value {
    for skipped in report["notices"].as_array_mut().unwrap() {
        skipped[1] = Value::Null;
    }
    report
}

fn version(record: &mut Value) -> &mut Value {
    let live = record["form"]["live_snapshot"].is_object();
    if live { &mut record["form"]["live_snapshot"] } else { &mut record["form"] }
}

fn rules(record: &mut Value) -> &mut Vec<Value> {
    version(record)["logic"]["rules"].as_array_mut().unwrap()
}

fn walked<T>(record: &Value, answers: &Value, see: impl FnOnce(&Questionnaire<'_>, &Answers) -> T) -> T {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let answers = serde_json::from_str(&answers.to_string()).unwrap();
    see(&Questionnaire::compile(&record, Version::Live, &Policy::default()), &answers)
}

#[test]
fn answers_off_the_path_are_ignored() {
    law(false, |record, answers| {
        let (all, pruned) = walked(record, answers, |form, answers| {
            (report_of(form, answers), report_of(form, &form.walk(answers).pruned()))
        });
        prop_assert_eq!(all, pruned);
        Ok(())
    });
}

#[test]
fn an_unreachable_page_changes_nothing() {
    no_change(true, |record| {
        let version = version(record);
        let Some(ending) = version["settings"]["endings"][0]["id"].as_str().map(str::to_owned) else { return };
        let Some(last) = version["pages"].as_array().and_then(|pages| pages.last()).cloned() else { return };
        version["pages"].as_array_mut().unwrap().push(json!({"id": "island", "fields": [
            {"id": "castaway", "type": "number", "required": true, "label": "Help?"}]}));
        rules(record).push(json!({"name": "__fallback__", "fromPageId": last["id"],
            "then": {"kind": "jump", "target": format!("end:{ending}")}}));
        rules(record).push(json!({"name": "__fallback__", "fromPageId": "island",
            "then": {"kind": "jump", "target": "p0"}}));
    });
}

#[test]
fn the_order_of_rules_on_different_pages_changes_nothing() {
    no_change(true, |record| rules(record).sort_by_key(|rule| std::cmp::Reverse(rule["fromPageId"].to_string())));
}

#[test]
fn the_position_of_a_fallback_changes_nothing() {
    no_change(true, |record| rules(record).sort_by_key(|rule| rule["name"] != "__fallback__"));
}

#[test]
fn an_unknown_member_changes_nothing() {
    fn add(value: &mut Value) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(add),
            Value::Object(all) => {
                all.values_mut().for_each(add);
                all.insert("zz".into(), json!({"id": "p0", "op": "OR", "conds": [{}], "required": true}));
            }
            _ => {}
        }
    }
    no_change(false, add);
}

#[test]
fn renaming_pages_and_questions_changes_only_the_names() {
    // Permutes the numbers after p and q in all ids, targets, keys and placeholders.
    fn rename(text: &str) -> String {
        let mut renamed = String::new();
        let mut before = ' ';
        for c in text.chars() {
            renamed.push(match (before, c.to_digit(10)) {
                ('p', Some(digit @ 0..=4)) => char::from_digit((digit + 2) % 5, 10).unwrap(),
                ('q', Some(digit @ 0..=7)) => char::from_digit((digit + 3) % 8, 10).unwrap(),
                _ => c,
            });
            before = c;
        }
        renamed
    }
    fn renamed(value: &Value) -> Value {
        serde_json::from_str(&rename(&value.to_string())).unwrap()
    }
    fn sorted(mut report: Value) -> Value {
        report["pruned"].as_array_mut().unwrap().sort_by_key(Value::to_string);
        report
    }
    law(false, |record, answers| {
        let renamed_report = sorted(report(&renamed(record), false, &renamed(answers)));
        prop_assert_eq!(renamed_report, sorted(renamed(&report(record, false, answers))));
        Ok(())
    });
}

#[test]
fn progress_rises_and_reaches_one_only_at_an_ending() {
    law(false, |record, answers| {
        walked(record, answers, |form, answers| {
            let walk = form.walk(answers);
            let mut steps: Vec<f64> = walk.steps().map(Step::progress).collect();
            prop_assert!(steps.len() <= form.pages().count(), "a page was visited twice");
            let finished = matches!(walk.outcome(), Outcome::Finished(_));
            prop_assert_eq!(finished, walk.progress() >= 1.0);
            prop_assert!(steps.first().is_none_or(|first| *first == 0.0));
            if finished {
                steps.push(walk.progress());
            }
            prop_assert!(steps.is_sorted_by(|one, next| one < next), "{:?}", steps);
            Ok(())
        })
    });
}

/// Each answer that is not an attribute fills a field of the lead. The notes have one line for each attribute.
#[test]
fn each_answer_is_in_the_lead_exactly_once() {
    law(false, |record, answers| {
        walked(record, answers, |form, answers| {
            let walk = form.walk(answers);
            let Ok(made) = walk.lead() else { return Ok(()) };
            let notes = made.lead.notes.clone().unwrap_or_default();
            let questions = made.attributes.iter().map(|attribute| attribute.question);
            let mut remaining: Vec<&str> = questions.filter(|question| *question != "$score").collect();
            prop_assert_eq!(notes.lines().count(), remaining.len());
            let mut fields = BTreeMap::new();
            for question in walk.steps().flat_map(Step::questions) {
                let Some(text) = question.text() else { continue };
                let Some(at) = remaining.iter().position(|id| *id == question.id()) else {
                    let key = question.record().mapped_key.as_str().unwrap_or_default();
                    let lead = &made.lead;
                    let found = match key {
                        "name" => lead.name.as_deref() == Some(&*text),
                        "first_name" => lead.name.as_ref().is_some_and(|name| name.starts_with(&*text)),
                        "last_name" => lead.name.as_ref().is_some_and(|name| name.ends_with(&*text)),
                        "business_name" => lead.business_name.as_deref() == Some(&*text),
                        "email" => lead.email.as_deref() == Some(&*text),
                        "phone" => lead.phone.as_deref() == Some(&*text),
                        "value" => lead.value == text.parse().ok(),
                        _ => false,
                    };
                    prop_assert!(found, "{} is not in the lead", question.id());
                    prop_assert_eq!(fields.insert(key.to_owned(), question.id()), None, "two answers are in one field");
                    continue;
                };
                remaining.swap_remove(at);
            }
            prop_assert!(remaining.is_empty(), "attributes without an answer, or repeated: {:?}", remaining);
            prop_assert_eq!(made.lead.client_id.as_deref(), record["form"]["client_id"].as_str());
            prop_assert!(made.lead.stage_id.is_none());
            Ok(())
        })
    });
}

//! Compares proofs with brute force: the naive interpreter walks the form with all combinations of answers that could
//! affect the walk. `LEADAPI_FORMS_PROOFS` sets the number of forms.

mod brute_force;

use std::{cell::RefCell, collections::BTreeMap};

use leadapi_form::{
    Answers, FormRecord, NoLead, Outcome, PathEnd, Policy, Proofs, Questionnaire, Step, Verdict, Version,
};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestCaseError, TestRunner},
};
use serde_json::{Value, json};

use self::brute_force::{Facts, Seen, brute_force, missing, refuted, version};
use crate::{
    configured,
    random::{self, Draw},
};

/// The default number of forms, which take a few seconds in total.
const FORMS: u32 = 1_500;

/// Replays the witnesses of refuted properties.
fn replay(form: &Questionnaire<'_>, proofs: &Proofs) {
    if let Verdict::Refuted(answers) = &proofs.ends {
        assert!(matches!(form.walk(answers).outcome(), Outcome::Loop { .. }), "{answers:?}");
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

/// Checks that every path is listed exactly once, and that a walk with its answers follows the path.
fn compare_paths(form: &Questionnaire<'_>, endings: &[Value], seen: &Seen) -> Result<(), TestCaseError> {
    let found = form.paths(usize::MAX);
    prop_assert!(found.complete);
    let end = |end| match end {
        PathEnd::Ending(id) => format!("{:?}", endings.iter().position(|ending| ending["id"].as_str() == id)),
        PathEnd::Loop(page) => format!("back to {page}"),
        other => panic!("{other:?}"),
    };
    let paths: BTreeMap<_, _> =
        found.paths.iter().map(|path| ((path.pages.clone(), end(path.end)), !path.uncertain)).collect();
    prop_assert_eq!(paths.len(), found.paths.len(), "a path is listed twice");
    prop_assert_eq!(&paths, &seen.paths);
    let ids: Vec<_> = form.pages().collect();
    for path in &found.paths {
        let walk = form.walk(&path.answers);
        let walked: Vec<_> = walk.steps().map(Step::page).collect();
        prop_assert_eq!(walked, path.pages.iter().map(|page| ids[*page]).collect::<Vec<_>>());
        match walk.outcome() {
            Outcome::Finished(finish) => prop_assert_eq!(PathEnd::Ending(finish.id), path.end),
            Outcome::Loop { page } => {
                prop_assert_eq!(path.end, PathEnd::Loop(ids.iter().position(|id| *id == page).unwrap()));
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
    Ok(())
}

/// Returns whether a condition tests a part of a text with a restricted syntax, such as an answer to an email question,
/// or an answer that other conditions compare as a number. Matching answers are hard to generate for such conditions.
fn reads_parts_of_restricted_texts(record: &Value) -> bool {
    let version = version(record);
    let pages = version["pages"].as_array().unwrap().iter().map(|page| &page["fields"]);
    let questions = pages.chain([&record["form"]["fields"]]).filter_map(Value::as_array).flatten();
    let is_restricted =
        |question: &&Value| ["email", "phone", "phone_number", "url"].contains(&question["type"].as_str().unwrap());
    let restricted: Vec<&Value> = questions.filter(is_restricted).map(|question| &question["id"]).collect();
    let groups =
        version["logic"]["rules"].as_array().unwrap().iter().flat_map(|rule| rule["groups"].as_array().unwrap());
    let conditions: Vec<&Value> = groups.flat_map(|group| group["conds"].as_array().unwrap()).collect();
    let op = |condition: &Value| condition["op"].as_str().unwrap().to_owned();
    let is_number = |id: &Value| {
        let mut of_question = conditions.iter().filter(|condition| condition["fieldId"] == *id);
        of_question.any(|condition| ["gt", "gte", "lt", "lte", "between"].contains(&op(condition).as_str()))
    };
    conditions.iter().any(|condition| {
        let (op, id) = (op(condition), &condition["fieldId"]);
        (restricted.contains(&id) || is_number(id)) && (op.contains("contains") || op.ends_with("s_with"))
    })
}

#[test]
fn verdicts_match_brute_force() {
    let forms = configured("LEADAPI_FORMS_PROOFS", FORMS);
    let counts = RefCell::new([0; 6]);
    let vague = RefCell::new(0);
    let mut runner = TestRunner::new(Config { max_global_rejects: u32::MAX, ..crate::config(forms) });
    let outcome = runner.run(&vec(any::<u8>(), 0..400), |bytes| {
        let form_json = random::record(&mut Draw(&bytes), true, 4);
        let Some(seen) = brute_force(&form_json) else { return Err(TestCaseError::reject("too many answers")) };
        let record: FormRecord = serde_json::from_str(&form_json.to_string()).unwrap();
        let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
        let proofs = form.prove();
        let is_refuted = |verdict: &Verdict<Answers>| match verdict {
            Verdict::Refuted(_) => Some(true),
            Verdict::Proved => Some(false),
            _ => None,
        };
        let expected = |of: fn(&Facts) -> bool| refuted(&seen, of);
        let endings = version(&form_json)["settings"]["endings"].as_array().unwrap();
        if reads_parts_of_restricted_texts(&form_json) {
            // Neither the proof nor the brute force tries all answers, so this only checks that the verdicts do not
            // contradict the brute-force walks.
            let agrees = |verdict: Option<bool>, expected: Option<bool>| {
                verdict == expected || verdict != Some(false) || expected.is_none()
            };
            prop_assert!(agrees(is_refuted(&proofs.ends), expected(|facts| facts.endless)), "{}", form_json);
            prop_assert!(agrees(is_refuted(&proofs.named), expected(|facts| facts.nameless)), "{}", form_json);
            prop_assert!(agrees(is_refuted(&proofs.contactable), expected(|facts| facts.contactless)), "{}", form_json);
            for (verdict, reached) in [(&proofs.pages, seen.pages()), (&proofs.endings, seen.endings())] {
                let Verdict::Refuted(missing) = verdict else { continue };
                prop_assert!(missing.iter().all(|index| !reached.contains(index)), "{}", form_json);
            }
            replay(&form, &proofs);
            *vague.borrow_mut() += 1;
            return Ok(());
        }
        prop_assert_eq!(is_refuted(&proofs.ends), expected(|facts| facts.endless), "{}", form_json);
        prop_assert_eq!(is_refuted(&proofs.named), expected(|facts| facts.nameless), "{}", form_json);
        prop_assert_eq!(is_refuted(&proofs.contactable), expected(|facts| facts.contactless), "{}", form_json);
        prop_assert_eq!(&proofs.pages, &missing(form.pages().count(), &seen, |facts| &facts.pages), "{}", form_json);
        prop_assert_eq!(&proofs.endings, &missing(endings.len(), &seen, |facts| &facts.endings), "{}", form_json);
        prop_assert_eq!(&proofs.undecided, &seen.undecided.iter().copied().collect::<Vec<_>>(), "{}", form_json);
        prop_assert!(proofs.complete);
        replay(&form, &proofs);
        compare_paths(&form, endings, &seen).map_err(|error| TestCaseError::fail(format!("{error}\n{form_json}")))?;
        let pages = proofs.pages != Verdict::Proved;
        let endings = proofs.endings != Verdict::Proved;
        let facts = &seen.certain;
        let undecided = is_refuted(&proofs.ends).is_none();
        let all = [facts.endless, facts.nameless, facts.contactless, pages, endings, undecided];
        counts.borrow_mut().iter_mut().zip(all).for_each(|(count, seen)| *count += u32::from(seen));
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
    // Each property must be refuted for some forms and proved for others, or the comparison would be vacuous.
    let counts = counts.into_inner();
    assert!(counts.iter().all(|count| (1..forms).contains(count)), "{counts:?}");
    assert!((1..forms / 4).contains(&vague.into_inner()));
}

/// Only answers between two constants reach some of the endings. The proof finds exactly the reachable endings.
#[test]
fn answers_between_two_constants_are_found() {
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
    let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    assert_eq!(form.prove().endings, Verdict::Refuted(vec![3]));
    let ends: Vec<PathEnd<'_>> = form.paths(10).paths.iter().map(|path| path.end).collect();
    assert_eq!(ends, ["a", "b", "c", "d"].map(|id| PathEnd::Ending(Some(id))));
}

fn proofs(form: &Value) -> Proofs {
    let record: FormRecord = serde_json::from_str(&json!({"form": form}).to_string()).unwrap();
    Questionnaire::compile(&record, Version::Draft, &Policy::default()).prove()
}

/// A rule with an unknown operator may jump back to an earlier page of the path.
#[test]
fn a_loop_behind_an_unknown_operator_is_undecided() {
    let proofs = proofs(&json!({
        "pages": [{"id": "a", "fields": [{"id": "n", "type": "number", "required": true}]}, {"id": "b"}],
        "logic": {"rules": [{"fromPageId": "b", "then": {"kind": "jump", "target": "a"},
            "groups": [{"op": "AND", "conds": [{"fieldId": "n", "op": "sounds_like", "value": 5}]}]}]}}));
    assert_eq!(proofs.ends, Verdict::Unknown);
    assert_eq!((proofs.pages, proofs.undecided, proofs.complete), (Verdict::Proved, vec![0], true));
}

#[test]
fn an_ending_behind_an_unknown_operator_is_undecided() {
    for op in ["sounds_like", "CONTAINS!"] {
        let proofs = proofs(&json!({
            "pages": [{"id": "a", "fields": [{"id": "zip", "type": "short_text", "required": true}]}],
            "logic": {"rules": [{"fromPageId": "a", "then": {"kind": "jump", "target": "end:no"},
                "groups": [{"op": "AND", "conds": [{"fieldId": "zip", "op": op, "value": "9"}]}]}]},
            "settings": {"endings": [{"id": "thanks"}, {"id": "no", "createsLead": false}]}}));
        assert_eq!((proofs.endings, proofs.undecided), (Verdict::Unknown, vec![0]), "{op}");
        assert_eq!(proofs.ends, Verdict::Proved, "{op}");
    }
}

/// The proof tries each of the 300 options with each of the 300 rules. These are 90,000 conditions, which take hardly
/// any memory. One step of the budget pays for about 64 conditions.
#[test]
fn a_proof_stops_when_its_work_exceeds_the_budget() {
    let options: Vec<Value> = (0..300).map(|at| json!({"id": format!("o{at}"), "label": format!("O{at}")})).collect();
    let jump = json!({"kind": "jump", "target": "end:x"});
    let rule = |at: usize| {
        let condition = json!({"fieldId": "q", "op": "equals", "value": format!("o{at}")});
        json!({"fromPageId": "a", "then": jump, "groups": [{"op": "AND", "conds": [condition]}]})
    };
    let record = json!({"form": {
        "pages": [{"id": "a", "fields": [{"id": "q", "type": "single_choice", "options": options}]}],
        "logic": {"rules": (0..300).map(rule).collect::<Vec<_>>()},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}});
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    for (budget, complete) in [(1_000, false), (10_000, true)] {
        let mut policy = Policy::default();
        policy.budget = budget;
        assert_eq!(
            Questionnaire::compile(&record, Version::Draft, &policy).prove().complete,
            complete,
            "{budget} steps"
        );
    }
}

/// The last page depends on all 2^18 combinations of answers, but the graph decides the verdicts without enumerating
/// the combinations.
#[test]
fn the_graph_proves_verdicts_beyond_the_budget() {
    let choices: Vec<Value> = (0..18)
        .map(|at| {
            let options = json!([{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]);
            json!({"id": format!("p{at}"), "fields": [
                {"id": format!("q{at}"), "type": "single_choice", "required": true, "options": options}]})
        })
        .collect();
    let last = |required: bool| {
        json!({"id": "last", "fields": [
            {"id": "name", "type": "short_text", "required": required, "mappedKey": "name"},
            {"id": "mail", "type": "email", "required": true, "mappedKey": "email"}]})
    };
    let all: Vec<Value> =
        (0..18).map(|at| json!({"fieldId": format!("q{at}"), "op": "equals", "value": "b"})).collect();
    let form = |last: Value, target: &str| {
        let pages: Vec<Value> = choices.iter().cloned().chain([last]).collect();
        json!({"pages": pages, "logic": {"rules": [{"fromPageId": "last", "then": {"kind": "jump", "target": target},
            "groups": [{"op": "AND", "conds": all}]}]}, "settings": {"endings": [{"id": "thanks"}, {"id": "all"}]}})
    };
    let good = proofs(&form(last(true), "end:all"));
    assert!(!good.complete);
    assert_eq!([&good.ends, &good.named, &good.contactable], [&Verdict::Proved; 3]);
    // If the graph cannot prove a property, the verdict is unknown.
    let back = proofs(&form(last(true), "p17"));
    assert_eq!(back.ends, Verdict::Unknown);
    let mut policy = Policy::default();
    policy.stand_in_names = false;
    let record: FormRecord = serde_json::from_str(&json!({"form": form(last(false), "end:all")}).to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Draft, &policy).prove();
    assert_eq!((form.named, form.contactable), (Verdict::Unknown, Verdict::Proved));
}

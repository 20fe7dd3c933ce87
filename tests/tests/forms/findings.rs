//! Tests of the findings. For each code, there is a form with this finding at the expected pointer and no other errors.
//! The clean form has no findings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use leadapi_form::{Code, Finding, FormRecord, NoLead, Outcome, Policy, Questionnaire, Severity, Version};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::{
    random::{self, Draw},
    showcase::{clean, jump, published, question, rule, showcase},
};

pub(crate) fn check(record: &Value) -> Vec<Finding> {
    check_with(record, &policy())
}

fn check_with(record: &Value, policy: &Policy) -> Vec<Finding> {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, policy);
    let findings = form.check();
    for finding in &findings {
        replay(&form, finding);
    }
    findings
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.budget = 1_000;
    policy
}

/// Walks the form with the witness of a finding, and checks that the walk confirms the finding.
fn replay(form: &Questionnaire<'_>, finding: &Finding) {
    let proof = matches!(finding.code, Code::EndlessWalk | Code::LeadWithoutName | Code::LeadWithoutContact);
    assert_eq!(finding.witness.is_some(), proof, "{finding}");
    let Some(answers) = &finding.witness else { return };
    let walk = form.walk(answers);
    // A form without a client account creates no lead, which is a separate finding.
    match (finding.code, walk.outcome(), walk.lead()) {
        (Code::EndlessWalk, Outcome::Loop { .. }, _)
        | (Code::LeadWithoutName | Code::LeadWithoutContact, _, Err(NoLead::NoName))
        | (Code::LeadWithoutName | Code::LeadWithoutContact, Outcome::Finished(_), Err(NoLead::NoClient)) => {}
        (Code::LeadWithoutContact, _, Ok(made)) => assert!(made.lead.email.is_none() && made.lead.phone.is_none()),
        (_, outcome, made) => panic!("{finding}: {outcome:?}, {made:?}"),
    }
}

#[test]
fn each_code_is_found_in_its_showcase_without_other_errors() {
    assert!(Code::ALL.len() >= 40);
    let pipeline = json!([{"id": "p1", "name": "Sales", "stages": [{"id": "s1", "name": "New", "position": 1}],
        "created_at": "2026-01-12T09:30:00.000Z"}]);
    let mut with_pipeline = policy();
    with_pipeline.pipelines = Some(serde_json::from_value(pipeline).unwrap());
    for code in Code::ALL {
        let (place, record) = showcase(*code);
        let findings = check_with(&record, &with_pipeline);
        let messages: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let found = findings.iter().any(|finding| finding.code == *code && finding.pointer == place);
        assert!(found, "{code} is not at {place}: {messages:#?}");
        let other = |finding: &&Finding| finding.severity() == Severity::Error && finding.code != *code;
        assert_eq!(findings.iter().find(other), None, "an error other than {code}: {messages:#?}");
        // The pointer must resolve to a value, or to an absent member of an existing value.
        for finding in &findings {
            let parent = finding.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            let found = record.pointer(&finding.pointer).or_else(|| record.pointer(parent));
            assert!(found.is_some(), "{finding}");
        }
    }
}

#[test]
fn a_clean_form_has_no_findings() {
    assert_eq!(check(&clean()), []);
    assert_eq!(check(&published(clean())), []);
}

#[test]
fn the_sample_form_has_only_notes() {
    let findings = check(&crate::sample());
    let notes: BTreeMap<Code, Vec<&str>> = findings.iter().fold(BTreeMap::new(), |mut notes, finding| {
        assert_eq!(finding.severity(), Severity::Note, "{finding}");
        notes.entry(finding.code).or_insert_with(Vec::new).push(finding.pointer.as_str());
        notes
    });
    let live = "/form/live_snapshot";
    let expected = [
        // A visitor who urgently needs live-in care never sees the question about hours.
        (Code::ConditionMaybeUnasked, format!("{live}/logic/rules/7/groups/0/conds/1/fieldId")),
        (Code::CreatesLeadAbsent, format!("{live}/settings/endings/1")),
        (Code::PlaceholderSamePage, format!("{live}/pages/6/fields/1/label")),
        (Code::DraftDiffers, "/form/pages".to_owned()),
    ];
    let expected = expected.each_ref().map(|(code, place)| (*code, vec![place.as_str()]));
    assert_eq!(notes, BTreeMap::from(expected));
}

/// The check must not report false positives.
#[test]
fn correct_forms_that_look_wrong_have_no_findings() {
    let kinds = |findings: &[Finding]| -> BTreeSet<Code> {
        findings.iter().filter(|finding| finding.severity() < Severity::Note).map(|finding| finding.code).collect()
    };
    // A diamond, in which two paths join again.
    let mut diamond = clean();
    diamond["form"]["pages"].as_array_mut().unwrap().insert(2, json!({"id": "b2", "fields": []}));
    rule(&mut diamond, jump("a", "b2", json!([{"fieldId": "free", "op": "is_filled"}])));
    question(&mut diamond, 0, json!({"id": "free", "type": "short_text", "label": "Free?"}));
    rule(&mut diamond, json!({"name": "__fallback__", "fromPageId": "b", "then": {"kind": "jump", "target": "c"}}));
    assert_eq!(kinds(&check(&diamond)), BTreeSet::new());
    // A ladder of fallbacks, one of which leads back to a skipped page.
    let mut ladder = clean();
    ladder["form"]["logic"]["rules"][1]["then"]["target"] = json!("c");
    ladder["form"]["logic"]["rules"].as_array_mut().unwrap().remove(2);
    rule(&mut ladder, json!({"name": "__fallback__", "fromPageId": "c", "then": {"kind": "jump", "target": "b"}}));
    rule(
        &mut ladder,
        json!({"name": "__fallback__", "fromPageId": "b", "then": {"kind": "jump", "target": "end:call"}}),
    );
    ladder["form"]["settings"]["endings"].as_array_mut().unwrap().remove(0);
    assert_eq!(kinds(&check(&ladder)), BTreeSet::new());
    // A cycle that no answers can enter, because the jump back requires an age for which no walk reaches the last page.
    let mut cycle = clean();
    rule(&mut cycle, jump("b", "end:no", json!([{"fieldId": "age", "op": "gt", "value": 99}])));
    cycle["form"]["logic"]["rules"]
        .as_array_mut()
        .unwrap()
        .insert(2, jump("c", "b", json!([{"fieldId": "age", "op": "gt", "value": 99}])));
    assert_eq!(kinds(&check(&cycle)), BTreeSet::from([Code::RuleNeverMatches, Code::DuplicateRuleId]));
}

#[test]
fn findings_md_is_up_to_date() {
    let mut table = String::from(
        "# Findings\n\nThe findings that a form check can report. An error costs a lead or shows a visitor something wrong, a warning is probably a mistake, and a note is informational. `leadapi form explain CODE` prints a row of this table.\n\n| code | severity | meaning | fix |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        writeln!(table, "| `{code}` | {} | {} | {} |", code.severity(), code.meaning(), code.fix()).unwrap();
    }
    let path = crate::repository("leadapi-core/form/FINDINGS.md");
    if std::env::var_os("LEADAPI_ACCEPT").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), table, "FINDINGS.md should read:\n{table}");
    let texts: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(texts.len(), Code::ALL.len());
    assert!(Code::ALL.is_sorted_by_key(|code| code.severity()));
}

/// For every record, the check terminates and its witnesses can be replayed.
#[test]
fn random_records_are_checked_and_witnesses_replay() {
    let mut runner = TestRunner::new(crate::config(crate::configured("LEADAPI_FORMS_PROOFS", 300)));
    let outcome = runner.run(&vec(any::<u8>(), 0..700), |bytes| {
        let record = random::record(&mut Draw(&bytes), false, 8);
        check(&record);
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// Each code is listed at most [`Finding::MAX_PER_CODE`] times. If there are more, one additional finding states how
/// many were left out.
#[test]
fn findings_beyond_the_limit_per_code_are_counted() {
    let mut record = clean();
    record["form"]["settings"]["endings"][0]["message"] = "{".repeat(12_345).into();
    let findings = check(&record);
    let braces: Vec<&Finding> = findings.iter().filter(|finding| finding.code == Code::UnbalancedBrace).collect();
    assert_eq!(braces.len(), Finding::MAX_PER_CODE + 1);
    assert_eq!(braces.iter().map(|finding| finding.count).sum::<usize>(), 12_345);
    let last = braces.last().unwrap();
    assert_eq!((last.count, last.pointer.as_str()), (12_245, "/form/settings/endings/0/message"));
    assert_eq!(last.message, "and 12245 more unbalanced-brace findings, starting here");
    // If exactly the limit is reached, no additional finding is added.
    record["form"]["settings"]["endings"][0]["message"] = "{".repeat(Finding::MAX_PER_CODE).into();
    let findings = check(&record);
    assert!(findings.len() == Finding::MAX_PER_CODE && findings.iter().all(|finding| finding.count == 1));
}

/// The message about an undecided rule lists the statements that could not be decided. There are no separate findings
/// for these statements.
#[test]
fn a_rule_with_an_unknown_operator_is_reported_as_undecided() {
    let mut record = clean();
    record["form"]["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = "sounds_like".into();
    let findings = check(&record);
    let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::UnknownOperator, Code::UndecidedRule]);
    assert_eq!(findings[1].pointer, "/form/logic/rules/0");
    assert_eq!(
        findings[1].message,
        "cannot decide when rule \"No\" (r0) of page a matches, because a condition cannot be evaluated; \
         undecided: whether every page is reachable, whether every ending is reachable"
    );
}

/// In every type of question that has options, under every name of the type, each option needs its own id.
#[test]
fn options_without_an_id_of_their_own_are_found_in_every_choice() {
    for (kind, is_choice) in [
        ("single_choice", true),
        ("dropdown", true),
        ("multi_choice", true),
        ("checkboxes", true),
        ("checkbox", true),
        ("select", true),
        ("short_text", false),
        ("rating", false),
    ] {
        let mut record = clean();
        let options = json!([{"id": "x", "label": "X"}, {"id": "x", "label": "Y"}, {"label": "Z"}]);
        question(&mut record, 1, json!({"id": "q", "type": kind, "label": "Which?", "options": options}));
        let findings = check(&record);
        let found: Vec<(Code, &str)> = findings
            .iter()
            .filter(|finding| finding.severity() < Severity::Note)
            .map(|finding| (finding.code, finding.pointer.as_str()))
            .collect();
        let expected = [
            (Code::DuplicateOptionId, "/form/pages/1/fields/1/options/1/id"),
            (Code::OptionWithoutId, "/form/pages/1/fields/1/options/2"),
        ];
        assert_eq!(found, if is_choice { &expected[..] } else { &[] }, "{kind}");
    }
}

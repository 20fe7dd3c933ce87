//! Reads a form record, followed by a line break and answers. Writes the record again, checks it, proves statements
//! about it, and walks it.
#![no_main]

use leadapi_form::{Answers, FormRecord, Outcome, Policy, Questionnaire, Verdict, Version};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let (record_text, answers) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(record) = serde_json::from_str::<FormRecord>(record_text) else { return };
    let written = serde_json::to_string(&record).expect("a record is JSON");
    let again: FormRecord = serde_json::from_str(&written).expect("a written record can be read");
    assert_eq!(again, record);
    if let Ok(value) = serde_json::from_str::<Value>(record_text) {
        assert_eq!(serde_json::from_str::<Value>(&written).ok(), Some(value), "the record lost something");
    }
    let answers: Answers = serde_json::from_str(answers).unwrap_or_default();
    let mut policy = Policy::default();
    policy.budget = 2_000;
    for version in [Version::Draft, Version::Live] {
        let form = Questionnaire::compile(&record, version, &policy);
        drop(form.check());
        prove(&form);
        walk(&form, &answers);
    }
});

fn prove(form: &Questionnaire<'_>) {
    let proofs = form.prove();
    if let Verdict::Refuted(answers) = &proofs.ends {
        assert!(matches!(form.walk(answers).outcome(), Outcome::Loop { .. }), "{answers:?}");
    }
    if let Verdict::Refuted(answers) = &proofs.named {
        assert!(form.walk(answers).lead().is_err(), "{answers:?}");
    }
    if let Verdict::Refuted(answers) = &proofs.contactable {
        let walk = form.walk(answers);
        assert!(walk.lead().map_or(true, |made| made.lead.email.is_none() && made.lead.phone.is_none()), "{answers:?}");
    }
}

fn walk(form: &Questionnaire<'_>, answers: &Answers) {
    let walk = form.walk(answers);
    assert!(walk.steps().count() <= form.pages().count().max(1), "no page is visited twice");
    if let Ok(made) = walk.lead() {
        made.lead.check().expect("the service accepts every lead");
    }
    let pruned = walk.pruned();
    assert_eq!(form.walk(&pruned).steps().count(), walk.steps().count(), "answers off the path have no effect");
}

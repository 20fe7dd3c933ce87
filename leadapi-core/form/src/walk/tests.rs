//! Tests of the pages and questions on a path, as hosts display them.

use super::*;
use crate::{FormRecord, Policy, QuestionType, Version};

const FORM: &str = r#"{"form":{"client_id":"c1","confirmation_message":"Bye","pages":[
    {"id":"a","title":"First","fields":[
        {"id":"q","type":"dropdown","label":"Which?","options":[{"id":"x","label":{"en":"Yes","de":"Ja"}},{"id":"y"}]},
        {"id":"r","type":"short_text","label":"{q}, and?"}]},
    {"id":"b","fields":[{"id":"s","type":"short_text"}]}]}}"#;

#[test]
fn a_step_shows_its_page_and_its_questions() {
    let record: FormRecord = serde_json::from_str(FORM).unwrap();
    let policy = Policy { locale: Some("de".into()), ..Policy::default() };
    let form = Questionnaire::compile(&record, Version::Draft, &policy);
    let answers = Answers::new().with("q", "x").with("r", "no").with("s", " b ");
    let walk = form.walk(&answers);
    let steps: Vec<_> = walk.steps().collect();
    assert_eq!(
        steps.iter().map(|step| (step.page(), step.title())).collect::<Vec<_>>(),
        [(Some("a"), "First"), (Some("b"), "")]
    );
    let questions: Vec<_> = steps.iter().flat_map(|step| step.questions()).collect();
    let ids: Vec<_> = questions.iter().map(|question| (question.id(), question.record().id.as_str())).collect();
    assert_eq!(ids, [("q", Some("q")), ("r", Some("r")), ("s", Some("s"))]);
    assert_eq!(
        questions.iter().map(|question| question.question_type()).collect::<Vec<_>>(),
        [Some(QuestionType::Dropdown), Some(QuestionType::ShortText), Some(QuestionType::ShortText)]
    );
    assert_eq!(questions[0].options().collect::<Vec<_>>(), [("x", "Ja"), ("y", "y")]);
    assert_eq!(questions[1].options().count(), 0);
    assert_eq!(
        questions.iter().map(|question| question.label("-", Escape::Plain)).collect::<Vec<_>>(),
        ["Which?", "Ja, and?", ""]
    );
    assert_eq!(questions[0].answer(), Some(&Answer::from("x")));
    assert_eq!(questions[2].answer(), Some(&Answer::from(" b ")));
    assert_eq!([&questions[0], &questions[2]].map(|question| question.text().unwrap()), ["Ja", "b"]);
}

fn walked<T>(form: &str, answers: &Answers, see: impl FnOnce(&Walk<'_>) -> T) -> T {
    let record: FormRecord = serde_json::from_str(form).unwrap();
    see(&Questionnaire::compile(&record, Version::Draft, &Policy::default()).walk(answers))
}

#[test]
fn each_step_has_its_own_skipped_rules() {
    let form = r#"{"form":{"pages":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}],"logic":{"rules":[
        {"id":"r1","fromPageId":"a","groups":[{"conds":[{"op":"sounds_like"}]}]},
        {"id":"r2","fromPageId":"a","groups":[{"conds":[{"op":"sounds_like"}]}]},
        {"id":"r3","fromPageId":"c","groups":[{"conds":[{"op":"sounds_like"}]}]}]}}}"#;
    let skipped = walked(form, &Answers::new(), |walk| {
        let rules =
            walk.steps().map(|step| step.skipped_rules().into_iter().filter_map(|skipped| skipped.rule).collect());
        rules.map(|rules: Vec<&str>| rules.join(" ")).collect::<Vec<_>>()
    });
    assert_eq!(skipped, ["r1 r2", "", "r3", ""]);
}

#[test]
fn a_key_that_contains_a_bar_has_no_fallback() {
    let form =
        r#"{"form":{"fields":[{"id":"q","type":"short_text","mappedKey":"a|b"},{"id":"a","type":"short_text"}]}}"#;
    let answers = Answers::new().with("q", "yes");
    let filled = walked(form, &answers, |walk| walk.fill("{a|b} {a|c} {a} {x|y}", "-", Escape::Plain));
    assert_eq!(filled, "yes c - y");
}

/// The first answer is too long for the field, so the second answer fills it. The same answer must replace the missing
/// name.
#[test]
fn the_answer_that_fills_the_field_stands_in_for_the_name() {
    let form = r#"{"form":{"client_id":"c1","fields":[
        {"id":"q","type":"short_text","mappedKey":"business_name"},
        {"id":"r","type":"short_text","mappedKey":"business_name"}]}}"#;
    let long = "x".repeat(201);
    let answers = Answers::new().with("q", long.as_str()).with("r", "Acme");
    let lead = walked(form, &answers, |walk| walk.lead().unwrap().lead);
    assert_eq!((lead.name.as_deref(), lead.business_name.as_deref()), (Some("Acme"), Some("Acme")));
}

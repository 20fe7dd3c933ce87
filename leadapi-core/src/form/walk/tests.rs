//! Tests of the pages and questions on a path, as hosts display them.

use super::*;
use crate::form::{FormRecord, Policy, QuestionType, Version};

const FORM: &str = r#"{"form":{"client_id":"c1","confirmation_message":"Bye","pages":[
    {"id":"a","title":"First","fields":[
        {"id":"q","type":"dropdown","label":"Which?","options":[{"id":"x","label":{"en":"Yes","de":"Ja"}},{"id":"y"}]},
        {"id":"r","type":"short_text","label":"{q}, and?"}]},
    {"id":"b","fields":[{"id":"s","type":"short_text"}]}]}}"#;

#[test]
fn a_step_shows_its_page_and_its_questions() {
    let record: FormRecord = serde_json::from_str(FORM).unwrap();
    let mut policy = Policy::default();
    policy.locale = Some("de".into());
    let form = record.compile(Version::Draft, &policy);
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

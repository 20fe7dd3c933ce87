//! Tests of the score of a lead, which occurs as an attribute, as a placeholder, and in the notes.

use leadapi_form::{Answer, Answers, Code, FormRecord, Policy, Questionnaire, Version};
use serde_json::{Value, json};

fn scored() -> Value {
    let options = |score: u32| json!([{"id": "a", "label": "A", "score": score}, {"id": "b", "label": "B"}]);
    json!({"form": {"client_id": "c1", "confirmation_message": "You have {$score} of 45 points.", "pages": [
        {"id": "p", "fields": [
            {"id": "q", "type": "single_choice", "label": "Q?", "options": options(15)},
            {"id": "name", "type": "short_text", "label": "Name?", "mappedKey": "name", "required": true}]},
        {"id": "r", "fields": [
            {"id": "s", "type": "multi_choice", "label": "S, {$score|no}?", "options": options(30)}]}]}})
}

fn answers() -> Answers {
    Answers::new().with("q", "a").with("s", ["a"]).with("name", "Ann")
}

/// Returns the notes, the score as an attribute, and the ending of the walk.
fn lead(record: &Value, policy: &Policy) -> (String, Vec<(String, Answer)>, String) {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Draft, policy);
    let answers = answers();
    let walk = form.walk(&answers);
    let made = walk.lead().unwrap();
    let scores = made.attributes.iter().filter(|attribute| attribute.key == Some("$score"));
    let scores = scores.map(|score| (format!("{}: {}", score.label, score.text), score.answer.clone().into_owned()));
    let message = walk.to_json("")["ending"]["message"].as_str().unwrap().to_owned();
    (made.lead.notes.unwrap_or_default(), scores.collect(), message)
}

#[test]
fn the_score_reaches_the_lead() {
    let mut policy = Policy::default();
    let score = vec![("Score: 45".to_owned(), Answer::from(45))];
    let (notes, attribute, message) = lead(&scored(), &policy);
    assert_eq!(notes, "Q?: A\nS, 45?: A");
    assert_eq!((attribute, &*message), (score.clone(), "You have 45 of 45 points."));

    policy.score_in_notes = true;
    assert_eq!(lead(&scored(), &policy).0, "Score: 45\nQ?: A\nS, 45?: A");
    // Notes that are too long lose their end, but not the score.
    let mut long = scored();
    for at in 0..60 {
        long["form"]["pages"][1]["fields"].as_array_mut().unwrap().push(json!(
            {"id": format!("long{at}"), "type": "single_choice", "label": "L".repeat(190), "options": [{"id": "a"}]}));
    }
    assert!(lead(&long, &policy).0.starts_with("Score: 45\n"));

    // The leads of a form without scores have no score.
    let mut plain = scored();
    for page in 0..2 {
        plain["form"]["pages"][page]["fields"][0]["options"][0].as_object_mut().unwrap().remove("score");
    }
    let (notes, attribute, message) = lead(&plain, &policy);
    assert_eq!(notes, "Q?: A\nS, 0?: A");
    assert_eq!((attribute, &*message), (vec![], "You have 0 of 45 points."));
}

#[test]
fn a_question_with_the_name_of_the_score_takes_precedence() {
    let mut record = scored();
    record["form"]["pages"][0]["fields"][0]["mappedKey"] = json!("$score");
    let (_, attribute, message) = lead(&record, &Policy::default());
    assert_eq!(attribute, [("Q?: A".to_owned(), Answer::from("a"))]);
    assert_eq!(message, "You have A of 45 points.");
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
    assert!(findings.iter().any(|finding| finding.code == Code::ReservedKey), "{findings:?}");
    let record: FormRecord = serde_json::from_str(&scored().to_string()).unwrap();
    let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
    assert!(findings.iter().all(|finding| finding.code != Code::UnknownPlaceholder), "{findings:?}");
}

//! Tests of numbers that visitors type. The same text can mean different numbers in different countries.

use leadapi_form::{Answers, FormRecord, Policy, Questionnaire, Version};
use leadapi_form_harness::Naive;
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

fn record(members: &Value) -> Value {
    let mut form = json!({"client_id": "c1", "fields": [
        {"id": "n", "type": "number", "mappedKey": "value", "currency": "EUR"},
        {"id": "name", "type": "short_text", "mappedKey": "name"}]});
    form.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({ "form": form })
}

/// Returns the `value` of the lead, or the problem with the answer.
fn value(record: &Value, locale: Option<&str>, answer: &Value) -> Result<f64, String> {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let mut policy = Policy::default();
    policy.locale = locale.map(str::to_owned);
    let form = Questionnaire::compile(&record, Version::Draft, &policy);
    let answers: Answers = serde_json::from_str(&json!({"n": answer, "name": "Ann"}).to_string()).unwrap();
    let walk = form.walk(&answers).to_json("");
    walk["lead"]["value"].as_f64().ok_or_else(|| walk["problems"][0]["problem"].as_str().unwrap().to_owned())
}

/// If a text is a number without a locale, then in every locale, it is either the same number or not a number.
#[test]
fn a_typed_number_is_never_guessed() {
    let plain = record(&json!({}));
    let mut runner = TestRunner::new(crate::config(2_000));
    let text = "[-+]?[0-9]{1,4}([., '][0-9]{1,4}){0,3}(,-)?( €)?";
    let outcome = runner.run(&text, |text| {
        let Ok(number) = value(&plain, None, &json!(text)) else { return Ok(()) };
        for locale in ["de", "en", "fr", "de-CH", "pt-BR"] {
            if let Ok(other) = value(&plain, Some(locale), &json!(text)) {
                // Both numbers are parsed from decimal digits, so equal numbers have equal bits.
                prop_assert_eq!(number.to_bits(), other.to_bits(), "{} in {}", text, locale);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn the_locale_of_the_form_is_the_default() {
    for (members, locale, answer, expected) in [
        (json!({}), None, json!("9.500"), Err("ambiguous_number")),
        (json!({}), None, json!("9.50"), Ok(9.5)),
        (json!({}), None, json!(9.5), Ok(9.5)),
        (json!({"locale": "de"}), None, json!("9.500"), Ok(9500.0)),
        (json!({"locale": "de"}), None, json!("9.50"), Err("wrong_grouping")),
        (json!({"locale": "de"}), None, json!("1.500,-"), Ok(1500.0)),
        (json!({"locale": "de"}), None, json!("5 €"), Ok(5.0)),
        (json!({"locale": "de"}), None, json!("€5"), Ok(5.0)),
        (json!({"locale": " ", "languages": [7, "en", "de"]}), None, json!("9.500"), Ok(9.5)),
        (json!({"locale": "xx"}), None, json!("9.500"), Err("ambiguous_number")),
    ] {
        let record = record(&members);
        assert_eq!(value(&record, locale, &answer), expected.map_err(str::to_owned), "{members} {answer}");
        let walk = Naive::new(&record, true).report(&json!({"n": answer, "name": "Ann"}));
        assert_eq!(walk["lead"]["value"].as_f64(), expected.ok(), "{members} {answer}, by the naive interpreter");
    }
    assert_eq!(value(&record(&json!({"locale": "de"})), Some("en"), &json!("9.500")), Ok(9.5), "the host decides");
}

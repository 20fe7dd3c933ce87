//! Tests the functions of the module in native code.

use leadapi_form_wasm::CompiledForm;
use serde_json::Value;

const SAMPLE: &str = include_str!("../../../model/tests/data/form.json");

#[test]
fn a_walk_of_the_sample_ends_with_a_lead() {
    let form = CompiledForm::compile(SAMPLE, false, None).unwrap();
    assert_eq!(form.version(), "live");
    let walk = |answers: &str| serde_json::from_str::<Value>(&form.walk(answers, "…").unwrap()).unwrap();
    let first = walk("{}");
    assert_eq!(first["outcome"], "awaiting");
    assert_eq!(first["problems"][0]["message"], "needs an answer");
    let second = walk(r#"{"q_recipient":"o_mother"}"#);
    assert_eq!(second["steps"][1]["questions"][1]["label"], "Does my mother already have a care level?");
    let last = walk(
        r#"{"q_recipient":"o_mother","q_age":81,"q_need":"o_household","q_hours":12,"q_postal":"10115","q_name":"Ann",
            "q_email":"ann@example.org"}"#,
    );
    assert_eq!(last["ending"]["id"], "end_thanks");
    assert_eq!(last["lead"]["email"], "ann@example.org");
}

#[test]
fn findings_have_codes_and_pointers() {
    let form = CompiledForm::compile(&SAMPLE.replace("end:end_thanks", "end:nowhere"), true, None).unwrap();
    assert_eq!(form.version(), "draft");
    let findings: Value = serde_json::from_str(&form.check().unwrap()).unwrap();
    assert_eq!(findings[0]["code"], "target-ending-missing");
    assert_eq!(findings[0]["pointer"], "/form/logic/rules/8/then/target");
}

#[test]
fn numbers_are_read_in_the_locale_of_the_page_or_the_form() {
    let walk = |form_locale: &str, locale: Option<&str>| {
        let record = format!(
            r#"{{"form":{{"client_id":"c1","locale":{form_locale},"fields":[
                {{"id":"n","type":"number","mappedKey":"value"}},{{"id":"name","mappedKey":"name"}}]}}}}"#
        );
        let form = CompiledForm::compile(&record, false, locale.map(str::to_owned)).unwrap();
        let walk: Value = serde_json::from_str(&form.walk(r#"{"n":"9.500","name":"Ann"}"#, "").unwrap()).unwrap();
        (walk["lead"]["value"].as_f64(), walk["problems"][0]["problem"].as_str().map(str::to_owned))
    };
    assert_eq!(walk("null", None), (None, Some("ambiguous_number".to_owned())));
    assert_eq!(walk("\"de\"", None), (Some(9500.0), None));
    assert_eq!(walk("null", Some("de")), (Some(9500.0), None));
    assert_eq!(walk("\"de\"", Some("en")), (Some(9.5), None));
}

#[test]
fn text_that_is_not_an_object_is_an_error() {
    assert!(CompiledForm::compile("[]", false, None).is_err());
    assert!(CompiledForm::compile("{}", false, None).unwrap().walk("7", "").is_err());
}

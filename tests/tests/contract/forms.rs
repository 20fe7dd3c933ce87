//! Tests that form records (contract 2.5 and D11) are stored without loss and are not reachable through the API.

use leadapi_core::{dataset::Dataset, id::BusinessId};
use leadapi_memory::MemoryStore;
use leadapi_tests::{Case, Token, get, request, run_table};
use serde_json::Value;

const DATA: &str = include_str!("../../data/two_businesses.json");

#[tokio::test]
async fn form_records_are_not_reachable_through_the_api() {
    let id = "5f0c1a3e-9d1b-4c52-8e0f-2f6f3d5b7a11";
    let cases: Vec<Case> = vec![
        get("D11 /forms is 404", "/forms").is(404),
        get("D11 /forms is 404 without a token", "/forms").token(Token::None).is(404),
        get("D11 a form is 404", format!("/forms/{id}")).is(404),
        get("D11 a form is not a lead", format!("/leads/{id}")).is(404).says("no such lead"),
        request("D11 no form can be created", "POST", "/forms").is(404),
        get("D11 no list contains a form: leads", "/leads?limit=200").silent_on(id),
        get("D11 no list contains a form: pipelines", "/pipelines").silent_on(id),
        get("D11 no list contains a form: clients", "/clients").silent_on(id),
    ];
    run_table(cases).await;
}

#[test]
fn form_records_are_stored_without_loss() {
    // The data file contains operators, kinds and fields that the service does not recognize.
    let data: Value = serde_json::from_str(DATA).unwrap();
    let store = MemoryStore::new(Dataset::parse(DATA).unwrap());
    let forms = store.forms(&BusinessId::parse("biz-a").unwrap());
    let written: Vec<Value> = forms.iter().map(|form| serde_json::to_value(form).unwrap()).collect();
    assert_eq!(Value::from(written), data["businesses"][0]["forms"]);
    assert!(store.forms(&BusinessId::parse("biz-b").unwrap()).is_empty());
}

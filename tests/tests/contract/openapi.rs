//! Compares the OpenAPI document with the service: the examples, every status, and the rules for the fields.
//!
//! In all other tests of the contract, the harness checks each response against the document.

use std::{cell::Cell, collections::BTreeSet, env, fs, time::Duration};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    auth::Scope,
    http::{Endpoint, Operation, TABLE},
    id::TokenId,
    model::{LeadPatch, NewLead},
    openapi::{self, ServerUrl},
    port::{Admission, Class, RateLimiter},
};
use leadapi_tests::{Case, Description, Token, Via, World, doubles::Broken, request};
use proptest::{
    prelude::*,
    string::string_regex,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

/// The fields, each with a regular expression that generates both valid and invalid strings.
const FIELDS: [(&str, &str); 6] = [
    ("name", r"[ \t\u{85}\u{3000}]{0,2}[a\u{feff}佐\u{0}\u{7f}\n ]{0,6}(b{196})?[ \t]{0,2}"),
    ("email", r"[ ]?(a{63})?[aü]{1,2}[.\u{a0}@]?@[b@\u{2028}]?[b.]?(c{185})?\.[c.]?d[ \t]?"),
    ("phone", r"[ ]{0,1}[+1٣½(\n -]{0,8}(0{46})?[ ]{0,1}"),
    ("source", r"[ \t]{0,1}[a\u{1b}\u{9f}é -]{0,4}(b{97})?[ ]{0,2}"),
    ("notes", r"[ \t\r\n]{0,2}[a\u{b}\u{c}\u{85}é -]{0,3}(b{9997})?[ \n]{0,2}"),
    ("business_name", r"[ \t]{0,2}[a\u{0}佐\u{2029} -]{0,5}(b{197})?[ \t]{0,2}"),
];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../leadapi-core/openapi.json");

/// The committed file must equal the generated document. Set `LEADAPI_ACCEPT=1` to rewrite the file.
#[test]
fn the_committed_document_is_up_to_date() {
    let generated = openapi::document("/v1").unwrap() + "\n";
    if env::var_os("LEADAPI_ACCEPT").is_some() {
        fs::write(FILE, &generated).unwrap();
    }
    let committed = fs::read_to_string(FILE).unwrap_or_default();
    let same = generated.lines().zip(committed.lines()).take_while(|(new, old)| new == old).count();
    assert!(
        generated == committed,
        "leadapi-core/openapi.json differs from the generated document at line {}; to accept an intended change, run \
         LEADAPI_ACCEPT=1 cargo test -p leadapi-tests --test contract openapi",
        same + 1
    );
}

#[test]
fn the_server_url_is_the_mount_path() {
    for (path, url) in [("", "/"), ("/v1", "/v1"), ("/crm/v1", "/crm/v1")] {
        let document: Value = serde_json::from_str(&openapi::document(path).unwrap()).unwrap();
        assert_eq!(document["servers"], json!([{ "url": url }]));
    }
    assert!(openapi::document("v1/").is_err());
    let servers = ["https://api.example.com/v1".parse().unwrap(), ServerUrl::path("/v1").unwrap()];
    let document: Value = serde_json::from_str(&openapi::document_at(&servers)).unwrap();
    assert_eq!(document["servers"], json!([{ "url": "https://api.example.com/v1" }, { "url": "/v1" }]));
}

/// Generated clients and reference pages that read only the root of the document must still learn that every operation
/// needs a token.
#[test]
fn the_root_has_a_security_scheme_and_a_contact() {
    let document = committed();
    assert_eq!(document["security"], json!([{ "token": [] }]));
    assert!(document["components"]["securitySchemes"]["token"].is_object());
    let contact = &document["info"]["contact"];
    assert_eq!(contact["url"], env!("CARGO_PKG_REPOSITORY"), "{contact}");
}

/// Returns the committed document without the harness's additions.
fn committed() -> Value {
    serde_json::from_str(include_str!("../../../leadapi-core/openapi.json")).unwrap()
}

/// Every example in the document must be valid against the schema next to it.
#[test]
fn the_examples_match_their_schemas() {
    let description = Description::committed();
    let mut checked = 0;
    visit(&description.document, "", &mut |pointer, value| {
        let Some(schema) = value.get("schema").map(|_| format!("{pointer}/schema")) else { return };
        let examples = value.get("examples").and_then(Value::as_object).into_iter().flatten();
        for example in examples.map(|(_, example)| &example["value"]).chain(value.get("example")) {
            let wrong = description.invalid(&schema, example);
            assert!(wrong.is_empty(), "{example}: {wrong:?}");
            checked += 1;
        }
        assert!(value.get("example").or(value.get("examples")).is_some(), "{pointer} has no example");
    });
    assert!(checked > 50, "{checked}");
}

/// Every reference must resolve, and every component must be referenced.
#[test]
fn every_component_is_used_and_every_reference_resolves() {
    let document = committed();
    let mut used = BTreeSet::new();
    visit(&document, "", &mut |pointer, value| {
        if let Some(to) = value.get("$ref").and_then(Value::as_str) {
            let to = to.strip_prefix('#').expect("a reference within the document");
            assert!(document.pointer(to).is_some(), "{pointer} refers to {to}");
            used.insert(to.to_owned());
        }
    });
    for kind in ["schemas", "parameters", "headers", "responses"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            assert!(used.contains(&format!("/components/{kind}/{name}")), "{kind}/{name} is not used");
        }
    }
}

/// Each documented status of each operation can be provoked, and each error response equals one of the examples.
#[tokio::test]
async fn every_documented_status_occurs() {
    let description = Description::committed();
    let mut seen = 0;
    for line in &TABLE {
        let pointer = format!("/paths/{}/{}", line.path.replace('/', "~1"), line.method.as_str().to_ascii_lowercase());
        let statuses = description.document.pointer(&pointer).unwrap()["responses"].as_object().unwrap();
        for status in statuses.keys() {
            let (world, case) = provoke(line, status.parse().unwrap(), World::new().await);
            let answer = Via::Process.open(world).await.send(case).await;
            if !answer.status.is_success() {
                let (_, response) = description.resolved(&format!("{pointer}/responses/{status}")).unwrap();
                let examples = response["content"]["application/json"]["examples"].as_object().unwrap();
                let is_example = |example: &Value| example["value"] == answer.json();
                assert!(examples.values().any(is_example), "{} {} says {}", line.method, line.path, answer.text());
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 7 * 6 + 3);
}

/// Returns a world, and a request that its service answers with this status.
fn provoke(line: &Endpoint, status: u16, world: World) -> (World, Case) {
    let id = if status == 404 { "nobody" } else { "a-lead-1" };
    let path = line.path.replace("{id}", id) + if status == 400 { bad(line.operation) } else { "" };
    let case = request("D2 a status", line.method.as_str(), path).is(status);
    let case = match (line.operation, status) {
        (Operation::CreateLead | Operation::UpdateLead, 400) => case.json(json!({})),
        (Operation::CreateLead, _) => case.json(json!({"client_id": "a-client-1", "name": "Ann"})),
        (Operation::UpdateLead, _) => case.json(json!({"name": "Ann"})),
        _ => case,
    };
    match status {
        401 => (world, case.token(Token::Expired)),
        403 => (world, case.token(if line.scope == Scope::Read { Token::Write } else { Token::Read })),
        429 => (world.limiter(Refuses), case),
        500 => (world.store(Broken::Fails), case),
        _ => (world, case),
    }
}

/// Returns a query that the operation refuses. The query is empty for operations with a body, for which the test uses
/// an invalid body instead.
fn bad(operation: Operation) -> &'static str {
    match operation {
        Operation::CreateLead | Operation::UpdateLead => "",
        Operation::GetLead | Operation::DeleteLead => "?x=1",
        _ => "?limit=201",
    }
}

struct Refuses;

#[async_trait]
impl RateLimiter for Refuses {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        Ok(Admission::Refused { retry_after: Duration::from_secs(13) })
    }
}

/// A field's schema must accept a trimmed string if and only if the service accepts the string.
#[test]
fn schema_and_service_accept_the_same_texts() {
    let description = Description::committed();
    for (field, texts) in FIELDS {
        let (accepted, refused) = (Cell::new(0), Cell::new(0));
        let mut runner = TestRunner::new(Config { cases: 4_000, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&string_regex(texts).unwrap(), |text| {
            let body = json!({"client_id": "c", "name": "Ann", field: text});
            let faults = serde_json::from_value::<NewLead>(body).unwrap().check().err();
            // The schema of a phone number does not require any digits.
            let by_service = faults.is_none_or(|faults| faults.to_string() == "phone must have at least three digits");
            let trimmed = if text.trim().is_empty() || ["name", "email", "phone", "business_name"].contains(&field) {
                text.trim()
            } else {
                &text
            };
            let body = json!({"client_id": "c", "name": "Ann", field: trimmed});
            let wrong = description.invalid("/components/schemas/NewLead", &body);
            prop_assert_eq!(by_service, wrong.is_empty(), "{:?}", wrong);
            let count = if by_service { &accepted } else { &refused };
            count.set(count.get() + 1);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{field}: {error}"));
        assert!(accepted.get() > 200 && refused.get() > 200, "{field}: {accepted:?} accepted, {refused:?} refused");
    }
}

/// The schema must accept a combination of the patch's `pipeline_id` and `stage_id` if and only if the service accepts
/// it.
#[test]
fn schema_and_service_accept_the_same_placements() {
    let description = Description::committed();
    let values = [None, Some(json!(null)), Some(json!("")), Some(json!("p"))];
    let mut accepted = 0;
    for (pipeline, stage) in values.iter().flat_map(|pipeline| values.iter().map(move |stage| (pipeline, stage))) {
        let mut patch = json!({"notes": "x"});
        for (field, value) in [("pipeline_id", pipeline), ("stage_id", stage)] {
            if let Some(value) = value {
                patch[field] = value.clone();
            }
        }
        let by_service = serde_json::from_value::<LeadPatch>(patch.clone()).unwrap().check().is_ok();
        let wrong = description.invalid("/components/schemas/LeadPatch", &patch);
        assert_eq!(by_service, wrong.is_empty(), "{patch}: {wrong:?}");
        accepted += usize::from(by_service);
    }
    assert_eq!(accepted, 12);
}

fn visit(value: &Value, pointer: &str, see: &mut impl FnMut(&str, &Value)) {
    see(pointer, value);
    for (name, value) in value.as_object().into_iter().flatten() {
        visit(value, &format!("{pointer}/{}", name.replace('/', "~1")), see);
    }
    for (at, value) in value.as_array().into_iter().flatten().enumerate() {
        visit(value, &format!("{pointer}/{at}"), see);
    }
}

//! Tests that invalid data sets are rejected, and that each error names its location.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use leadapi_core::{auth::BearerToken, dataset::Dataset};
use serde_json::{Value, json};

fn good() -> Value {
    json!({"businesses": [
        {"id": "b1", "name": "One", "created_at": "2026-01-01T00:00:00Z",
         "members": [{"email": "owner@example.org", "role": "owner"}],
         "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}],
         "pipelines": [{"id": "p1", "name": "P", "created_at": "2026-01-01T00:00:00Z", "stages": [
            {"id": "s2", "name": "Then", "position": 2}, {"id": "s1", "name": "First", "position": 1}]}],
         "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-01-01T00:00:00Z"}],
         "tokens": [{"name": "t", "scopes": ["read"]}]},
        {"id": "b2", "name": "Two", "created_at": "2026-01-01T00:00:00Z",
         "clients": [{"id": "d1", "name": "D", "created_at": "2026-01-01T00:00:00Z"}],
         "leads": [{"id": "m1", "client_id": "d1", "name": "Bo", "created_at": "2026-01-01T00:00:00Z"}]}
    ]})
}

/// Returns the error after a change at one path of the valid data set.
fn refusal(place: &str, value: Value) -> String {
    let mut data = good();
    let (object, key) = place.rsplit_once('/').unwrap();
    match data.pointer_mut(object).unwrap() {
        Value::Array(elements) => elements[key.parse::<usize>().unwrap()] = value,
        object => object[key] = value,
    }
    Dataset::parse(&data.to_string()).unwrap_err().to_string()
}

#[test]
fn a_valid_data_set_is_accepted() {
    let data = Dataset::parse(&good().to_string()).unwrap();
    assert_eq!(data.businesses.len(), 2);
}

#[test]
fn ids_are_unique_within_their_business() {
    let business = &good()["businesses"][0];
    for (records, id, kind) in
        [("clients", "c1", "client account"), ("pipelines", "p1", "pipeline"), ("leads", "l1", "lead")]
    {
        let record = business[records][0].clone();
        let text = refusal(&format!("/businesses/0/{records}"), json!([record, record]));
        // A duplicate pipeline also has duplicate stages; the error names the pipeline.
        assert_eq!(text, format!("businesses[0].{records}[1].id: the {kind} id {id} occurs twice"));
    }
    let stages = "businesses[0].pipelines[0].stages[1].id: the stage id s1 occurs twice";
    assert_eq!(refusal("/businesses/0/pipelines/0/stages/0/id", json!("s1")), stages);
    let business = "businesses[1].id: the business id b1 occurs twice";
    assert_eq!(refusal("/businesses/1/id", json!("b1")), business);
}

#[test]
fn ids_of_another_business_may_be_the_same() {
    let mut data = good();
    let mut other = data["businesses"][0].clone();
    other["id"] = json!("b2");
    other["forms"] = json!([{"form": {"id": "f1"}}]);
    data["businesses"][0]["forms"] = other["forms"].clone();
    data["businesses"][1] = other;
    assert!(Dataset::parse(&data.to_string()).is_ok());
}

#[test]
fn addresses_are_unique_among_members() {
    let member = |email: &str| json!({"email": email, "role": "admin"});
    let members = |emails: &[&str]| json!(emails.iter().map(|email| member(email)).collect::<Vec<_>>());
    let refused = |emails: &[&str]| refusal("/businesses/0/members", members(emails));
    let twice = "businesses[0].members[1].email: occurs twice in this business, ignoring case";
    assert_eq!(refused(&["zoë@example.org", "ZOË@Example.org"]), twice);
    for bad in ["", "nobody", " a@b.c", "a@b.c\n"] {
        let text = refused(&[bad]);
        assert!(text.starts_with("businesses[0].members[0].email: must be an e-mail address of at most 254"), "{text}");
    }
    let mut data = good();
    data["businesses"][1]["members"] = members(&["owner@example.org"]);
    assert!(Dataset::parse(&data.to_string()).is_ok(), "a person may belong to two businesses");
}

#[test]
fn names_are_neither_blank_nor_too_long() {
    for (place, at, most) in [
        ("/businesses/0", "businesses[0]", 200),
        ("/businesses/0/clients/0", "businesses[0].clients[0]", 200),
        ("/businesses/0/pipelines/0", "businesses[0].pipelines[0]", 200),
        ("/businesses/0/pipelines/0/stages/1", "businesses[0].pipelines[0].stages[1]", 200),
        ("/businesses/0/tokens/0", "businesses[0].tokens[0]", 100),
    ] {
        for bad in ["", " ", "a\nb", &"ü".repeat(most + 1)] {
            let text = refusal(&format!("{place}/name"), json!(bad));
            let rule = "not only white space, without control characters";
            assert_eq!(text, format!("{at}.name: must be 1 to {most} characters, {rule}"));
        }
    }
}

#[test]
fn references_must_stay_within_the_business() {
    let lead = "businesses[0].leads[0]";
    for (key, id, text) in [
        ("client_id", "nobody", "client_id: no such client account in this business"),
        ("client_id", "d1", "client_id: no such client account in this business"),
        ("pipeline_id", "nothing", "pipeline_id: no such pipeline"),
        ("stage_id", "nothing", "stage_id: no such stage"),
    ] {
        assert_eq!(refusal(&format!("/businesses/0/leads/0/{key}"), json!(id)), format!("{lead}: {text}"));
    }
}

#[test]
fn leads_must_satisfy_the_rules() {
    let text = refusal("/businesses/0/leads/0/name", json!(" "));
    assert_eq!(text, "businesses[0].leads[0]: name is required");
    assert!(refusal("/businesses/0/leads/0/value", json!("450")).contains("value must be a finite number"));
    let exact = refusal("/businesses/0/leads/0/value", json!(9_007_199_254_740_993_u64));
    assert!(exact.contains("value must be exactly representable as a double"), "{exact}");
    assert!(refusal("/businesses/0/leads/0/emial", json!("a@b.c")).contains("unknown field `emial`"));
}

#[test]
fn unknown_keys_are_refused() {
    for place in
        ["/businesses/0/clients/0/nmae", "/businesses/0/pipelines/0/nmae", "/businesses/0/pipelines/0/stages/0/nmae"]
    {
        assert!(refusal(place, json!("x")).contains("unknown field `nmae`"), "{place}");
    }
    assert!(Dataset::parse("[]").unwrap_err().to_string().contains("an object with businesses"));
}

#[test]
fn forms_are_unique_and_their_references_exist() {
    let form = |client: &str, pipeline: &str| json!({"form": {"id": "f1", "client_id": client, "target_pipeline_id": pipeline}});
    let forms = |forms: Value| refusal("/businesses/0/forms", forms);
    let good = form("c1", "p1");
    assert_eq!(forms(json!([good, good])), "businesses[0].forms[1].form.id: the form id f1 occurs twice");
    let place = "businesses[0].forms[0].form";
    assert_eq!(forms(json!([form("d1", "p1")])), format!("{place}.client_id: no such client account in this business"));
    assert_eq!(forms(json!([form("c1", "nothing")])), format!("{place}.target_pipeline_id: no such pipeline"));
    assert_eq!(forms(json!([{"form": {}}])), format!("{place}.id: must be a string"));
    let rule = "an id must be 1 to 64 visible ASCII characters";
    assert_eq!(forms(json!([{"form": {"id": ""}}])), format!("{place}.id: {rule}"));
    assert_eq!(forms(json!([{}])), format!("{place}: must be an object"));
}

#[test]
fn stage_positions_are_consecutive() {
    let rule = "businesses[0].pipelines[0].stages: must be one or more stages with the positions 1, 2, 3 and so on";
    assert_eq!(refusal("/businesses/0/pipelines/0/stages", json!([])), rule);
    for position in [1, 3] {
        assert_eq!(refusal("/businesses/0/pipelines/0/stages/0/position", json!(position)), rule);
    }
}

#[test]
fn tokens_are_validated_and_never_shown() {
    let secret = "pak_00000000000000000000000000000000000000000002OZByn";
    let wrong = refusal("/businesses/0/tokens/0/token", json!("pak_mistyped"));
    assert_eq!(wrong, "businesses[0].tokens[0].token: is not a token, or its checksum is wrong");
    let token = json!({"name": "t", "scopes": ["read"], "token": secret});
    let twice = refusal("/businesses/0/tokens", json!([token, token]));
    assert_eq!(twice, "businesses[0].tokens[1].token: occurs twice");
    assert!(refusal("/businesses/0/tokens/0/scopes", json!(["admin"])).contains("unknown variant `admin`"));
    assert!(
        refusal("/businesses/0/tokens/0/scopes", json!([]))
            .contains("the scopes of a token must be read, write or both")
    );
    assert!(refusal("/businesses/0/members/0/role", json!("king")).contains("unknown variant `king`"));
}

/// Returns a token exported from a store.
fn exported_token() -> Value {
    json!({"id": "t1", "name": "t", "scopes": ["read"], "created_at": "2026-01-01T00:00:00.001Z",
        "prefix": "pak_0000", "hash": "0123456789abcdef".repeat(4)})
}

#[test]
fn exported_tokens_are_complete() {
    let token = |key: &str, value: Value| {
        let mut token = exported_token();
        token[key] = value;
        refusal("/businesses/0/tokens/0", token)
    };
    let place = "businesses[0].tokens[0]";
    for missing in ["id", "created_at", "hash", "prefix"] {
        let rule = "is missing: id, created_at, hash and prefix must be given together";
        assert_eq!(token(missing, Value::Null), format!("{place}.{missing}: {rule}"));
        let incomplete = json!({"name": "t", "scopes": ["read"], missing: exported_token()[missing]});
        assert!(refusal("/businesses/0/tokens/0", incomplete).ends_with(rule), "{missing}");
    }
    let secret = "pak_00000000000000000000000000000000000000000002OZByn";
    let rule = "cannot be combined with id, created_at, hash or prefix";
    assert_eq!(token("token", json!(secret)), format!("{place}.token: {rule}"));
    for bad in ["", "abc", &"A".repeat(64), &"g".repeat(64), &"a".repeat(63), &"a".repeat(65)] {
        assert_eq!(token("hash", json!(bad)), format!("{place}.hash: must be 64 hexadecimal digits in lower case"));
    }
    for bad in ["", "pak", "sk_live1", "pak_12345", "pak_é", secret] {
        let rule = "must be the start of a token: pak_ and at most four more characters";
        assert_eq!(token("prefix", json!(bad)), format!("{place}.prefix: {rule}"));
    }
    assert!(token("id", json!("no blanks")).contains("an id must be 1 to 64 visible ASCII characters"));
}

#[test]
fn tokens_are_unique_in_the_whole_file() {
    let hash = |id: &str, hash: &str| {
        let mut token = exported_token();
        (token["id"], token["hash"]) = (json!(id), json!(hash));
        token
    };
    let refused = |one: Value, other: Value| {
        let mut data = good();
        (data["businesses"][0]["tokens"], data["businesses"][1]["tokens"]) = (json!([one]), json!([other]));
        Dataset::parse(&data.to_string()).unwrap_err().to_string()
    };
    let (a, b) = (&"a".repeat(64), &"b".repeat(64));
    let id = "businesses[1].tokens[0].id: the token id t1 occurs twice";
    assert_eq!(refused(hash("t1", a), hash("t1", b)), id);
    assert_eq!(refused(hash("t1", a), hash("t2", a)), "businesses[1].tokens[0].hash: occurs twice");
    let secret = BearerToken::generate().unwrap();
    let given = json!({"name": "t", "scopes": ["read"], "token": secret.expose()});
    let same = hash("t1", &secret.hash().to_hex());
    assert_eq!(refused(given.clone(), same.clone()), "businesses[1].tokens[0].hash: occurs twice");
    assert_eq!(refused(same, given), "businesses[1].tokens[0].token: occurs twice");
}

#[test]
fn invalid_json_is_refused_with_its_location() {
    let error = Dataset::parse("{\n  \"businesses\": [}").unwrap_err();
    assert_eq!(error.to_string(), "line 2 column 18: expected value");
}

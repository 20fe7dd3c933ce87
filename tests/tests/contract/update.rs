//! Changing a lead: JSON Merge Patch (contract D2, D4 and D5).

use leadapi_tests::{Case, Token, delete, everywhere, get, patch, request, run_table};
use serde_json::{Value, json};

#[tokio::test]
async fn a_patch_changes_only_the_sent_fields() {
    run_table([changed(), refused()].concat()).await;
}

fn before() -> Value {
    json!({
        "id": "a-lead-1", "client_id": "a-client-1", "name": "Léa Canary-A", "email": "Lea@Canary-A.example",
        "phone": "+33 1 99 00 14 20", "source": "website", "notes": "first line\n\tsecond, Canary-A", "value": 1200.5,
        "pipeline_id": "a-pipe-1", "stage_id": "a-stage-11", "business_name": "Canary-A SARL",
        "created_at": "2026-05-01T00:00:00.000Z",
    })
}

fn after(changes: &Value) -> Value {
    let mut lead = before();
    lead.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    lead
}

/// A PATCH whose response must be the lead with the sent fields changed.
fn sets(name: &str, body: &Value) -> Case {
    patch(name, "a-lead-1", body.clone()).body(after(body))
}

fn changed() -> Vec<Case> {
    let all = json!({
        "name": "Bo", "email": "bo@example.org", "phone": "112", "source": "phone", "notes": "called", "value": 7,
        "pipeline_id": "a-pipe-0", "stage_id": "a-stage-02", "business_name": "Bo AG",
    });
    let nulls = json!({
        "email": null, "phone": null, "source": null, "notes": null, "value": null, "pipeline_id": null, "stage_id": null,
        "business_name": null,
    });
    let blanks = json!({
        "email": "", "phone": " ", "source": "\t", "notes": "\n", "pipeline_id": "", "stage_id": " ", "business_name": "",
    });
    let mut cleared = nulls.clone();
    cleared["value"] = json!(1200.5);
    let mut cases = vec![
        get("D2 the full lead, bare", "/leads/a-lead-1").body(before()),
        sets("D5 PATCH accepts nine fields", &all),
        sets("D5 null clears", &nulls),
        patch("D4 blanks are null", "a-lead-1", blanks).body(after(&cleared)),
        sets("D5 the same again changes nothing", &json!({"name": "Léa Canary-A"})),
        patch("D5 null clears what is null already", "a-lead-2", json!({"email": null, "stage_id": null}))
            .at("/email", Value::Null),
        patch("D4 a name is trimmed", "a-lead-1", json!({"name": " Bo\n"})).body(after(&json!({"name": "Bo"}))),
        sets("D5 a merge patch by its own type", &json!({"notes": "called"}))
            .content_type(Some("application/merge-patch+json")),
        patch("D4 an id with special characters", "a%2Fb%3Fc%25", json!({"name": "Bo"})).at("/id", "a/b?c%"),
        patch("D10 on other operations the header is ignored", "a-lead-1", json!({"name": "Bo"}))
            .header("idempotency-key", "not a good key")
            .lacks("idempotency-replayed"),
    ];
    for (field, value) in all.as_object().unwrap() {
        if field != "pipeline_id" && field != "stage_id" {
            cases.push(sets(&format!("D5 absent is kept, a value is set: {field}"), &json!({field: value})));
        }
    }
    for field in ["email", "phone", "source", "notes", "value", "business_name"] {
        cases.push(sets(&format!("D5 absent is kept, null clears: {field}"), &json!({field: null})));
    }
    cases
}

fn refused() -> Vec<Case> {
    let bad = |name: &str, body: Value| patch(name, "a-lead-1", body).is(400);
    let mut cases = vec![
        bad("D5 name cannot be null", json!({"name": null})).blames("name"),
        bad("D4 name cannot be blank", json!({"name": " \u{3000}"})).blames("name"),
        bad("D5 {} has no field to change", json!({})).says("no field to change"),
        bad("D5 client_id cannot be changed", json!({"client_id": "a-client-2"}))
            .blames("client_id")
            .says("cannot be changed"),
        bad("D5 client_id cannot be changed: to the same", json!({"client_id": "a-client-1", "name": "Bo"}))
            .blames("client_id"),
        bad("D5 client_id cannot be changed: a foreign one is 400 too", json!({"client_id": "b-client-1"}))
            .blames("client_id"),
        bad("D5 client_id cannot be changed: null", json!({"client_id": null})).blames("client_id"),
        bad("D5 client_id cannot be changed: of a wrong type", json!({"client_id": 1})).blames("client_id"),
        bad("D5 id is set by the server", json!({"id": "a-lead-1"})).blames("id").says("server"),
        bad("D5 created_at is set by the server", json!({"created_at": "2026-05-01T00:00:00.000Z"}))
            .blames("created_at")
            .says("server"),
        bad("D5 an unknown field", json!({"name": "Bo", "emial": "bo@example.org"})).blames("emial").says("email"),
        bad("D5 valid fields next to an invalid one are not written", json!({"name": "Bo", "email": "x"}))
            .blames("email"),
        bad("D5 a JSON Patch is no object", json!([{"op": "replace", "path": "/name", "value": "Bo"}])).blames("body"),
        bad("D5 null is no object", json!(null)).blames("body"),
        bad("D5 a whole lead sent back names what cannot be written", before())
            .says("client_id cannot be changed")
            .says("; created_at is set")
            .says("; id is set"),
        patch("2 a lead that does not exist", "nobody", json!({"name": "Bo"})).is(404).says("no such lead"),
        patch("4 a lead that is not visible to the business", "b-lead-1", json!({"name": "Bo"}))
            .is(404)
            .says("no such lead"),
        patch("4 the business of the token decides", "a-lead-1", json!({"name": "Bo"}))
            .token(Token::B)
            .is(404)
            .says("no such lead"),
    ];
    for field in ["name", "email", "phone", "source", "notes", "pipeline_id", "stage_id", "business_name"] {
        for wrong in [json!(1), json!(false), json!([]), json!({})] {
            cases.push(
                bad(&format!("D5 wrong type: {field} must be a string, not {wrong}"), json!({field: wrong}))
                    .blames(field)
                    .says("string"),
            );
        }
    }
    cases
}

#[tokio::test]
async fn a_lead_can_be_created_patched_and_deleted() {
    everywhere("4 create, get, patch, delete, gone", async |live| {
        let new = json!({"client_id": "a-client-1", "name": "Ann", "notes": "n", "stage_id": "a-stage-19"});
        let made = live.send(leadapi_tests::post("4 create", new)).await;
        let (id, path) = (made.id(), format!("/leads/{}", made.id()));
        live.world.wait(3600);
        let mut expected = made.json();
        expected["email"] = json!("ann@example.org");
        live.send(patch("4 patch", &id, json!({"email": " ann@example.org "})).body(expected.clone())).await;
        expected["name"] = json!("Bo");
        expected["notes"] = Value::Null;
        live.send(patch("4 patch again", &id, json!({"name": "Bo", "notes": null})).body(expected.clone())).await;
        live.send(get("D2 PATCH does not touch created_at", path.clone()).body(expected)).await;
        live.send(patch("D5 a refused patch", &id, json!({"name": "Cy", "phone": "1"})).is(400)).await;
        live.send(get("D5 leaves the lead alone", path.clone()).at("/name", "Bo").at("/phone", Value::Null)).await;
        live.send(delete("4 delete", &id)).await;
        for gone in [
            get("D2 GET of a deleted lead", path.clone()),
            delete("D2 DELETE of a deleted lead", &id),
            patch("D2 PATCH of a deleted lead", &id, json!({"name": "Bo"})),
        ] {
            live.send(gone.is(404).says("no such lead")).await;
        }
        live.send(request("D1 a body is checked first", "PATCH", path).text("{}").is(400)).await;
    })
    .await;
}

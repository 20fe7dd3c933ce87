//! PATCH requests, which are JSON Merge Patches (contract D5).

use serde_json::{Value, json};

use crate::conformance::run::{CreatedLead, Run};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({"notes": "kept", "email": "ann@example.org"})).await;
    changed(run, &lead).await;
    each_field(run, &lead).await;
    refused(run, &lead).await;
}

async fn changed(run: &Run<'_>, lead: &CreatedLead) {
    run.check("D5", "PATCH: an absent field is kept", async {
        let kept = json!({"notes": "kept", "email": "ann@example.org"});
        run.patch(lead, &json!({"source": "ads"})).expect_status(200).await?.has_members(&kept)
    })
    .await;
    run.check("D5", "PATCH: null clears a field", async {
        run.patch(lead, &json!({"notes": null}))
            .expect_status(200)
            .await?
            .has_members(&json!({"notes": null, "email": "ann@example.org"}))
    })
    .await;
    run.check("D5", "PATCH: null is accepted for a field that is already null", async {
        run.patch(lead, &json!({"notes": null, "phone": null}))
            .expect_status(200)
            .await?
            .has_members(&json!({"notes": null}))
    })
    .await;
    run.check("D5", "PATCH can set all nine fields and clear all of them except name", async {
        let (pipeline, _, stage) = run.target.pipeline()?;
        let all = json!({
            "name": "Bo", "email": "bo@example.org", "phone": "112", "source": "phone", "notes": "called", "value": 7,
            "pipeline_id": pipeline, "stage_id": stage, "business_name": "Bo AG",
        });
        run.patch(lead, &all).expect_status(200).await?.has_members(&all)?;
        let nulls = json!({
            "email": null, "phone": null, "source": null, "notes": null, "value": null, "pipeline_id": null,
            "stage_id": null, "business_name": null,
        });
        run.patch(lead, &nulls).expect_status(200).await?.has_members(&nulls)?.has_members(&json!({"name": "Bo"}))
    })
    .await;
    run.check("D5", "PATCH with the current values of a lead changes nothing", async {
        let before = run.get_lead(lead).expect_status(200).await?.json;
        let name = before.get("name").cloned().unwrap_or_default();
        run.patch(lead, &json!({"name": name})).expect_status(200).await?.has_json(&before)
    })
    .await;
    run.check("D5", "PATCH does not change created_at", async {
        let before = run.get_lead(lead).expect_status(200).await?;
        let created_at = json!({"created_at": before.text("created_at")});
        run.patch(lead, &json!({"name": "Cy"})).expect_status(200).await?.has_members(&created_at)
    })
    .await;
}

/// Changes each of these fields separately, and then clears it. `name` cannot be cleared, so it is changed again. All
/// other fields must stay unchanged.
async fn each_field(run: &Run<'_>, lead: &CreatedLead) {
    for (field, value) in [
        ("name", json!("Di")),
        ("email", json!("di@example.org")),
        ("phone", json!("113")),
        ("source", json!("web")),
        ("notes", json!("called\nagain")),
        ("value", json!(0.1)),
        ("business_name", json!("Di AG")),
    ] {
        run.check("D5", format!("PATCH changes only the sent field: {field}"), async {
            let mut expected = run.get_lead(lead).expect_status(200).await?.json;
            let cleared = if field == "name" { json!("Ed") } else { Value::Null };
            for value in [value, cleared] {
                if let Some(expected) = expected.as_object_mut() {
                    expected.insert(field.to_owned(), value.clone());
                }
                run.patch(lead, &json!({field: value})).expect_status(200).await?.has_json(&expected)?;
            }
            run.get_lead(lead).expect_status(200).await?.has_json(&expected)
        })
        .await;
    }
}

async fn refused(run: &Run<'_>, lead: &CreatedLead) {
    for (what, name) in [("null", Value::Null), ("blank", json!(" \u{3000}"))] {
        run.check("D5", format!("PATCH: name cannot be {what}"), async {
            run.patch(lead, &json!({"name": name})).expect_refusal(400, &["name"]).await
        })
        .await;
    }
    run.check("D5", "PATCH: an empty object is 400", async {
        run.patch(lead, &json!({})).expect_refusal(400, &["", "no field to change"]).await
    })
    .await;
    for (what, client) in [
        ("to the same value", json!(run.target.client_id)),
        ("to an unknown client account", json!(run.absent_id())),
        ("to null", Value::Null),
        ("to a value of the wrong type", json!(1)),
    ] {
        run.check("D5", format!("PATCH: client_id cannot be changed {what}"), async {
            let patch = json!({"client_id": client, "name": "Not written"});
            run.patch(lead, &patch).expect_refusal(400, &["client_id", "cannot be changed"]).await
        })
        .await;
    }
    run.check("D5", "PATCH: client_id cannot be changed to a client account of another business", async {
        let patch = json!({"client_id": run.target.other_business()?.client});
        run.patch(lead, &patch).expect_refusal(400, &["client_id", "cannot be changed"]).await
    })
    .await;
    run.check("D5", "PATCH: a JSON Patch (RFC 6902) is 400", async {
        let patch = json!([{"op": "replace", "path": "/name", "value": "Bo"}]);
        run.patch(lead, &patch).expect_refusal(400, &["body", "object"]).await
    })
    .await;
    run.check("D5", "PATCH: one message reports every problem", async {
        let patch = json!({
            "client_id": "x", "id": 1, "name": null, "email": "x", "phone": [], "pipeline_id": null, "stage_id": "x",
        });
        let says = ["", "client_id", "id", "name", "email", "phone", "pipeline_id"];
        run.patch(lead, &patch).expect_refusal(400, &says).await
    })
    .await;
}

//! Bodies (contract D5): content type, JSON syntax, known fields and size.

use serde_json::{Value, json};

use crate::testkit::conformance::{
    run::{CreatedLead, Run},
    sender::path_of,
};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({"notes": "kept", "email": "ann@example.org"})).await;
    types(run, &lead).await;
    syntax(run).await;
    members(run, &lead).await;
    sizes(run, &lead).await;
    merge(run, &lead).await;
}

async fn types(run: &Run<'_>, lead: &CreatedLead) {
    let patch = r#"{"name": "Ann"}"#;
    for good in ["", "application/json; charset=UTF-8", "application/merge-patch+json"] {
        let name = if good.is_empty() { "none" } else { good };
        run.check(
            "D5",
            format!("this Content-Type is accepted: {name}"),
            run.request_lead("PATCH", lead).typed(good, patch).expect_status(200),
        )
        .await;
    }
    for bad in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
        run.check("D5", format!("this Content-Type is 400: {bad}"), async {
            run.request_lead("PATCH", lead)
                .typed(bad, patch)
                .expect_status(400)
                .await?
                .error_starts_with("Content-Type")
        })
        .await;
    }
}

async fn syntax(run: &Run<'_>) {
    for (method, path) in [("POST", "/leads".to_owned()), ("PATCH", path_of(&run.absent_id()))] {
        let ask = || run.request(method, path.as_str());
        run.check("D5", format!("{method}: a body that is not JSON is 400, with line and column"), async {
            ask()
                .text("{\n\"name\": }")
                .expect_status(400)
                .await?
                .error_starts_with("body")?
                .error_contains("JSON")?
                .error_contains("line 2")?
                .error_contains("column")
        })
        .await;
        run.check("D5", format!("{method}: an empty body is 400"), async {
            ask().text("").expect_status(400).await?.error_starts_with("body")?.error_contains("empty")
        })
        .await;
        run.check("D5", format!("{method}: two documents are 400"), async {
            ask().text("{} {}").expect_status(400).await?.error_starts_with("body")?.error_contains("one JSON document")
        })
        .await;
        for other in ["[]", "null", "\"name\""] {
            run.check("D5", format!("{method}: JSON that is not an object is 400: {other}"), async {
                ask().text(other).expect_status(400).await?.error_starts_with("body")?.error_contains("object")
            })
            .await;
        }
        run.check("D5", format!("{method}: a body that is not UTF-8 is 400"), async {
            ask().text(&b"{\"name\": \"\xff\"}"[..]).expect_status(400).await?.error_contains("JSON")
        })
        .await;
    }
    run.check("D5", "deep nesting is 400", async {
        let deep = format!(r#"{{"name": {}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        run.request("POST", "/leads").text(deep).expect_status(400).await
    })
    .await;
}

async fn members(run: &Run<'_>, lead: &CreatedLead) {
    run.check("D5", "an unknown field is 400 and named, with the nearest known one", async {
        run.post(&run.new_lead(&json!({"emial": "x"})))
            .expect_status(400)
            .await?
            .error_starts_with("emial")?
            .error_contains("email")
    })
    .await;
    run.check("D5", "a field in another case is unknown", async {
        run.patch(lead, &json!({"Name": "x"})).expect_status(400).await?.error_starts_with("Name")
    })
    .await;
    for field in ["id", "created_at"] {
        run.check("D5", format!("{field} is 400, it is set by the server: POST"), async {
            run.post(&run.new_lead(&json!({field: "x"})))
                .expect_status(400)
                .await?
                .error_starts_with(field)?
                .error_contains("server")
        })
        .await;
        run.check("D5", format!("{field} is 400, it is set by the server: PATCH"), async {
            run.patch(lead, &json!({field: "x"}))
                .expect_status(400)
                .await?
                .error_starts_with(field)?
                .error_contains("server")
        })
        .await;
    }
    run.check("D5", "a key given twice is 400", async {
        run.request_lead("PATCH", lead)
            .text(r#"{"name": "Ann", "name": "Bo"}"#)
            .expect_status(400)
            .await?
            .error_contains("name")
    })
    .await;
    for field in ["name", "email", "notes", "stage_id"] {
        run.check("D5", format!("a wrong type is 400 and names the field and the type: {field}"), async {
            run.patch(lead, &json!({field: 1}))
                .expect_status(400)
                .await?
                .error_starts_with(field)?
                .error_contains("string")
        })
        .await;
    }
    run.check("D5", "a wrong type is 400 and names the field and the type: value", async {
        run.patch(lead, &json!({"value": []}))
            .expect_status(400)
            .await?
            .error_starts_with("value")?
            .error_contains("number")
    })
    .await;
    run.check("D5", "a valid field next to an invalid one is not written", async {
        run.patch(lead, &json!({"name": "Not written", "phone": "1"})).expect_status(400).await?;
        run.get_lead(lead).expect_status(200).await?.body_omits("Not written")
    })
    .await;
}

async fn sizes(run: &Run<'_>, lead: &CreatedLead) {
    const PATCH: &str = r#"{"name": "Ann"}"#;
    let padded = |size: usize| PATCH.to_owned() + &" ".repeat(size.saturating_sub(PATCH.len()));
    run.check(
        "D5",
        "a body of 65,536 bytes is accepted",
        run.request_lead("PATCH", lead).text(padded(65_536)).expect_status(200),
    )
    .await;
    run.check("D5", "a body of 65,537 bytes is 400 and names the limit", async {
        run.request_lead("PATCH", lead)
            .text(padded(65_537))
            .expect_status(400)
            .await?
            .error_starts_with("body")?
            .error_contains("65536")
    })
    .await;
    run.check("D5", "a body on GET is ignored", run.request_lead("GET", lead).text("{").expect_status(200)).await;
}

/// PATCH is JSON Merge Patch.
async fn merge(run: &Run<'_>, lead: &CreatedLead) {
    run.check("D5", "PATCH: an absent field is kept", async {
        let kept = json!({"notes": "kept", "email": "ann@example.org"});
        run.patch(lead, &json!({"source": "ads"})).expect_status(200).await?.has_members(&kept)
    })
    .await;
    run.check("D5", "PATCH: null clears", async {
        run.patch(lead, &json!({"notes": null}))
            .expect_status(200)
            .await?
            .has_members(&json!({"notes": null, "email": "ann@example.org"}))
    })
    .await;
    run.check("D5", "PATCH: name cannot be null", async {
        run.patch(lead, &json!({"name": null})).expect_status(400).await?.error_starts_with("name")
    })
    .await;
    run.check("D5", "PATCH: an object without a field is 400", async {
        run.patch(lead, &json!({})).expect_status(400).await?.error_contains("no field to change")
    })
    .await;
    for (what, client) in [("even to the same", json!(run.target.client_id)), ("not to null", Value::Null)] {
        run.check("D5", format!("PATCH: client_id cannot be changed, {what}"), async {
            run.patch(lead, &json!({"client_id": client}))
                .expect_status(400)
                .await?
                .error_starts_with("client_id")?
                .error_contains("cannot be changed")
        })
        .await;
    }
    run.check("D5", "PATCH accepts all nine fields", async {
        let (pipeline, _, stage) = run.target.pipeline()?;
        let all = json!({
            "name": "Bo", "email": "bo@example.org", "phone": "112", "source": "phone", "notes": "called", "value": 7,
            "pipeline_id": pipeline, "stage_id": stage, "business_name": "Bo AG",
        });
        run.patch(lead, &all).expect_status(200).await?.has_members(&all)
    })
    .await;
    run.check("D5", "PATCH does not touch created_at", async {
        let before = run.get_lead(lead).expect_status(200).await?;
        let created_at = json!({"created_at": before.text("created_at")});
        run.patch(lead, &json!({"name": "Cy"})).expect_status(200).await?.has_members(&created_at)
    })
    .await;
}

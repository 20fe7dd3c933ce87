//! Bodies (contract D5): content type, JSON syntax, known fields and size.

use serde_json::{Value, json};

use crate::testkit::conformance::{
    run::{Made, Run},
    sender::path_of,
};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.made(&json!({"notes": "kept", "email": "ann@example.org"})).await;
    types(run, &lead).await;
    syntax(run).await;
    members(run, &lead).await;
    sizes(run, &lead).await;
    merge(run, &lead).await;
}

async fn types(run: &Run<'_>, lead: &Made) {
    let patch = r#"{"name": "Ann"}"#;
    for good in ["", "application/json; charset=UTF-8", "application/merge-patch+json"] {
        let name = if good.is_empty() { "none" } else { good };
        run.check(
            "D5",
            format!("this Content-Type is taken: {name}"),
            run.about("PATCH", lead).typed(good, patch).answers(200),
        )
        .await;
    }
    for bad in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
        run.check("D5", format!("this Content-Type is 400: {bad}"), async {
            run.about("PATCH", lead).typed(bad, patch).answers(400).await?.blames("Content-Type")
        })
        .await;
    }
}

async fn syntax(run: &Run<'_>) {
    for (method, path) in [("POST", "/leads".to_owned()), ("PATCH", path_of(&run.never()))] {
        let ask = || run.ask(method, path.as_str());
        run.check("D5", format!("{method}: what is no JSON is 400, with line and column"), async {
            ask()
                .text("{\n\"name\": }")
                .answers(400)
                .await?
                .blames("body")?
                .says("JSON")?
                .says("line 2")?
                .says("column")
        })
        .await;
        run.check("D5", format!("{method}: an empty body is 400"), async {
            ask().text("").answers(400).await?.blames("body")?.says("empty")
        })
        .await;
        run.check("D5", format!("{method}: two documents are 400"), async {
            ask().text("{} {}").answers(400).await?.blames("body")?.says("one JSON document")
        })
        .await;
        for other in ["[]", "null", "\"name\""] {
            run.check("D5", format!("{method}: what is no object is 400: {other}"), async {
                ask().text(other).answers(400).await?.blames("body")?.says("object")
            })
            .await;
        }
        run.check("D5", format!("{method}: what is not UTF-8 is 400"), async {
            ask().text(&b"{\"name\": \"\xff\"}"[..]).answers(400).await?.says("JSON")
        })
        .await;
    }
    run.check("D5", "deep nesting is 400", async {
        let deep = format!(r#"{{"name": {}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        run.ask("POST", "/leads").text(deep).answers(400).await
    })
    .await;
}

async fn members(run: &Run<'_>, lead: &Made) {
    run.check("D5", "an unknown field is 400 and named, with the nearest known one", async {
        run.post(&run.new_lead(&json!({"emial": "x"}))).answers(400).await?.blames("emial")?.says("email")
    })
    .await;
    run.check("D5", "a field in another case is unknown", async {
        run.patch(lead, &json!({"Name": "x"})).answers(400).await?.blames("Name")
    })
    .await;
    for field in ["id", "created_at"] {
        run.check("D5", format!("{field} is 400, it is set by the server: POST"), async {
            run.post(&run.new_lead(&json!({field: "x"}))).answers(400).await?.blames(field)?.says("server")
        })
        .await;
        run.check("D5", format!("{field} is 400, it is set by the server: PATCH"), async {
            run.patch(lead, &json!({field: "x"})).answers(400).await?.blames(field)?.says("server")
        })
        .await;
    }
    run.check("D5", "a key given twice is 400", async {
        run.about("PATCH", lead).text(r#"{"name": "Ann", "name": "Bo"}"#).answers(400).await?.says("name")
    })
    .await;
    for field in ["name", "email", "notes", "stage_id"] {
        run.check("D5", format!("a wrong type is 400 and names the field and the type: {field}"), async {
            run.patch(lead, &json!({field: 1})).answers(400).await?.blames(field)?.says("string")
        })
        .await;
    }
    run.check("D5", "a wrong type is 400 and names the field and the type: value", async {
        run.patch(lead, &json!({"value": []})).answers(400).await?.blames("value")?.says("number")
    })
    .await;
    run.check("D5", "a good field beside a bad one is not written", async {
        run.patch(lead, &json!({"name": "Not written", "phone": "1"})).answers(400).await?;
        run.get_lead(lead).answers(200).await?.keeps_silent_on("Not written")
    })
    .await;
}

async fn sizes(run: &Run<'_>, lead: &Made) {
    const PATCH: &str = r#"{"name": "Ann"}"#;
    let padded = |size: usize| PATCH.to_owned() + &" ".repeat(size.saturating_sub(PATCH.len()));
    run.check("D5", "a body of 65,536 bytes is taken", run.about("PATCH", lead).text(padded(65_536)).answers(200))
        .await;
    run.check("D5", "a body of 65,537 bytes is 400 and says the number", async {
        run.about("PATCH", lead).text(padded(65_537)).answers(400).await?.blames("body")?.says("65536")
    })
    .await;
    run.check("D5", "a body on GET is ignored", run.about("GET", lead).text("{").answers(200)).await;
}

/// PATCH is JSON Merge Patch.
async fn merge(run: &Run<'_>, lead: &Made) {
    run.check("D5", "PATCH: what is absent is kept", async {
        let kept = json!({"notes": "kept", "email": "ann@example.org"});
        run.patch(lead, &json!({"source": "ads"})).answers(200).await?.shows(&kept)
    })
    .await;
    run.check("D5", "PATCH: null clears", async {
        run.patch(lead, &json!({"notes": null}))
            .answers(200)
            .await?
            .shows(&json!({"notes": null, "email": "ann@example.org"}))
    })
    .await;
    run.check("D5", "PATCH: name cannot be null", async {
        run.patch(lead, &json!({"name": null})).answers(400).await?.blames("name")
    })
    .await;
    run.check("D5", "PATCH: an object without a field is 400", async {
        run.patch(lead, &json!({})).answers(400).await?.says("no field to change")
    })
    .await;
    for (what, client) in [("even to the same", json!(run.target.client_id)), ("not to null", Value::Null)] {
        run.check("D5", format!("PATCH: client_id cannot be changed, {what}"), async {
            run.patch(lead, &json!({"client_id": client}))
                .answers(400)
                .await?
                .blames("client_id")?
                .says("cannot be changed")
        })
        .await;
    }
    run.check("D5", "PATCH accepts all nine fields", async {
        let (pipeline, _, stage) = run.target.pipeline()?;
        let all = json!({
            "name": "Bo", "email": "bo@example.org", "phone": "112", "source": "phone", "notes": "called", "value": 7,
            "pipeline_id": pipeline, "stage_id": stage, "business_name": "Bo AG",
        });
        run.patch(lead, &all).answers(200).await?.shows(&all)
    })
    .await;
    run.check("D5", "PATCH does not touch created_at", async {
        let before = run.get_lead(lead).answers(200).await?;
        let created_at = json!({"created_at": before.text("created_at")});
        run.patch(lead, &json!({"name": "Cy"})).answers(200).await?.shows(&created_at)
    })
    .await;
}

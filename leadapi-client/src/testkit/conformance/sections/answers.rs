//! Statuses, bodies and headers of the seven operations (contract D2).

use serde_json::{Value, json};

use crate::testkit::conformance::{report::Stop, run::Run, sender::path_of};

pub(super) async fn check(run: &Run<'_>) {
    life(run).await;
    gone(run).await;
    texts(run).await;
    request_ids(run).await;
}

fn full() -> Value {
    json!({
        "name": "Zoë Ødegård", "email": "Zoe@Example.org", "phone": "(030) 12/34", "source": "ads", "notes": "a\r\n\tb",
        "value": 99.95, "business_name": "Ødegård AS",
    })
}

/// A lead from creation to deletion.
async fn life(run: &Run<'_>) {
    run.check("D2", "POST /leads answers 201 with the full lead, and what is not set is null", async {
        let unset = json!({
            "client_id": run.target.client_id, "name": "Contract check", "email": null, "phone": null, "source": null,
            "notes": null, "value": null, "pipeline_id": null, "stage_id": null, "business_name": null,
        });
        run.post(&run.new_lead(&json!({}))).answers(201).await?.shows(&unset)
    })
    .await;
    run.check("D2", "POST /leads answers what was sent", async {
        run.post(&run.new_lead(&full())).answers(201).await?.shows(&full())
    })
    .await;
    let made = run.post(&run.new_lead(&full())).answers(201).await;
    let id = made.as_ref().map(|made| made.text("id").to_owned()).map_err(Clone::clone);
    run.check("D2", "Location is the public path of the lead", async {
        let path = path_of(&id.clone()?);
        made.clone()?.has("location", &format!("{}{path}", run.base_path()))
    })
    .await;
    run.check("D2", "GET /leads/{id} answers 200 with the lead as it was created", async {
        let made = made.clone()?;
        run.get_lead(&id).answers(200).await?.is(&made.json)
    })
    .await;
    run.check("D2", "GET /leads lists it with its ten fields", async {
        let mut item = made.clone()?.json;
        if let Some(item) = item.as_object_mut() {
            item.retain(|name, _| name != "notes" && name != "business_name");
        }
        let list = run.get("/leads?limit=200").answers(200).await?;
        let is_there = list.data().contains(&item);
        list.must(is_there, format!("the item {item}"))
    })
    .await;
    run.check("D2", "PATCH /leads/{id} answers 200 with the full lead after the change", async {
        let mut after = made.clone()?.json;
        if let Some(after) = after.as_object_mut() {
            after.insert("name".into(), json!("Bo"));
            after.insert("email".into(), Value::Null);
        }
        run.patch(&id, &json!({"name": "Bo", "email": null})).answers(200).await?.is(&after)?;
        run.get_lead(&id).answers(200).await?.is(&after)
    })
    .await;
    run.check("D2", "HEAD /leads/{id} is its GET without the body, with its Content-Length", async {
        let get = run.get_lead(&id).answers(200).await?;
        run.about("HEAD", &id).answers(200).await?.has("content-length", &get.body.len().to_string())
    })
    .await;
    run.check("D2", "DELETE /leads/{id} answers 204, and the lead is gone", async {
        run.delete(&id).answers(204).await?;
        run.get_lead(&id).answers(404).await?.says("no such lead")
    })
    .await;
    run.check("D2", "DELETE of a deleted lead is 404", async {
        let id = run.made(&json!({})).await;
        run.delete(&id).answers(204).await?;
        run.delete(&id).answers(404).await?.says("no such lead")
    })
    .await;
}

async fn gone(run: &Run<'_>) {
    let never = Ok(run.never());
    for (name, ask) in [
        ("GET", run.get_lead(&never)),
        ("PATCH", run.patch(&never, &json!({"name": "Ann"}))),
        ("DELETE", run.delete(&never)),
    ] {
        run.check("7", format!("{name} of a lead that does not exist is 404"), async {
            ask.answers(404).await?.says("no such lead")
        })
        .await;
    }
    for (what, segment) in
        [("too long", "x".repeat(65)), ("with a blank", "a%20b".into()), ("not ASCII", "%C3%A9".into())]
    {
        run.check("D4", format!("an id in a path that cannot exist is 404: {what}"), async {
            run.get(format!("/leads/{segment}")).answers(404).await?.says("no such lead")
        })
        .await;
    }
}

async fn texts(run: &Run<'_>) {
    run.check("D2", "several faults are told in one message, joined with ; ", async {
        let patch = json!({"name": "", "phone": "1", "value": "1"});
        run.patch(&Ok(run.never()), &patch).answers(400).await?.says("name")?.says("phone")?.says("value")?.says("; ")
    })
    .await;
    run.check("D2", "the faults of the query are told first", async {
        run.ask("POST", "/leads?x=1")
            .json(&json!({"nmae": "Ann"}))
            .answers(400)
            .await?
            .blames("x")?
            .says("; nmae")?
            .says("; name")
    })
    .await;
    run.check("D2", "numbers in messages have no grouping", async {
        let long = json!({"notes": "x".repeat(10_001)});
        run.patch(&Ok(run.never()), &long).answers(400).await?.blames("notes")?.says("10000")
    })
    .await;
}

async fn request_ids(run: &Run<'_>) {
    run.check("D2", "a good X-Request-Id of the caller is kept", async {
        has_request_ids(run)?;
        run.get("/clients").header("x-request-id", "check-1").answers(200).await?.has("x-request-id", "check-1")
    })
    .await;
    for (what, bad) in [("with a blank", "a b".to_owned()), ("too long", "x".repeat(129))] {
        run.check("D2", format!("an X-Request-Id that is not good is replaced: {what}"), async {
            has_request_ids(run)?;
            let answer = run.get("/clients").header("x-request-id", bad.clone()).answers(200).await?;
            let id = answer.header("x-request-id").unwrap_or_default();
            answer.must(!id.is_empty() && id != bad, "another X-Request-Id")
        })
        .await;
    }
}

fn has_request_ids(run: &Run<'_>) -> Result<(), Stop> {
    if run.target.request_ids {
        return Ok(());
    }
    Err(Stop::Skipped("the target says that its host gives no request ids".to_owned()))
}

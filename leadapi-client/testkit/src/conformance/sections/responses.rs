//! Statuses, bodies and headers of the seven operations (contract D2).

use leadapi_core::validate::LEAD_FIELDS;
use serde_json::{Value, json};

use crate::conformance::{
    report::Stop,
    run::{CreatedLead, Run},
    sender::path_of,
};

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

/// Follows a lead from its creation to its deletion.
async fn life(run: &Run<'_>) {
    run.check("D2", "POST /leads answers 201 with the full lead, and unset fields are null", async {
        let unset = json!({
            "client_id": run.target.client_id, "name": "Contract check", "email": null, "phone": null, "source": null,
            "notes": null, "value": null, "pipeline_id": null, "stage_id": null, "business_name": null,
        });
        run.post(&run.new_lead(&json!({}))).expect_status(201).await?.has_members(&unset)
    })
    .await;
    run.check("D2", "POST /leads returns the values that were sent", async {
        run.post(&run.new_lead(&full())).expect_status(201).await?.has_members(&full())
    })
    .await;
    let made = run.post(&run.new_lead(&full())).expect_status(201).await;
    let id = made.as_ref().map(|lead| lead.text("id").to_owned()).map_err(Clone::clone);
    run.check("D2", "Location is the lead's public path", async {
        let path = path_of(&id.clone()?);
        made.clone()?.has_header("location", &format!("{}{path}", run.base_path()))
    })
    .await;
    run.check("D2", "GET /leads/{id} answers 200 with the lead as created", async {
        let made = made.clone()?;
        run.get_lead(&id).expect_status(200).await?.has_json(&made.json)
    })
    .await;
    run.check("D2", "GET /leads lists the lead with the fields of a list item", async {
        let mut item = made.clone()?.json;
        if let Some(item) = item.as_object_mut() {
            item.retain(|name, _| LEAD_FIELDS.iter().any(|field| field.is_in_list() && field.name() == name));
        }
        let list = run.get("/leads?limit=200").expect_status(200).await?;
        let is_there = list.data().contains(&item);
        list.ensure(is_there, format!("the item {item}"))
    })
    .await;
    run.check("D2", "PATCH /leads/{id} answers 200 with the full lead after the change", async {
        let mut after = made.clone()?.json;
        if let Some(after) = after.as_object_mut() {
            after.insert("name".into(), json!("Bo"));
            after.insert("email".into(), Value::Null);
        }
        run.patch(&id, &json!({"name": "Bo", "email": null})).expect_status(200).await?.has_json(&after)?;
        run.get_lead(&id).expect_status(200).await?.has_json(&after)
    })
    .await;
    run.check("D2", "DELETE /leads/{id} answers 204, and the lead is gone", async {
        run.delete(&id).expect_status(204).await?;
        run.get_lead(&id).expect_status(404).await?.error_contains("no such lead")
    })
    .await;
    for method in ["GET", "PATCH", "DELETE"] {
        run.check(
            "D2",
            format!("{method} of a deleted lead is 404, byte for byte the same as for a lead that never existed"),
            async {
                let ask = |lead: &CreatedLead| run.request_lead(method, lead).text(r#"{"name": "Ann"}"#);
                let lead = run.create_lead(&json!({})).await;
                run.delete(&lead).expect_status(204).await?;
                let absent = ask(&Ok(run.absent_id())).expect_refusal(404, &["id", "no such lead"]).await?;
                ask(&lead).send().await?.equals(&absent)
            },
        )
        .await;
    }
}

async fn gone(run: &Run<'_>) {
    let absent_id = Ok(run.absent_id());
    for (name, ask) in [
        ("GET", run.get_lead(&absent_id)),
        ("PATCH", run.patch(&absent_id, &json!({"name": "Ann"}))),
        ("DELETE", run.delete(&absent_id)),
    ] {
        run.check("7", format!("{name} of a lead that does not exist is 404"), async {
            ask.expect_refusal(404, &["id", "no such lead"]).await
        })
        .await;
    }
}

async fn texts(run: &Run<'_>) {
    run.check("D2", "numbers in messages have no thousands separators", async {
        let long = json!({"notes": "x".repeat(10_001)});
        run.patch(&Ok(run.absent_id()), &long)
            .expect_status(400)
            .await?
            .error_starts_with("notes")?
            .error_contains("10000")
    })
    .await;
}

async fn request_ids(run: &Run<'_>) {
    run.check("D2", "a valid X-Request-Id from the caller is kept", async {
        has_request_ids(run)?;
        run.get("/clients")
            .header("x-request-id", "check-1")
            .expect_status(200)
            .await?
            .has_header("x-request-id", "check-1")
    })
    .await;
    for (what, bad) in [("with a space", "a b".to_owned()), ("too long", "x".repeat(129))] {
        run.check("D2", format!("an invalid X-Request-Id is replaced: {what}"), async {
            has_request_ids(run)?;
            let response = run.get("/clients").header("x-request-id", bad.clone()).expect_status(200).await?;
            let id = response.header("x-request-id").unwrap_or_default();
            response.ensure(!id.is_empty() && id != bad, "a different X-Request-Id")
        })
        .await;
    }
}

fn has_request_ids(run: &Run<'_>) -> Result<(), Stop> {
    if run.target.request_ids {
        return Ok(());
    }
    Err(Stop::Skipped("the target states that its host adds no request ids".to_owned()))
}

//! Isolation of two businesses (contract 1, 5 and D2): neither can tell that the other's records exist.

use serde_json::{Value, json};

use crate::testkit::conformance::{
    report::Stop,
    run::Run,
    target::Role::{Both, OtherBusiness},
};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({"name": "Isolated"})).await;
    for method in ["GET", "HEAD", "PATCH", "DELETE"] {
        run.check(
            "D2",
            format!("{method} of a lead of another business is 404, the same bytes as for one that does not exist"),
            async {
                let (id, absent_id) = (lead.clone(), Ok(run.absent_id()));
                let ask = |made| {
                    let ask = run.request_lead(method, made).with_token(OtherBusiness);
                    if method == "PATCH" { ask.json(&json!({"name": "Taken"})) } else { ask }
                };
                let absent = ask(&absent_id).expect_status(404).await?;
                ask(&id).expect_status(404).await?.equals(&absent)
            },
        )
        .await;
    }
    run.check("D2", "a lead of another business is unchanged", async {
        run.token(OtherBusiness)?;
        run.get_lead(&lead).expect_status(200).await?.has_members(&json!({"name": "Isolated"}))
    })
    .await;
    for (name, path) in [("leads", "/leads"), ("pipelines", "/pipelines"), ("client accounts", "/clients")] {
        run.check("1", format!("no {name} of another business are listed"), apart(run, path)).await;
    }
    run.check(
        "5",
        "client_id of another business is 403, the same bytes as for one that does not exist: GET /leads",
        async {
            let foreign = &run.target.other_business()?.client;
            let absent = run.get(format!("/leads?client_id={}", run.absent_id())).expect_status(403).await?;
            run.get(format!("/leads?client_id={foreign}")).expect_status(403).await?.equals(&absent)
        },
    )
    .await;
    run.check(
        "5",
        "client_id of another business is 403, the same bytes as for one that does not exist: POST /leads",
        async {
            let foreign = &run.target.other_business()?.client;
            let absent = run.post(&run.new_lead(&json!({"client_id": run.absent_id()}))).expect_status(403).await?;
            run.post(&run.new_lead(&json!({"client_id": foreign}))).expect_status(403).await?.equals(&absent)
        },
    )
    .await;
    for field in ["pipeline_id", "stage_id"] {
        run.check(
            "D6",
            format!("{field} of another business is 400, the same bytes as for one that does not exist"),
            async {
                let other = run.target.other_business()?;
                let foreign = if field == "stage_id" { &other.stage } else { &other.pipeline };
                let absent = run.patch(&lead, &json!({field: run.absent_id()})).expect_status(400).await?;
                run.patch(&lead, &json!({field: foreign})).expect_status(400).await?.equals(&absent)
            },
        )
        .await;
    }
    run.check("5", "a token creates leads in its own business", async {
        let client = &run.target.other_business()?.client;
        let made =
            run.post(&run.new_lead(&json!({"client_id": client}))).with_token(OtherBusiness).expect_status(201).await?;
        run.get_lead(&Ok(made.text("id").to_owned())).with_token(Both).expect_status(404).await
    })
    .await;
}

/// Expects that no record appears in the lists of both businesses.
async fn apart(run: &Run<'_>, path: &str) -> Result<(), Stop> {
    let theirs = run.get(format!("{path}?limit=200")).with_token(OtherBusiness).expect_status(200).await?;
    let ours = run.get(format!("{path}?limit=200")).expect_status(200).await?;
    let both: Vec<&Value> = ours.data().iter().filter(|record| theirs.data().contains(record)).collect();
    let holds = both.is_empty();
    theirs.ensure(holds, "no record of the other business")?;
    Ok(())
}

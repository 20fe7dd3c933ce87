//! The pipeline and the stage of a lead (every row of the table in contract D6).

use serde_json::{Value, json};

use super::both;
use crate::conformance::{
    report::Stop,
    response::CheckedResponse,
    run::{CreatedLead, Run},
};

const OTHER: &str = "stage_id belongs to another pipeline than pipeline_id";
const NO_PIPELINE: &str = "pipeline_id: no such pipeline";
const NO_STAGE: &str = "stage_id: no such stage";

pub(super) async fn check(run: &Run<'_>) {
    on_post(run).await;
    let lead = run.create_lead(&json!({})).await;
    on_patch(run, &lead).await;
    refused(run, &lead).await;
}

fn placed(pipeline: impl Into<Value>, stage: impl Into<Value>) -> Value {
    json!({"pipeline_id": pipeline.into(), "stage_id": stage.into()})
}

async fn on_post(run: &Run<'_>) {
    let post = async |more: &Value| run.post(&run.new_lead(more)).expect_status(201).await;
    let none = placed(Value::Null, Value::Null);
    for (what, sent) in
        [("neither field", json!({})), ("null for both", none.clone()), ("blanks for both", placed("", " "))]
    {
        run.check("D6", format!("POST with {what} sets both to null"), async { post(&sent).await?.has_members(&none) })
            .await;
    }
    run.check("D6", "POST with a stage sets the stage's pipeline", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&json!({"stage_id": other})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a pipeline sets its first stage", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        post(&json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "POST with a pipeline and a blank stage sets the pipeline's first stage", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        post(&placed(pipeline, "")).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "POST with a pipeline and one of its stages sets both", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&placed(pipeline, other)).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a stage and null for the pipeline sets the stage's pipeline", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        post(&placed(Value::Null, first)).await?.has_members(&placed(pipeline, first))
    })
    .await;
}

/// Moves the lead to another stage of the pipeline, then sends the patch.
async fn changed(run: &Run<'_>, lead: &CreatedLead, patch: &Value) -> Result<CheckedResponse, Stop> {
    let (pipeline, _, other) = run.target.pipeline()?;
    run.patch(lead, &placed(pipeline, other)).expect_status(200).await?.has_members(&placed(pipeline, other))?;
    run.patch(lead, patch).send().await
}

async fn on_patch(run: &Run<'_>, lead: &CreatedLead) {
    run.check("D6", "PATCH of other fields leaves the stage unchanged", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"name": "Bo"})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with a stage sets the stage's pipeline", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"stage_id": first})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with another pipeline sets its first stage", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with the same pipeline keeps the stage", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with another pipeline and one of its stages sets both", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &placed(pipeline, first)).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with the same pipeline and another of its stages sets the stage", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        changed(run, lead, &placed(pipeline, first)).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with a stage sets the stage's pipeline if the lead has none", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        cleared(run, lead, &json!({"stage_id": other})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with a pipeline sets its first stage if the lead has none", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        cleared(run, lead, &json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    let blanks = [Value::Null, json!(""), json!(" ")].into_iter().flat_map(|blank| {
        [json!({"pipeline_id": blank}), json!({"stage_id": blank}), json!({"pipeline_id": blank, "stage_id": blank})]
    });
    for patch in blanks.chain([placed(Value::Null, ""), placed(Value::Null, " ")]) {
        run.check("D6", format!("PATCH with null or blanks sets both to null: {patch}"), async {
            let null = placed(Value::Null, Value::Null);
            changed(run, lead, &patch).await?.has_members(&null)?;
            // The lead is no longer in a pipeline, so the same patch changes nothing.
            run.patch(lead, &patch).expect_status(200).await?.has_members(&null)
        })
        .await;
    }
}

/// Removes the lead from its pipeline, then sends the patch.
async fn cleared(run: &Run<'_>, lead: &CreatedLead, patch: &Value) -> Result<CheckedResponse, Stop> {
    let null = placed(Value::Null, Value::Null);
    run.patch(lead, &null).expect_status(200).await?.has_members(&null)?;
    run.patch(lead, patch).send().await
}

async fn refused(run: &Run<'_>, lead: &CreatedLead) {
    let absent_id = run.absent_id();
    run.check("D6", "a stage of another pipeline is 400", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        both::refuses(run, lead, &placed(pipeline, stage), &[(OTHER, "")]).await
    })
    .await;
    run.check("D6", "a stage of another pipeline is 400 even if the lead is in that stage", async {
        let ((pipeline, _, stage), (other, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        run.patch(lead, &placed(pipeline, stage)).expect_status(200).await?;
        run.patch(lead, &placed(other, stage)).expect_refusal(400, &["", OTHER]).await
    })
    .await;
    for blank in [Value::Null, json!(""), json!(" ")] {
        run.check("D6", format!("PATCH with {blank} for the pipeline and a stage is 400"), async {
            let (_, stage, _) = run.target.pipeline()?;
            run.patch(lead, &placed(blank.clone(), stage)).expect_refusal(400, &["", "pipeline_id"]).await
        })
        .await;
        run.check("D6", format!("PATCH with a pipeline and {blank} for the stage is 400"), async {
            let (pipeline, ..) = run.target.pipeline()?;
            run.patch(lead, &placed(pipeline, blank.clone())).expect_refusal(400, &["", "stage_id"]).await
        })
        .await;
    }
    run.check(
        "D6",
        "PATCH with null for the pipeline and an unknown stage is 400, and the message names the pipeline",
        async {
            run.patch(lead, &placed(Value::Null, absent_id.as_str())).expect_refusal(400, &["", "pipeline_id"]).await
        },
    )
    .await;
    for (field, says) in [("pipeline_id", NO_PIPELINE), ("stage_id", NO_STAGE)] {
        run.check("D6", format!("an unknown {field} is 400"), async {
            both::refuses(run, lead, &json!({field: absent_id, "name": "Not written"}), &[(says, "")]).await
        })
        .await;
        run.check("D6", format!("a {field} of another business is 400"), async {
            let other = run.target.other_business()?;
            let id = if field == "stage_id" { &other.stage } else { &other.pipeline };
            both::refuses(run, lead, &json!({field: id}), &[(says, "")]).await
        })
        .await;
    }
    run.check("D6", "a pipeline and a stage of another business are 400, and both are reported", async {
        let other = run.target.other_business()?;
        let sent = placed(other.pipeline.as_str(), other.stage.as_str());
        both::refuses(run, lead, &sent, &[(NO_PIPELINE, ""), (NO_STAGE, "")]).await
    })
    .await;
    run.check("D6", "a pipeline of the token's business with a stage of another business is 400", async {
        let ((pipeline, ..), other) = (run.target.pipeline()?, run.target.other_business()?);
        both::refuses(run, lead, &placed(pipeline, other.stage.as_str()), &[(NO_STAGE, "")]).await
    })
    .await;
    run.check("D6", "a pipeline of another business with a stage of the token's business is 400", async {
        let ((_, stage, _), other) = (run.target.pipeline()?, run.target.other_business()?);
        both::refuses(run, lead, &placed(other.pipeline.as_str(), stage), &[(NO_PIPELINE, "")]).await
    })
    .await;
    run.check("D6", "a stage id is not a valid pipeline_id, and a pipeline id is not a valid stage_id", async {
        let (pipeline, stage, _) = run.target.pipeline()?;
        both::refuses(run, lead, &json!({"pipeline_id": stage}), &[(NO_PIPELINE, "")]).await?;
        both::refuses(run, lead, &json!({"stage_id": pipeline}), &[(NO_STAGE, "")]).await
    })
    .await;
    run.check("D6", "two malformed ids are 400, and both are reported", async {
        let problems = [(NO_PIPELINE, ""), (NO_STAGE, "")];
        both::refuses(run, lead, &placed("é", "x".repeat(65)), &problems).await?;
        both::refuses(run, lead, &json!({"stage_id": "a b"}), &[(NO_STAGE, "")]).await
    })
    .await;
    run.check("D6", "ids are not trimmed", async {
        let (_, stage, _) = run.target.pipeline()?;
        both::refuses(run, lead, &json!({"stage_id": format!(" {stage} ")}), &[(NO_STAGE, "")]).await
    })
    .await;
}

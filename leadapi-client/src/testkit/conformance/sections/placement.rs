//! Stage and pipeline of a lead: checks every row of the table in contract D6.

use serde_json::{Value, json};

use crate::testkit::conformance::{
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
    run.check("D6", "POST with neither: both null", async {
        post(&json!({})).await?.has_members(&placed(Value::Null, Value::Null))
    })
    .await;
    run.check("D6", "POST with a stage: the pipeline is the stage's", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&json!({"stage_id": other})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a pipeline: its first stage", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        post(&json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "POST with both, matching", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&placed(pipeline, other)).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a stage and null for the pipeline: the pipeline is the stage's", async {
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
    run.check("D6", "PATCH of other fields leaves the stage alone", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"name": "Bo"})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with a stage: the pipeline is the stage's", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"stage_id": first})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with another pipeline: its first stage", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with the same pipeline: the stage stays", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.has_members(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with both, matching", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &placed(pipeline, first)).await?.has_members(&placed(pipeline, first))
    })
    .await;
    for (what, patch) in [
        ("null for the pipeline", json!({"pipeline_id": null})),
        ("null for the stage", json!({"stage_id": null})),
        ("null for both", json!({"pipeline_id": null, "stage_id": null})),
        ("a blank stage", json!({"stage_id": " "})),
    ] {
        run.check("D6", format!("PATCH with {what}: both become null"), async {
            changed(run, lead, &patch).await?.has_members(&placed(Value::Null, Value::Null))
        })
        .await;
    }
}

async fn refused(run: &Run<'_>, lead: &CreatedLead) {
    let absent_id = run.absent_id();
    run.check("D6", "POST with both, not matching, is 400", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        run.post(&run.new_lead(&placed(pipeline, stage))).expect_status(400).await?.error_contains(OTHER)
    })
    .await;
    run.check("D6", "PATCH with both, not matching, is 400", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        run.patch(lead, &placed(pipeline, stage)).expect_status(400).await?.error_contains(OTHER)
    })
    .await;
    run.check("D6", "PATCH with null for the pipeline and a stage is 400", async {
        let (_, stage, _) = run.target.pipeline()?;
        run.patch(lead, &placed(Value::Null, stage)).expect_status(400).await?.error_contains("pipeline_id")
    })
    .await;
    run.check("D6", "PATCH with a pipeline and null for the stage is 400", async {
        let (pipeline, ..) = run.target.pipeline()?;
        run.patch(lead, &placed(pipeline, Value::Null)).expect_status(400).await?.error_contains("stage_id")
    })
    .await;
    for (field, says) in [("pipeline_id", NO_PIPELINE), ("stage_id", NO_STAGE)] {
        run.check("D6", format!("POST with an unknown {field} is 400"), async {
            run.post(&run.new_lead(&json!({field: absent_id}))).expect_status(400).await?.error_contains(says)
        })
        .await;
        run.check("D6", format!("PATCH with an unknown {field} is 400"), async {
            run.patch(lead, &json!({field: absent_id})).expect_status(400).await?.error_contains(says)
        })
        .await;
        run.check("D6", format!("POST with a {field} of another business is 400"), async {
            let other = run.target.other_business()?;
            let id = if field == "stage_id" { &other.stage } else { &other.pipeline };
            run.post(&run.new_lead(&json!({field: id}))).expect_status(400).await?.error_contains(says)
        })
        .await;
    }
}

//! Stage and pipeline (contract D6), row by row of its table.

use serde_json::{Value, json};

use crate::testkit::conformance::{
    answer::Answer,
    report::Stop,
    run::{Made, Run},
};

const OTHER: &str = "stage_id belongs to another pipeline than pipeline_id";
const NO_PIPELINE: &str = "pipeline_id: no such pipeline";
const NO_STAGE: &str = "stage_id: no such stage";

pub(super) async fn check(run: &Run<'_>) {
    on_post(run).await;
    let lead = run.made(&json!({})).await;
    on_patch(run, &lead).await;
    refused(run, &lead).await;
}

fn placed(pipeline: impl Into<Value>, stage: impl Into<Value>) -> Value {
    json!({"pipeline_id": pipeline.into(), "stage_id": stage.into()})
}

async fn on_post(run: &Run<'_>) {
    let post = async |more: &Value| run.post(&run.new_lead(more)).answers(201).await;
    run.check("D6", "POST with neither: both null", async {
        post(&json!({})).await?.shows(&placed(Value::Null, Value::Null))
    })
    .await;
    run.check("D6", "POST with a stage: the pipeline is the stage's", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&json!({"stage_id": other})).await?.shows(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a pipeline: its first stage", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        post(&json!({"pipeline_id": pipeline})).await?.shows(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "POST with both, matching", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        post(&placed(pipeline, other)).await?.shows(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "POST with a stage and null for the pipeline: the pipeline is the stage's", async {
        let (pipeline, first, _) = run.target.pipeline()?;
        post(&placed(Value::Null, first)).await?.shows(&placed(pipeline, first))
    })
    .await;
}

/// Moves the lead to another stage of the pipeline, then sends the patch.
async fn changed(run: &Run<'_>, lead: &Made, patch: &Value) -> Result<Answer, Stop> {
    let (pipeline, _, other) = run.target.pipeline()?;
    run.patch(lead, &placed(pipeline, other)).answers(200).await?.shows(&placed(pipeline, other))?;
    run.patch(lead, patch).send().await
}

async fn on_patch(run: &Run<'_>, lead: &Made) {
    run.check("D6", "PATCH of other fields leaves the stage alone", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"name": "Bo"})).await?.shows(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with a stage: the pipeline is the stage's", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"stage_id": first})).await?.shows(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with another pipeline: its first stage", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.shows(&placed(pipeline, first))
    })
    .await;
    run.check("D6", "PATCH with the same pipeline: the stage stays", async {
        let (pipeline, _, other) = run.target.pipeline()?;
        changed(run, lead, &json!({"pipeline_id": pipeline})).await?.shows(&placed(pipeline, other))
    })
    .await;
    run.check("D6", "PATCH with both, matching", async {
        let (pipeline, first) = run.target.second_pipeline()?;
        changed(run, lead, &placed(pipeline, first)).await?.shows(&placed(pipeline, first))
    })
    .await;
    for (what, patch) in [
        ("null for the pipeline", json!({"pipeline_id": null})),
        ("null for the stage", json!({"stage_id": null})),
        ("null for both", json!({"pipeline_id": null, "stage_id": null})),
        ("a blank stage", json!({"stage_id": " "})),
    ] {
        run.check("D6", format!("PATCH with {what}: both become null"), async {
            changed(run, lead, &patch).await?.shows(&placed(Value::Null, Value::Null))
        })
        .await;
    }
}

async fn refused(run: &Run<'_>, lead: &Made) {
    let never = run.never();
    run.check("D6", "POST with both, not matching, is 400", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        run.post(&run.new_lead(&placed(pipeline, stage))).answers(400).await?.says(OTHER)
    })
    .await;
    run.check("D6", "PATCH with both, not matching, is 400", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        run.patch(lead, &placed(pipeline, stage)).answers(400).await?.says(OTHER)
    })
    .await;
    run.check("D6", "PATCH with null for the pipeline and a stage is 400", async {
        let (_, stage, _) = run.target.pipeline()?;
        run.patch(lead, &placed(Value::Null, stage)).answers(400).await?.says("pipeline_id")
    })
    .await;
    run.check("D6", "PATCH with a pipeline and null for the stage is 400", async {
        let (pipeline, ..) = run.target.pipeline()?;
        run.patch(lead, &placed(pipeline, Value::Null)).answers(400).await?.says("stage_id")
    })
    .await;
    for (field, says) in [("pipeline_id", NO_PIPELINE), ("stage_id", NO_STAGE)] {
        run.check("D6", format!("POST with a {field} that nobody has is 400"), async {
            run.post(&run.new_lead(&json!({field: never}))).answers(400).await?.says(says)
        })
        .await;
        run.check("D6", format!("PATCH with a {field} that nobody has is 400"), async {
            run.patch(lead, &json!({field: never})).answers(400).await?.says(says)
        })
        .await;
        run.check("D6", format!("POST with a {field} of another business is 400"), async {
            let other = run.target.other_business()?;
            let id = if field == "stage_id" { &other.stage } else { &other.pipeline };
            run.post(&run.new_lead(&json!({field: id}))).answers(400).await?.says(says)
        })
        .await;
    }
}

//! Stage and pipeline (contract D6), row by row.

use leadapi_tests::{Case, patch, post, run_table};
use serde_json::{Value, json};

const PIPELINE: &str = "pipeline_id: no such pipeline";
const STAGE: &str = "stage_id: no such stage";
const OTHER: &str = "stage_id belongs to another pipeline than pipeline_id";

#[tokio::test]
async fn pipeline_and_stage_follow_the_placement_rules() {
    run_table([on_post(), on_patch()].concat()).await;
}

fn placed(case: Case, pipeline: impl Into<Value>, stage: impl Into<Value>) -> Case {
    case.at("/pipeline_id", pipeline).at("/stage_id", stage)
}

fn on_post() -> Vec<Case> {
    let new = |name: &str, more: Value| {
        let mut body = json!({"client_id": "a-client-1", "name": "Ann"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(format!("D6 POST {name}"), body)
    };
    vec![
        placed(new("neither: both null", json!({})), Value::Null, Value::Null),
        placed(
            new("stage only: the pipeline is the stage's", json!({"stage_id": "a-stage-15"})),
            "a-pipe-1",
            "a-stage-15",
        ),
        placed(
            new("pipeline only: the first stage by position", json!({"pipeline_id": "a-pipe-1"})),
            "a-pipe-1",
            "a-stage-19",
        ),
        placed(
            new("pipeline only: the first stage by position, listed last", json!({"pipeline_id": "a-pipe-0"})),
            "a-pipe-0",
            "a-stage-01",
        ),
        placed(
            new("both matching", json!({"pipeline_id": "a-pipe-1", "stage_id": "a-stage-11"})),
            "a-pipe-1",
            "a-stage-11",
        ),
        placed(
            new("stage, pipeline null", json!({"pipeline_id": null, "stage_id": "a-stage-11"})),
            "a-pipe-1",
            "a-stage-11",
        ),
        placed(
            new("pipeline, stage blank", json!({"pipeline_id": "a-pipe-2", "stage_id": ""})),
            "a-pipe-2",
            "a-stage-21",
        ),
        placed(new("both null", json!({"pipeline_id": null, "stage_id": null})), Value::Null, Value::Null),
        placed(new("both blank", json!({"pipeline_id": "", "stage_id": " "})), Value::Null, Value::Null),
        new("both, not matching", json!({"pipeline_id": "a-pipe-2", "stage_id": "a-stage-11"})).is(400).says(OTHER),
        new("unknown pipeline", json!({"pipeline_id": "nobody"})).is(400).says(PIPELINE),
        new("unknown stage", json!({"stage_id": "nobody"})).is(400).says(STAGE),
        new("pipeline of another business", json!({"pipeline_id": "b-pipe-1"})).is(400).says(PIPELINE),
        new("stage of another business", json!({"stage_id": "b-stage-1"})).is(400).says(STAGE),
        new("both of another business", json!({"pipeline_id": "b-pipe-1", "stage_id": "b-stage-1"}))
            .is(400)
            .says(PIPELINE)
            .says(STAGE),
        new("own pipeline, foreign stage", json!({"pipeline_id": "a-pipe-1", "stage_id": "b-stage-1"}))
            .is(400)
            .says(STAGE),
        new("foreign pipeline, own stage", json!({"pipeline_id": "b-pipe-1", "stage_id": "a-stage-11"}))
            .is(400)
            .says(PIPELINE),
        new("a stage is no pipeline", json!({"pipeline_id": "a-stage-11"})).is(400).says(PIPELINE),
        new("a pipeline is no stage", json!({"stage_id": "a-pipe-1"})).is(400).says(STAGE),
        new("ids that cannot exist", json!({"pipeline_id": "é", "stage_id": "x".repeat(65)}))
            .is(400)
            .says(PIPELINE)
            .says(STAGE),
        new("ids are not trimmed", json!({"stage_id": " a-stage-11 "})).is(400).says(STAGE),
    ]
}

/// `a-lead-1` is in the second stage of `a-pipe-1`; `a-lead-2` is in no pipeline.
fn on_patch() -> Vec<Case> {
    let on = |name: &str, body: Value| patch(format!("D6 PATCH {name}"), "a-lead-1", body);
    let none = |name: &str, body: Value| patch(format!("D6 PATCH in no pipeline, {name}"), "a-lead-2", body);
    let mut cases = vec![
        placed(on("other fields leave the stage alone", json!({"name": "Bo"})), "a-pipe-1", "a-stage-11"),
        placed(on("stage only", json!({"stage_id": "a-stage-15"})), "a-pipe-1", "a-stage-15"),
        placed(on("stage only, of another pipeline", json!({"stage_id": "a-stage-02"})), "a-pipe-0", "a-stage-02"),
        placed(
            on("a different pipeline: its first stage", json!({"pipeline_id": "a-pipe-0"})),
            "a-pipe-0",
            "a-stage-01",
        ),
        placed(
            on("the same pipeline again: the stage stays", json!({"pipeline_id": "a-pipe-1"})),
            "a-pipe-1",
            "a-stage-11",
        ),
        placed(
            on("both matching", json!({"pipeline_id": "a-pipe-2", "stage_id": "a-stage-21"})),
            "a-pipe-2",
            "a-stage-21",
        ),
        placed(
            on("both matching, the same pipeline", json!({"pipeline_id": "a-pipe-1", "stage_id": "a-stage-19"})),
            "a-pipe-1",
            "a-stage-19",
        ),
        on("both, not matching", json!({"pipeline_id": "a-pipe-1", "stage_id": "a-stage-21"})).is(400).says(OTHER),
        on(
            "both, not matching, although the stage is the lead's",
            json!({"pipeline_id": "a-pipe-2", "stage_id": "a-stage-11"}),
        )
        .is(400)
        .says(OTHER),
        placed(none("stage only", json!({"stage_id": "a-stage-15"})), "a-pipe-1", "a-stage-15"),
        placed(none("pipeline only", json!({"pipeline_id": "a-pipe-1"})), "a-pipe-1", "a-stage-19"),
        placed(none("other fields", json!({"name": "Bo"})), Value::Null, Value::Null),
        on("unknown pipeline", json!({"pipeline_id": "nobody", "name": "Bo"})).is(400).says(PIPELINE),
        on("unknown stage", json!({"stage_id": "nobody", "name": "Bo"})).is(400).says(STAGE),
        on("pipeline of another business", json!({"pipeline_id": "b-pipe-1"})).is(400).says(PIPELINE),
        on("stage of another business", json!({"stage_id": "b-stage-1"})).is(400).says(STAGE),
        on("own pipeline, foreign stage", json!({"pipeline_id": "a-pipe-1", "stage_id": "b-stage-1"}))
            .is(400)
            .says(STAGE),
        on("both foreign", json!({"pipeline_id": "b-pipe-1", "stage_id": "b-stage-1"}))
            .is(400)
            .says(PIPELINE)
            .says(STAGE),
        on("ids that cannot exist", json!({"stage_id": "a b"})).is(400).says(STAGE),
    ];
    for blank in [Value::Null, json!(""), json!(" ")] {
        for body in [
            json!({"pipeline_id": blank}),
            json!({"stage_id": blank}),
            json!({"pipeline_id": blank, "stage_id": blank}),
            json!({"pipeline_id": null, "stage_id": blank}),
        ] {
            let name = format!("null for either: both become null {body}");
            cases.push(placed(on(&name, body.clone()), Value::Null, Value::Null));
            cases.push(placed(none(&name, body), Value::Null, Value::Null));
        }
        let (stage, pipeline) = (
            json!({"pipeline_id": blank, "stage_id": "a-stage-11"}),
            json!({"pipeline_id": "a-pipe-1", "stage_id": blank}),
        );
        cases.push(on(&format!("one null, the other a value {stage}"), stage).is(400).says("pipeline_id"));
        cases.push(on(&format!("one null, the other a value {pipeline}"), pipeline).is(400).says("stage_id"));
    }
    cases.push(
        on("one null, the other unknown: step 6 is before step 7", json!({"pipeline_id": null, "stage_id": "nobody"}))
            .is(400)
            .says("pipeline_id"),
    );
    cases
}

//! Isolation of two businesses (contract 1, 5 and D2). Neither business can find out whether a record of the other
//! exists.

use serde_json::{Value, json};

use crate::conformance::{
    report::Stop,
    request::TestRequest,
    run::{CreatedLead, Run},
    sender::path_of,
    target::Role::{Both, OtherBusiness},
};

/// The subject of the requirement, a request, and the expected status.
type Probe<'r> = (&'static str, TestRequest<'r>, u16);

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({"name": "Isolated"})).await;
    let (foreign, absent) = (leads(run, &lead), leads(run, &Ok(run.absent_id())));
    alike(run, "D2", "a lead of another business", foreign.into_iter().zip(absent)).await;
    run.check("D2", "a lead of another business is unchanged", async {
        run.token(OtherBusiness)?;
        run.get_lead(&lead).expect_status(200).await?.has_members(&json!({"name": "Isolated"}))
    })
    .await;
    for (name, path) in [("leads", "/leads"), ("pipelines", "/pipelines"), ("client accounts", "/clients")] {
        run.check("1", format!("no {name} of another business are listed"), apart(run, path)).await;
    }
    let theirs = lead_of_other_business(run).await;
    let (own, absent_id) = (run.target.client_id.as_str(), run.absent_id());
    let (foreign, absent) = (client_accounts(run, &theirs, own), client_accounts(run, &theirs, &absent_id));
    alike(run, "5", "a client account of another business", foreign.into_iter().zip(absent)).await;
    stages(run, &theirs).await;
    run.check("4", "a token gives access only to the client accounts of its business", async {
        run.post(&run.new_lead(&json!({}))).with_token(OtherBusiness).expect_refusal(403, &["client_id"]).await
    })
    .await;
    run.check("5", "a token creates leads in its own business", async {
        run.get_lead(&theirs).with_token(OtherBusiness).expect_status(200).await?;
        run.get_lead(&theirs).with_token(Both).expect_status(404).await
    })
    .await;
}

/// Expects the same response bytes for a record of another business and for a record that does not exist.
async fn alike<'r>(
    run: &Run<'_>,
    section: &'static str,
    record: &str,
    probes: impl Iterator<Item = (Probe<'r>, Probe<'r>)>,
) {
    for ((name, foreign, status), (_, absent, _)) in probes {
        let sentence = format!("{record}: {name} is {status}, byte for byte the same as for a nonexistent one");
        run.check(section, sentence, async {
            let absent = absent.with_token(OtherBusiness).expect_status(status).await?;
            foreign.with_token(OtherBusiness).expect_status(status).await?.equals(&absent)
        })
        .await;
    }
}

async fn lead_of_other_business(run: &Run<'_>) -> CreatedLead {
    let new = run.new_lead(&json!({"client_id": run.target.other_business()?.client}));
    Ok(run.post(&new).with_token(OtherBusiness).expect_status(201).await?.text("id").to_owned())
}

/// Returns a stage of each of the two businesses. If the target names no stage of a business, returns an absent id
/// instead.
fn stages_of_both(run: &Run<'_>) -> [String; 2] {
    let own = run.target.pipeline().map_or_else(|_| run.absent_id(), |(_, first, _)| first.to_owned());
    let other = run.target.other_business().map_or_else(|_| run.absent_id(), |other| other.stage.clone());
    [own, other]
}

fn leads<'r>(run: &'r Run<'_>, lead: &CreatedLead) -> Vec<Probe<'r>> {
    let patch = |body: Value| run.patch(lead, &body);
    let [own, other] = stages_of_both(run);
    let with_query = lead.as_deref().map(path_of).unwrap_or_default() + "?x=1";
    vec![
        ("GET", run.get_lead(lead), 404),
        ("HEAD", run.request_lead("HEAD", lead), 404),
        ("PATCH", patch(json!({"name": "Taken"})), 404),
        ("PATCH with its stage", patch(json!({"stage_id": own})), 404),
        ("PATCH with a stage of the token's business", patch(json!({"stage_id": other})), 404),
        ("PATCH of client_id", patch(json!({"client_id": run.target.client_id})), 400),
        ("DELETE", run.delete(lead), 404),
        ("PUT", run.request_lead("PUT", lead), 405),
        ("GET with an unknown parameter", run.get(with_query).stopped(lead.clone().err()), 400),
    ]
}

fn client_accounts<'r>(run: &'r Run<'_>, theirs: &CreatedLead, id: &str) -> Vec<Probe<'r>> {
    let [own, other] = stages_of_both(run);
    let new = run.new_lead(&json!({"client_id": id}));
    let key = format!("{}/isolated", run.name);
    vec![
        ("the filter", run.get(format!("/leads?client_id={id}")), 403),
        ("the filter with a stage", run.get(format!("/leads?client_id={id}&stage_id={other}")), 403),
        ("the filter with its stage", run.get(format!("/leads?stage_id={own}&client_id={id}")), 403),
        ("POST", run.post(&new), 403),
        ("POST with a key", run.post(&new).header("idempotency-key", key), 403),
        ("PATCH", run.patch(theirs, &json!({"client_id": id})), 400),
    ]
}

/// Checks that no response reveals whether a stage of another business belongs to a pipeline of that business.
async fn stages(run: &Run<'_>, theirs: &CreatedLead) {
    let never = || json!(run.absent_id());
    let ids = || -> Result<_, Stop> {
        let ((pipeline, stage, other_stage), (second, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        let other = run.target.other_business()?;
        Ok(vec![
            ("a stage of another business", json!({"stage_id": stage}), json!({"stage_id": never()})),
            (
                "a stage of another business other than the first",
                json!({"stage_id": other_stage}),
                json!({"stage_id": never()}),
            ),
            ("a pipeline of another business", json!({"pipeline_id": pipeline}), json!({"pipeline_id": never()})),
            (
                "a pipeline of another business with one of its stages",
                json!({"pipeline_id": pipeline, "stage_id": stage}),
                json!({"pipeline_id": never(), "stage_id": never()}),
            ),
            (
                "a pipeline of another business with a stage of its other pipeline",
                json!({"pipeline_id": second, "stage_id": stage}),
                json!({"pipeline_id": never(), "stage_id": never()}),
            ),
            (
                "a stage of another business with a pipeline of the token's business",
                json!({"pipeline_id": other.pipeline, "stage_id": stage}),
                json!({"pipeline_id": other.pipeline, "stage_id": never()}),
            ),
            (
                "a pipeline of another business with a stage of the token's business",
                json!({"pipeline_id": pipeline, "stage_id": other.stage}),
                json!({"pipeline_id": never(), "stage_id": other.stage}),
            ),
        ])
    };
    let ids = match ids() {
        Ok(ids) => ids,
        Err(stop) => {
            let sentence =
                "pipelines and stages of another business are 400, byte for byte the same as nonexistent ones";
            return run.check("D6", sentence, async { Err::<(), _>(stop) }).await;
        }
    };
    for (name, foreign, absent) in ids {
        let client = run.target.other_business().map(|other| other.client.clone()).unwrap_or_default();
        let post = |more: &Value| {
            let mut new = run.new_lead(&json!({"client_id": client}));
            if let (Some(new), Some(more)) = (new.as_object_mut(), more.as_object()) {
                new.extend(more.clone());
            }
            ("POST", run.post(&new), 400)
        };
        let patch = |more: &Value| ("PATCH", run.patch(theirs, more), 400);
        let probes = [(post(&foreign), post(&absent)), (patch(&foreign), patch(&absent))];
        alike(run, "D6", name, probes.into_iter()).await;
    }
    let filter = |id: String| ("the filter", run.get(format!("/leads?stage_id={id}")), 400);
    let [own, _] = stages_of_both(run);
    alike(run, "D3", "a stage of another business", [(filter(own), filter(run.absent_id()))].into_iter()).await;
}

/// Expects that no record appears in the lists of both businesses.
async fn apart(run: &Run<'_>, path: &str) -> Result<(), Stop> {
    let theirs = run.get(format!("{path}?limit=200")).with_token(OtherBusiness).expect_status(200).await?;
    let ours = run.get(format!("{path}?limit=200")).expect_status(200).await?;
    let both: Vec<&Value> = ours.data().iter().filter(|record| theirs.data().contains(record)).collect();
    let holds = both.is_empty();
    theirs.ensure(holds, "no record that the other business also lists")?;
    Ok(())
}

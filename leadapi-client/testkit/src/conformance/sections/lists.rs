//! The contents and order of lists (contract 2.3, 4 and D3).

use serde_json::{Value, json};

use crate::conformance::{report::Stop, response::CheckedResponse, run::Run};

/// The maximum number of pages that the suite reads from one list.
const MOST_PAGES: u64 = 20;

pub(super) async fn check(run: &Run<'_>) {
    leads(run).await;
    filters(run).await;
    order(run).await;
}

async fn leads(run: &Run<'_>) {
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(run.create_lead(&json!({})).await);
    }
    let made: Result<Vec<String>, Stop> = made.into_iter().collect();
    run.check("D3", "leads are listed by created_at descending, then by id descending", async {
        let made = made.clone()?;
        let list = run.get("/leads?limit=200").expect_status(200).await?;
        let keys: Vec<_> = list.data().iter().map(|lead| (text(lead, "created_at"), text(lead, "id"))).collect();
        let holds = keys.is_sorted_by(|a, b| a > b) && made.iter().all(|id| list.ids().contains(id));
        list.ensure(holds, format!("the newest leads first, including {}", made.join(", ")))
    })
    .await;
    run.check("D3", "the pages of a list add up to the whole list", async {
        made.clone()?;
        let list = run.get("/leads?limit=4").expect_status(200).await?;
        let mut ids = run.get("/leads?limit=1").expect_status(200).await?.ids();
        let rest = run.get("/leads?limit=3&offset=1").expect_status(200).await?;
        ids.extend(rest.ids());
        rest.ensure(ids == list.ids(), format!("the rest of {}", list.ids().join(", ")))
    })
    .await;
    run.check("D3", "total is the number of all leads, on every page", async {
        made.clone()?;
        let all = all(run, "/leads").await?;
        let page = run.get("/leads?limit=1&offset=2").expect_status(200).await?;
        page.has_members(&json!({"total": all.len(), "limit": 1, "offset": 2}))
    })
    .await;
    run.check("D3", "an offset past the end is 200 with no data and the correct total", async {
        let total = run.get("/leads?limit=1").expect_status(200).await?.number("total");
        let past = json!({"data": [], "total": total, "limit": 50, "offset": total + 1000});
        run.get(format!("/leads?offset={}", total + 1000)).expect_status(200).await?.has_json(&past)
    })
    .await;
    run.check("D3", "total changes with creates and deletes", async {
        let total =
            async || -> Result<u64, Stop> { Ok(run.get("/leads?limit=1").expect_status(200).await?.number("total")) };
        let before = total().await?;
        let id = run.create_lead(&json!({})).await;
        let made = id.clone()?;
        let more = run.get("/leads?limit=200").expect_status(200).await?;
        let holds = more.ids().contains(&made) && more.number("total") == before + 1;
        more.ensure(holds, format!("the new lead {made}, and a total of {}", before + 1))?;
        run.delete(&id).expect_status(204).await?;
        let less = run.get("/leads?limit=1").expect_status(200).await?;
        less.has_members(&json!({"total": before}))
    })
    .await;
}

async fn filters(run: &Run<'_>) {
    let own = run.target.client_id.as_str();
    let mine = run.create_lead(&json!({})).await;
    run.check("4", "the client_id filter returns leads of this client account only", async {
        let mine = mine.clone()?;
        let list = run.get(format!("/leads?limit=200&client_id={own}")).expect_status(200).await?;
        let holds = list.ids().contains(&mine) && list.data().iter().all(|lead| text(lead, "client_id") == own);
        list.ensure(holds, format!("only leads of {own}, including {mine}"))
    })
    .await;
    run.check("4", "the client_id filter returns no lead of another client account", async {
        let (mine, second) = (mine.clone()?, run.target.second_client()?);
        let list = run.get(format!("/leads?limit=200&client_id={second}")).expect_status(200).await?;
        let holds = !list.ids().contains(&mine) && list.data().iter().all(|lead| text(lead, "client_id") == second);
        list.ensure(holds, format!("only leads of {second}"))
    })
    .await;
    run.check("D3", "total counts the filtered leads", async {
        let path = format!("/leads?client_id={own}");
        let count = all(run, &path).await?.len();
        run.get(format!("{path}&limit=1")).expect_status(200).await?.has_members(&json!({"total": count}))
    })
    .await;
    run.check("4", "the stage_id filter returns leads in this stage only", async {
        let (_, first, other) = run.target.pipeline()?;
        let id = run.create_lead(&json!({"stage_id": other})).await?;
        let list = run.get(format!("/leads?limit=200&stage_id={other}")).expect_status(200).await?;
        let holds = list.ids().contains(&id) && list.data().iter().all(|lead| text(lead, "stage_id") == other);
        list.ensure(holds, format!("only leads in {other}, including {id}"))?;
        let list = run.get(format!("/leads?limit=200&stage_id={first}")).expect_status(200).await?;
        let holds = !list.ids().contains(&id);
        list.ensure(holds, format!("no lead in {other}"))
    })
    .await;
    run.check("D3", "filters are combined with AND", async {
        let ((_, _, stage), second) = (run.target.pipeline()?, run.target.second_client()?);
        let here = run.create_lead(&json!({"stage_id": stage})).await?;
        let there = run.create_lead(&json!({"stage_id": stage, "client_id": second})).await?;
        let list = run.get(format!("/leads?limit=200&stage_id={stage}&client_id={own}")).expect_status(200).await?;
        let holds = list.ids().contains(&here)
            && !list.ids().contains(&there)
            && !mine.clone().is_ok_and(|mine| list.ids().contains(&mine));
        list.ensure(holds, format!("{here}, but neither {there} nor a lead outside the stage"))
    })
    .await;
    run.check("D3", "a lead that moves to another stage or is deleted leaves the list of its stage", async {
        let (_, first, other) = run.target.pipeline()?;
        let made = run.create_lead(&json!({"stage_id": first})).await;
        run.patch(&made, &json!({"stage_id": other})).expect_status(200).await?;
        let (id, list) =
            (made.clone()?, run.get(format!("/leads?limit=200&stage_id={first}")).expect_status(200).await?);
        let holds = !list.ids().contains(&id);
        list.ensure(holds, format!("a list of the stage without {id}"))?;
        run.delete(&made).expect_status(204).await?;
        let list = run.get(format!("/leads?limit=200&stage_id={other}")).expect_status(200).await?;
        let holds = !list.ids().contains(&id);
        list.ensure(holds, format!("a list of the stage without the deleted lead {id}"))
    })
    .await;
}

async fn order(run: &Run<'_>) {
    run.check("D3", "pipelines are listed oldest first, then by id", async {
        let list = run.get("/pipelines?limit=200").expect_status(200).await?;
        let holds = list.data().is_sorted_by_key(|pipeline| (text(pipeline, "created_at"), text(pipeline, "id")));
        list.ensure(holds, "the oldest pipeline first")
    })
    .await;
    run.check("D2", "stages are listed by position, from 1 to n", async {
        let list = run.get("/pipelines?limit=200").expect_status(200).await?;
        let holds = list.data().iter().all(|pipeline| {
            let stages = pipeline.get("stages").and_then(Value::as_array).into_iter().flatten();
            stages.zip(1_u64..).all(|(stage, nth)| stage.get("position").and_then(Value::as_u64) == Some(nth))
        });
        list.ensure(holds, "stages at positions 1 to n, in order")
    })
    .await;
    run.check("2.2", "the pipelines of the business are listed, with their stages", async {
        let (pipeline, first, other) = run.target.pipeline()?;
        let list = run.get("/pipelines?limit=200").expect_status(200).await?;
        let found = list.data().iter().find(|record| text(record, "id") == pipeline);
        let stages: Vec<&str> = found
            .and_then(|pipeline| pipeline.get("stages").and_then(Value::as_array))
            .into_iter()
            .flatten()
            .map(|stage| text(stage, "id"))
            .collect();
        let holds = stages.first() == Some(&first) && stages.contains(&other);
        list.ensure(holds, format!("{pipeline} with the stages {first} and {other}"))
    })
    .await;
    run.check("D3", "client accounts are listed by name (code points), then by id", async {
        let list = run.get("/clients?limit=200").expect_status(200).await?;
        let holds = list.data().is_sorted_by_key(|client| (text(client, "name"), text(client, "id")));
        list.ensure(holds, "client accounts sorted by the code points of their names")
    })
    .await;
    run.check("2.2", "the client accounts of the business are listed", async {
        let list = run.get("/clients?limit=200").expect_status(200).await?;
        let holds = list.ids().contains(&run.target.client_id);
        list.ensure(holds, format!("a list that contains {}", run.target.client_id))
    })
    .await;
    for path in ["/pipelines", "/clients"] {
        run.check("D3", format!("the pages of {path} add up to the whole list, and each states its total"), async {
            let list = run.get(format!("{path}?limit=200")).expect_status(200).await?;
            let first = run.get(format!("{path}?limit=1")).expect_status(200).await?;
            let rest = run.get(format!("{path}?limit=199&offset=1")).expect_status(200).await?;
            let joined = [first.data(), rest.data()].concat();
            let holds = joined == list.data() && rest.number("total") == list.data().len() as u64;
            rest.ensure(holds, format!("all but the first of {}", list.ids().join(", ")))
        })
        .await;
    }
}

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the ids on all pages of a list. Skips the requirement if the list is too long.
async fn all(run: &Run<'_>, path: &str) -> Result<Vec<String>, Stop> {
    let with = if path.contains('?') { '&' } else { '?' };
    let mut ids = Vec::new();
    for page in 0..MOST_PAGES {
        let list: CheckedResponse =
            run.get(format!("{path}{with}limit=200&offset={}", page * 200)).expect_status(200).await?;
        if list.data().is_empty() {
            return Ok(ids);
        }
        ids.extend(list.ids());
    }
    Err(Stop::Skipped(format!("the business has more than {} leads", MOST_PAGES * 200)))
}

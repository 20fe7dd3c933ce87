//! Query strings (contract D3): a parameter must be known, not repeated and not empty.

use serde_json::json;

use crate::testkit::conformance::run::Run;

const LIMIT: &str = "limit must be an integer from 1 to 200";
const OFFSET: &str = "offset must be an integer from 0 to 9007199254740991";

pub(super) async fn check(run: &Run<'_>) {
    for list in ["/leads", "/pipelines", "/clients"] {
        windows(run, list).await;
    }
    parameters(run).await;
    references(run).await;
}

async fn windows(run: &Run<'_>, list: &str) {
    run.check("8", format!("limit is 50 and offset 0 unless given: {list}"), async {
        run.get(list).answers(200).await?.shows(&json!({"limit": 50, "offset": 0}))
    })
    .await;
    run.check("D3", format!("limit may be 1 to 200: {list}"), async {
        run.get(format!("{list}?limit=1")).answers(200).await?.shows(&json!({"limit": 1}))?;
        run.get(format!("{list}?limit=200")).answers(200).await?.shows(&json!({"limit": 200}))
    })
    .await;
    for bad in ["0", "201", "-1", "1.0", "x", "%201"] {
        run.check("D3", format!("any other limit is 400 and names the range: {list}?limit={bad}"), async {
            run.get(format!("{list}?limit={bad}")).answers(400).await?.blames(LIMIT)
        })
        .await;
    }
    run.check("D3", format!("offset may be 2^53-1: {list}"), async {
        let far = json!({"data": [], "offset": 9_007_199_254_740_991_u64});
        run.get(format!("{list}?offset=9007199254740991")).answers(200).await?.shows(&far)
    })
    .await;
    for bad in ["9007199254740992", "-1", "x"] {
        run.check("D3", format!("any other offset is 400 and names the range: {list}?offset={bad}"), async {
            run.get(format!("{list}?offset={bad}")).answers(400).await?.blames(OFFSET)
        })
        .await;
    }
}

async fn parameters(run: &Run<'_>) {
    let never = run.never();
    let lead = Ok(never.clone());
    for (path, allowed) in [
        ("/leads", ["client_id", "stage_id", "limit", "offset"].as_slice()),
        ("/pipelines", &["limit", "offset"]),
        ("/clients", &["limit", "offset"]),
    ] {
        run.check(
            "D3",
            format!("an unknown parameter is 400 and names itself and those that are allowed: GET {path}"),
            async {
                let answer = run.get(format!("{path}?page=2")).answers(400).await?.blames("page")?;
                allowed.iter().try_fold(answer, |answer, name| answer.says(name))
            },
        )
        .await;
        run.check("D3", format!("a repeated parameter is 400: GET {path}"), async {
            run.get(format!("{path}?limit=1&limit=1")).answers(400).await?.blames("limit")
        })
        .await;
        for (name, rule) in [("limit", LIMIT), ("offset", OFFSET)] {
            let about =
                format!("an empty parameter is 400, with its rule and those that are allowed: GET {path}?{name}=");
            run.check("D3", about, async {
                let answer = run.get(format!("{path}?{name}=")).answers(400).await?.blames(rule)?;
                allowed.iter().try_fold(answer, |answer, name| answer.says(name))
            })
            .await;
        }
    }
    for (name, ask) in [
        ("POST /leads", run.ask("POST", "/leads?x=1").json(&run.new_lead(&json!({})))),
        ("GET /leads/{id}", run.get(format!("/leads/{never}?x=1"))),
        ("PATCH /leads/{id}", run.ask("PATCH", format!("/leads/{never}?x=1")).json(&json!({"name": "Ann"}))),
        ("DELETE /leads/{id}", run.ask("DELETE", format!("/leads/{never}?x=1"))),
    ] {
        run.check("D3", format!("an unknown parameter is 400: {name}"), async { ask.answers(400).await?.blames("x") })
            .await;
    }
    run.check("D3", "a parameter in another case is unknown", run.get("/leads?Limit=2").answers(400)).await;
    run.check("D3", "an empty query is none", async {
        run.about("GET", &lead).answers(404).await?;
        run.get(format!("/leads/{never}?")).answers(404).await
    })
    .await;
}

async fn references(run: &Run<'_>) {
    let never = run.never();
    run.check("D3", "the filter client_id that nobody has is 403", async {
        run.get(format!("/leads?client_id={never}")).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("D4", "the filter client_id that cannot exist is 403", async {
        run.get("/leads?client_id=a%20b").answers(403).await?.blames("client_id")
    })
    .await;
    run.check("4", "the filter client_id of another business is 403", async {
        let foreign = &run.target.other_business()?.client;
        run.get(format!("/leads?client_id={foreign}")).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("D3", "the filter stage_id that nobody has is 400", async {
        run.get(format!("/leads?stage_id={never}")).answers(400).await?.blames("stage_id")
    })
    .await;
    run.check("D3", "the filter stage_id of another business is 400", async {
        let foreign = &run.target.other_business()?.stage;
        run.get(format!("/leads?stage_id={foreign}")).answers(400).await?.blames("stage_id")
    })
    .await;
}

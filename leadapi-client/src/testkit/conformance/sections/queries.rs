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
        run.get(list).expect_status(200).await?.has_members(&json!({"limit": 50, "offset": 0}))
    })
    .await;
    run.check("D3", format!("limit may be 1 to 200: {list}"), async {
        run.get(format!("{list}?limit=1")).expect_status(200).await?.has_members(&json!({"limit": 1}))?;
        run.get(format!("{list}?limit=200")).expect_status(200).await?.has_members(&json!({"limit": 200}))
    })
    .await;
    for bad in ["0", "201", "-1", "1.0", "x", "%201"] {
        run.check("D3", format!("any other limit is 400 and names the range: {list}?limit={bad}"), async {
            run.get(format!("{list}?limit={bad}")).expect_status(400).await?.error_starts_with(LIMIT)
        })
        .await;
    }
    run.check("D3", format!("offset may be 2^53-1: {list}"), async {
        let far = json!({"data": [], "offset": 9_007_199_254_740_991_u64});
        run.get(format!("{list}?offset=9007199254740991")).expect_status(200).await?.has_members(&far)
    })
    .await;
    for bad in ["9007199254740992", "-1", "x"] {
        run.check("D3", format!("any other offset is 400 and names the range: {list}?offset={bad}"), async {
            run.get(format!("{list}?offset={bad}")).expect_status(400).await?.error_starts_with(OFFSET)
        })
        .await;
    }
}

async fn parameters(run: &Run<'_>) {
    let absent_id = run.absent_id();
    let lead = Ok(absent_id.clone());
    for (path, allowed) in [
        ("/leads", ["client_id", "stage_id", "limit", "offset"].as_slice()),
        ("/pipelines", &["limit", "offset"]),
        ("/clients", &["limit", "offset"]),
    ] {
        run.check(
            "D3",
            format!("an unknown parameter is 400, and the message names it and the allowed ones: GET {path}"),
            async {
                let response = run.get(format!("{path}?page=2")).expect_status(400).await?.error_starts_with("page")?;
                allowed.iter().try_fold(response, |response, name| response.error_contains(name))
            },
        )
        .await;
        run.check("D3", format!("a repeated parameter is 400: GET {path}"), async {
            run.get(format!("{path}?limit=1&limit=1")).expect_status(400).await?.error_starts_with("limit")
        })
        .await;
        for (name, rule) in [("limit", LIMIT), ("offset", OFFSET)] {
            let about = format!(
                "an empty parameter is 400, and the message has its rule and the allowed ones: GET {path}?{name}="
            );
            run.check("D3", about, async {
                let response = run.get(format!("{path}?{name}=")).expect_status(400).await?.error_starts_with(rule)?;
                allowed.iter().try_fold(response, |response, name| response.error_contains(name))
            })
            .await;
        }
    }
    for (name, ask) in [
        ("POST /leads", run.request("POST", "/leads?x=1").json(&run.new_lead(&json!({})))),
        ("GET /leads/{id}", run.get(format!("/leads/{absent_id}?x=1"))),
        ("PATCH /leads/{id}", run.request("PATCH", format!("/leads/{absent_id}?x=1")).json(&json!({"name": "Ann"}))),
        ("DELETE /leads/{id}", run.request("DELETE", format!("/leads/{absent_id}?x=1"))),
    ] {
        run.check("D3", format!("an unknown parameter is 400: {name}"), async {
            ask.expect_status(400).await?.error_starts_with("x")
        })
        .await;
    }
    run.check("D3", "a parameter in another case is unknown", run.get("/leads?Limit=2").expect_status(400)).await;
    run.check("D3", "an empty query is ignored", async {
        run.request_lead("GET", &lead).expect_status(404).await?;
        run.get(format!("/leads/{absent_id}?")).expect_status(404).await
    })
    .await;
}

async fn references(run: &Run<'_>) {
    let absent_id = run.absent_id();
    run.check("D3", "the filter client_id with an unknown id is 403", async {
        run.get(format!("/leads?client_id={absent_id}")).expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("D4", "the filter client_id with a malformed id is 403", async {
        run.get("/leads?client_id=a%20b").expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("4", "the filter client_id of another business is 403", async {
        let foreign = &run.target.other_business()?.client;
        run.get(format!("/leads?client_id={foreign}")).expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("D3", "the filter stage_id with an unknown id is 400", async {
        run.get(format!("/leads?stage_id={absent_id}")).expect_status(400).await?.error_starts_with("stage_id")
    })
    .await;
    run.check("D3", "the filter stage_id of another business is 400", async {
        let foreign = &run.target.other_business()?.stage;
        run.get(format!("/leads?stage_id={foreign}")).expect_status(400).await?.error_starts_with("stage_id")
    })
    .await;
}

//! The order of checks (contract D1): the first check that fails decides the response.

use serde_json::json;

use crate::testkit::conformance::{
    run::Run,
    target::Role::{Read, Revoked, Write},
};

pub(super) async fn check(run: &Run<'_>) {
    let never = run.never();
    let lead = Ok(never.clone());
    run.check("D1", "the path before the token", run.get("/contacts").by_nobody().answers(404)).await;
    run.check("D1", "the path before a token that is no good", run.get("/contacts").by(Revoked).answers(404)).await;
    run.check("D1", "the path before the method", async {
        run.ask("BREW", "/contacts").answers(404).await?.lacks("allow")
    })
    .await;
    run.check("D1", "the method before the token", run.ask("PUT", "/leads").by_nobody().answers(405)).await;
    run.check("D1", "the token before the query", async {
        run.get("/leads?limit=0").by_nobody().answers(401).await?.keeps_silent_on("limit")
    })
    .await;
    run.check("D1", "the token before the body", async {
        run.ask("POST", "/leads").text("{").by_nobody().answers(401).await?.keeps_silent_on("JSON")
    })
    .await;
    run.check("D1", "the token before the lead", run.get_lead(&lead).by_nobody().answers(401)).await;
    run.check("D1", "the scope before the query", async {
        run.get("/leads?limit=0").by(Write).answers(403).await?.keeps_silent_on("limit")
    })
    .await;
    run.check("D1", "the scope before the body", async {
        run.ask("POST", "/leads").text("{").by(Read).answers(403).await?.keeps_silent_on("JSON")
    })
    .await;
    run.check("D1", "the scope before the headers", async {
        run.post(&json!({})).header("idempotency-key", "a b").by(Read).answers(403).await
    })
    .await;
    run.check("D1", "the scope before the lead", run.delete(&lead).by(Read).answers(403)).await;
    run.check("D1", "the query before the lead", async {
        run.get(format!("/leads/{never}?x=1")).answers(400).await?.blames("x")
    })
    .await;
    run.check("D1", "the query before the client account", async {
        run.get(format!("/leads?client_id={never}&limit=0"))
            .answers(400)
            .await?
            .blames("limit")?
            .keeps_silent_on("client_id")
    })
    .await;
    run.check("D1", "the query before the stage", async {
        run.get(format!("/leads?stage_id={never}&offset=-1")).answers(400).await?.blames("offset")
    })
    .await;
    run.check("D1", "the body before the lead", async {
        run.patch(&lead, &json!({"nmae": "Ann"})).answers(400).await?.blames("nmae")
    })
    .await;
    run.check("D1", "the body before the client account", async {
        run.post(&json!({"client_id": never})).answers(400).await?.blames("name")?.keeps_silent_on("client_id")
    })
    .await;
    run.check("D1", "the headers before the client account", async {
        let create = run.post(&run.new_lead(&json!({"client_id": never}))).header("idempotency-key", "a b");
        create.answers(400).await?.blames("Idempotency-Key")
    })
    .await;
    run.check("D1", "the client account before pipeline and stage", async {
        let foreign = json!({"client_id": never, "pipeline_id": never, "stage_id": never});
        run.post(&run.new_lead(&foreign)).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("D1", "the client account before the stage in filters", async {
        run.get(format!("/leads?stage_id={never}&client_id={never}")).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("D1", "the lead before pipeline and stage", async {
        run.patch(&lead, &json!({"stage_id": never})).answers(404).await?.says("no such lead")
    })
    .await;
}

//! The order of checks (contract D1): the first check that fails decides the response.

use serde_json::json;

use crate::conformance::{
    run::Run,
    target::Role::{Read, Revoked, Write},
};

pub(super) async fn check(run: &Run<'_>) {
    let absent_id = run.absent_id();
    let lead = Ok(absent_id.clone());
    run.check("D1", "the path is checked before the token", run.get("/contacts").without_token().expect_status(404))
        .await;
    run.check(
        "D1",
        "the path is checked before an invalid token",
        run.get("/contacts").with_token(Revoked).expect_status(404),
    )
    .await;
    run.check("D1", "the path is checked before the method", async {
        run.request("BREW", "/contacts").expect_status(404).await?.lacks_header("allow")
    })
    .await;
    run.check(
        "D1",
        "the method is checked before the token",
        run.request("PUT", "/leads").without_token().expect_status(405),
    )
    .await;
    run.check("D1", "the token is checked before the query", async {
        run.get("/leads?limit=0").without_token().expect_status(401).await?.body_omits("limit")
    })
    .await;
    run.check("D1", "the token is checked before the body", async {
        run.request("POST", "/leads").text("{").without_token().expect_status(401).await?.body_omits("JSON")
    })
    .await;
    run.check("D1", "the token is checked before the lead", run.get_lead(&lead).without_token().expect_status(401))
        .await;
    run.check("D1", "the scope is checked before the query", async {
        run.get("/leads?limit=0").with_token(Write).expect_status(403).await?.body_omits("limit")
    })
    .await;
    run.check("D1", "the scope is checked before the body", async {
        run.request("POST", "/leads").text("{").with_token(Read).expect_status(403).await?.body_omits("JSON")
    })
    .await;
    run.check("D1", "the scope is checked before the headers", async {
        run.post(&json!({})).header("idempotency-key", "a b").with_token(Read).expect_status(403).await
    })
    .await;
    run.check("D1", "the scope is checked before the lead", run.delete(&lead).with_token(Read).expect_status(403))
        .await;
    before_records(run).await;
}

/// Expects the service to check the query, the headers and the body first, and then the records in the contract's
/// order.
async fn before_records(run: &Run<'_>) {
    let absent_id = run.absent_id();
    let lead = Ok(absent_id.clone());
    run.check("D1", "the query is checked before the lead", async {
        run.get(format!("/leads/{absent_id}?x=1")).expect_status(400).await?.error_starts_with("x")
    })
    .await;
    run.check("D1", "the query is checked before the client account", async {
        run.get(format!("/leads?client_id={absent_id}&limit=0"))
            .expect_status(400)
            .await?
            .error_starts_with("limit")?
            .body_omits("client_id")
    })
    .await;
    run.check("D1", "the query is checked before the stage", async {
        run.get(format!("/leads?stage_id={absent_id}&offset=-1")).expect_status(400).await?.error_starts_with("offset")
    })
    .await;
    run.check("D1", "the body is checked before the lead", async {
        run.patch(&lead, &json!({"nmae": "Ann"})).expect_status(400).await?.error_starts_with("nmae")
    })
    .await;
    run.check("D1", "the body is checked before the client account", async {
        run.post(&json!({"client_id": absent_id}))
            .expect_status(400)
            .await?
            .error_starts_with("name")?
            .body_omits("client_id")
    })
    .await;
    run.check("D1", "the headers are checked before the client account", async {
        let create = run.post(&run.new_lead(&json!({"client_id": absent_id}))).header("idempotency-key", "a b");
        create.expect_status(400).await?.error_starts_with("Idempotency-Key")
    })
    .await;
    run.check("D1", "the client account is checked before pipeline and stage", async {
        let foreign = json!({"client_id": absent_id, "pipeline_id": absent_id, "stage_id": absent_id});
        run.post(&run.new_lead(&foreign)).expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("D1", "the client account is checked before the stage in filters", async {
        run.get(format!("/leads?stage_id={absent_id}&client_id={absent_id}"))
            .expect_status(403)
            .await?
            .error_starts_with("client_id")
    })
    .await;
    run.check("D1", "the lead is checked before pipeline and stage", async {
        run.patch(&lead, &json!({"stage_id": absent_id})).expect_status(404).await?.error_contains("no such lead")
    })
    .await;
    run.check("D1", "the lead is checked before a stage of another pipeline", async {
        let ((_, _, stage), (pipeline, _)) = (run.target.pipeline()?, run.target.second_pipeline()?);
        let patch = json!({"stage_id": stage, "pipeline_id": pipeline});
        run.patch(&lead, &patch).expect_refusal(404, &["", "no such lead"]).await
    })
    .await;
    run.check("D1", "the method is checked before the token and the lead", async {
        run.request_lead("POST", &lead).without_token().expect_status(405).await
    })
    .await;
    run.check("D1", "the token is checked before the lead, whether or not the lead exists", async {
        run.get_lead(&run.create_lead(&json!({})).await)
            .without_token()
            .expect_status(401)
            .await?
            .body_omits("lead")?;
        run.get_lead(&lead).without_token().expect_status(401).await?.body_omits("lead")
    })
    .await;
    run.check("D1", "the scope is checked before the query of a DELETE", async {
        run.request("DELETE", format!("/leads/{absent_id}?x=1")).with_token(Read).expect_status(403).await
    })
    .await;
    run.check("D1", "the JSON is checked before the lead", async {
        run.request_lead("PATCH", &lead).text("{").expect_refusal(400, &["", "JSON"]).await
    })
    .await;
    run.check("D1", "each corrected fault reveals the next check", async {
        let send = |method, path: &str| run.request(method, path).text("{");
        send("POST", "/lead").without_token().expect_status(404).await?;
        send("PUT", "/leads").without_token().expect_status(405).await?;
        send("POST", "/leads").without_token().expect_status(401).await?;
        send("POST", "/leads").with_token(Read).expect_status(403).await?;
        send("POST", "/leads").expect_status(400).await?;
        run.post(&run.new_lead(&json!({"client_id": absent_id}))).expect_status(403).await?;
        run.post(&run.new_lead(&json!({}))).expect_status(201).await
    })
    .await;
}

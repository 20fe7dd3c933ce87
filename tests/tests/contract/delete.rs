//! Deleting and fetching one lead (contract 4 and D2).

use leadapi_tests::{Case, Token, delete, everywhere, get, run_table};

#[tokio::test]
async fn delete_and_get_follow_the_contract() {
    run_table(cases()).await;
}

fn cases() -> Vec<Case> {
    vec![
        delete("D2 204 without a body and without Content-Type", "a-lead-1").lacks("content-type"),
        delete("4 a record that does not exist gives 404", "nobody").is(404).blames("id").says("no such lead"),
        delete("4 a record that is not visible to the business gives 404", "b-lead-1").is(404).says("no such lead"),
        delete("4 the business of the token decides", "a-lead-1").token(Token::B).is(404).says("no such lead"),
        delete("D5 a body on DELETE is ignored", "a-lead-1").text("{ no JSON"),
        delete("D5 a body on DELETE is ignored, whatever its type", "a-lead-1")
            .text("x")
            .content_type(Some("text/plain")),
        delete("D10 on other operations the header is ignored", "a-lead-1")
            .header("idempotency-key", "")
            .lacks("idempotency-replayed"),
        get("4 fetch one lead", "/leads/a-lead-2").at("/id", "a-lead-2"),
        get("4 a record that does not exist gives 404 on GET", "/leads/nobody")
            .is(404)
            .blames("id")
            .says("no such lead"),
        get("4 a record that is not visible gives 404 on GET", "/leads/b-lead-1").is(404).says("no such lead"),
        get("D5 a body on GET is ignored", "/leads/a-lead-2").text("{ no JSON").at("/id", "a-lead-2"),
        get("D5 a body on GET is ignored, whatever its type", "/leads").text("x").content_type(Some("image/png")),
        get("D10 on other operations the header is ignored on GET", "/leads").header("idempotency-key", "a b"),
    ]
}

#[tokio::test]
async fn a_deleted_lead_is_gone_from_totals_and_filters() {
    everywhere("D2 a deleted lead is as one that never existed", async |live| {
        live.send(delete("D2 delete", "a-lead-1")).await;
        let gone = live.send(delete("D2 delete again", "a-lead-1").is(404)).await;
        let never = live.send(delete("D2 never existed", "nobody").is(404)).await;
        assert_eq!(gone.bytes(), never.bytes());
        live.send(get("D3 the total", "/leads").at("/total", 5)).await;
        live.send(get("D3 the filters", "/leads?stage_id=a-stage-11").at("/total", 1)).await;
    })
    .await;
}

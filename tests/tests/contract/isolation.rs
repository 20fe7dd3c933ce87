//! Isolation of two businesses (contract 1, 5.6 and D2): for each, the records of the other do not exist.

use leadapi_tests::{Case, Live, Token, delete, everywhere, get, head, patch, post, request};
use serde_json::json;

/// Checks that B gets the same bytes for a record of A as for one that never existed.
async fn alike(live: &Live, foreign: Case, never: Case) {
    let name = foreign.name.clone();
    let foreign = live.send(foreign.token(Token::B)).await;
    let never = live.send(never.token(Token::B)).await;
    assert_eq!(foreign.bytes(), never.bytes(), "{name}");
}

#[tokio::test]
async fn foreign_leads_look_like_unknown_ones() {
    everywhere(
        "D2 a lead that exists in another business: 404, the same bytes as for an id that never existed",
        async |live| {
            for id in ["a-lead-1", "a-lead-2", "a%2Fb%3Fc%25"] {
                let path = |id: &str| format!("/leads/{id}");
                for case in [
                    |id: &str| get("D2 GET", format!("/leads/{id}")).is(404),
                    |id: &str| head("D2 HEAD", format!("/leads/{id}")).is(404),
                    |id: &str| delete("D2 DELETE", id).is(404),
                    |id: &str| patch("D2 PATCH", id, json!({"name": "Max"})).is(404),
                    |id: &str| patch("D2 PATCH of the stage", id, json!({"stage_id": "b-stage-1"})).is(404),
                    |id: &str| patch("D2 PATCH to a foreign stage", id, json!({"stage_id": "a-stage-11"})).is(404),
                    |id: &str| patch("D2 PATCH that is no good", id, json!({"client_id": "a-client-1"})).is(400),
                    |id: &str| get("D2 GET with a query", format!("/leads/{id}?x=1")).is(400),
                    |id: &str| request("D2 PUT", "PUT", format!("/leads/{id}")).is(405),
                ] {
                    alike(live, case(id), case("never")).await;
                }
                live.send(get("D2 it is still there for its own business", path(id)).token(Token::Both)).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn foreign_client_accounts_look_like_unknown_ones() {
    everywhere("5.7 client_id of another business: 403, alike for one that never existed", async |live| {
        for id in ["a-client-1", "a-client-2", "a-client-3", "a-client-4"] {
            for case in [
                |id: &str| get("D3 filter", format!("/leads?client_id={id}")).is(403),
                |id: &str| get("D3 both filters", format!("/leads?client_id={id}&stage_id=b-stage-1")).is(403),
                |id: &str| {
                    get("D3 both filters, both foreign", format!("/leads?stage_id=a-stage-11&client_id={id}")).is(403)
                },
                |id: &str| post("4 POST", json!({"client_id": id, "name": "Max"})).is(403),
                |id: &str| {
                    post("4 POST with a key", json!({"client_id": id, "name": "Max"}))
                        .header("idempotency-key", "k")
                        .is(403)
                },
                |id: &str| patch("D5 PATCH", "b-lead-1", json!({"client_id": id})).is(400),
            ] {
                alike(live, case(id), case("never")).await;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn foreign_pipelines_and_stages_look_like_unknown_ones() {
    everywhere("D6 of another business: 400, alike for one that never existed", async |live| {
        let body = |field: &str, id: &str| {
            let mut body = json!({"client_id": "b-client-1", "name": "Max"});
            body[field] = id.into();
            body
        };
        for (field, ids) in [("stage_id", ["a-stage-11", "a-stage-19"]), ("pipeline_id", ["a-pipe-1", "a-pipe-2"])] {
            for id in ids {
                alike(live, post("D6 POST", body(field, id)).is(400), post("D6 POST", body(field, "never")).is(400))
                    .await;
                let change = |id: &str| patch("D6 PATCH", "b-lead-1", json!({field: id})).is(400);
                alike(live, change(id), change("never")).await;
            }
        }
        let both = |pipeline: &str, stage: &str| {
            patch("D6 both", "b-lead-1", json!({"pipeline_id": pipeline, "stage_id": stage})).is(400)
        };
        // The response must not reveal either whether a foreign stage belongs to a foreign pipeline.
        alike(live, both("a-pipe-1", "a-stage-11"), both("never", "never")).await;
        alike(live, both("a-pipe-2", "a-stage-11"), both("never", "never")).await;
        alike(live, both("b-pipe-1", "a-stage-11"), both("b-pipe-1", "never")).await;
        alike(live, both("a-pipe-1", "b-stage-1"), both("never", "b-stage-1")).await;
        let filter = |id: &str| get("D3 filter", format!("/leads?stage_id={id}")).is(400);
        alike(live, filter("a-stage-11"), filter("never")).await;
        alike(live, filter("a-stage-15"), filter("never")).await;
    })
    .await;
}

#[tokio::test]
async fn lists_and_totals_contain_only_the_own_business() {
    // The runner searches each response for data of the other business.
    everywhere("1 every request is limited to the client accounts of the business that owns the token", async |live| {
        for (token, total) in [(Token::B, [2, 1, 1]), (Token::Both, [6, 3, 4])] {
            for (path, total) in ["/leads", "/pipelines", "/clients"].into_iter().zip(total) {
                live.send(get("1 a list", path).token(token).at("/total", total)).await;
                live.send(get("1 a page of it", format!("{path}?limit=200&offset=1")).token(token).at("/total", total))
                    .await;
            }
        }
        for id in ["a-lead-1", "a-lead-2", "a-lead-3"] {
            live.send(delete("1 a lead of A goes", id)).await;
        }
        live.send(get("1 B's total does not change", "/leads").token(Token::B).at("/total", 2)).await;
        live.send(post("1 a lead of B comes", json!({"client_id": "b-client-1", "name": "Max"})).token(Token::B)).await;
        live.send(get("1 A's total does not change", "/leads").at("/total", 3)).await;
    })
    .await;
}

#[tokio::test]
async fn a_token_sees_only_its_own_business() {
    everywhere("5.6 a token is bound to one business", async |live| {
        let own = live.send(post("5.6 a new lead of A", json!({"client_id": "a-client-1", "name": "Ann"}))).await;
        let path = format!("/leads/{}", own.id());
        live.send(get("5.6 is seen by its own", path.clone()).token(Token::Read)).await;
        live.send(get("5.6 and not by the other", path).token(Token::B).is(404)).await;
    })
    .await;
}

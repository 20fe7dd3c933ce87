//! Tests the isolation of two businesses (contract 1) in lists and totals. The contract check covers requests for
//! single records.

use leadapi_tests::{Token, delete, everywhere, get, post};
use serde_json::json;

#[tokio::test]
async fn lists_and_totals_contain_only_data_of_the_business() {
    // The runner searches each response for the other business's data.
    everywhere("1 every request is limited to the client accounts of the business that owns the token", async |live| {
        for (token, total) in [(Token::B, [2, 1, 1]), (Token::Both, [6, 3, 4])] {
            for (path, total) in ["/leads", "/pipelines", "/clients"].into_iter().zip(total) {
                live.send(get("1 a list", path).token(token).at("/total", total)).await;
                live.send(
                    get("1 a page of the list", format!("{path}?limit=200&offset=1")).token(token).at("/total", total),
                )
                .await;
            }
        }
        for id in ["a-lead-1", "a-lead-2", "a-lead-3"] {
            live.send(delete("1 a lead of A is deleted", id)).await;
        }
        live.send(get("1 B's total does not change", "/leads").token(Token::B).at("/total", 2)).await;
        live.send(post("1 a lead of B is created", json!({"client_id": "b-client-1", "name": "Max"})).token(Token::B))
            .await;
        live.send(get("1 A's total does not change", "/leads").at("/total", 3)).await;
    })
    .await;
}

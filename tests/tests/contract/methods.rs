//! Tests the message of a 405 (contract D2), which repeats only a safe part of the method.

use leadapi_tests::{Token, request, run_table, secret};

#[tokio::test]
async fn a_405_names_the_method_but_shows_no_token() {
    let (long, token) = ("X".repeat(40), secret("m"));
    run_table(vec![
        request("D2 405 names the first 16 characters of a long method", &long, "/leads")
            .is(405)
            .says(format!("method {} is", "X".repeat(16))),
        request("D2 405 shows no token that was sent as the method", &token, "/leads")
            .token(Token::None)
            .is(405)
            .says("method OTHER is"),
    ])
    .await;
}

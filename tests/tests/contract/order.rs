//! Tests the position of the rate limit in the order of checks (contract D1). The contract check covers the order of
//! all other checks.

use leadapi_core::port::{Admission, Class, RateLimiter};
use leadapi_core::{BoxError, id::TokenId};
use leadapi_tests::{Token, delete, everywhere_with, get, post, request};
use serde_json::json;

/// A rate limiter that refuses every request.
struct Full;

#[async_trait::async_trait]
impl RateLimiter for Full {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        Ok(Admission::Refused { retry_after: std::time::Duration::from_millis(1) })
    }
}

#[tokio::test]
async fn the_rate_limit_is_checked_between_token_and_scope() {
    everywhere_with(
        "D1 the limit",
        |world| world.limiter(Full),
        async |live| {
            for case in [
                get("D1 the path is checked before the limit", "/forms").is(404),
                request("D1 the method is checked before the limit", "PUT", "/leads").is(405),
                get("D1 the token is checked before the limit", "/leads").token(Token::Expired).is(401),
                delete("D1 the limit is checked before the scope", "a-lead-1").token(Token::Read).is(429),
                get("D1 the limit is checked before the scope on GET", "/leads").token(Token::Write).is(429),
                get("D1 the limit is checked before the query", "/leads?x=1")
                    .is(429)
                    .says("rate limit")
                    .has("retry-after", "1"),
                post("D1 the limit is checked before the body", json!({})).is(429),
                get("D1 the limit is checked before the record", "/leads/nobody").is(429),
            ] {
                live.send(case).await;
            }
        },
    )
    .await;
}

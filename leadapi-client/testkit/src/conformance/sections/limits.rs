//! Rate limits (contract 8 and D9). These checks run last, because they use up a token's limits.
//!
//! The requirements are checked in order. The first check uses up the limit, and later checks rely on that.

use std::time::Duration;

use leadapi_core::http::Operation;
use serde_json::json;

use crate::conformance::{
    report::Stop,
    response::CheckedResponse,
    run::Run,
    target::Role::{Both, RateLimits},
};

const WRITES: u32 = 60;
const READS: u32 = 600;
/// The time from the last request until the rate-limit window is empty.
const WINDOW: Duration = Duration::from_secs(61);

pub(super) async fn check(run: &Run<'_>) {
    if !run.target.rate_limits {
        let unasked =
            async || Err::<(), _>(Stop::Skipped("the target does not enable the checks of rate limits".to_owned()));
        run.check("8", "a token may write 60 times in 60 s", unasked()).await;
        run.check("8", "a token may read 600 times in 60 s", unasked()).await;
        return;
    }
    writes(run).await;
    reads(run).await;
}

/// Sends a write request that changes nothing.
async fn write(run: &Run<'_>) -> Result<CheckedResponse, Stop> {
    run.delete(&Ok(run.absent_id())).with_token(RateLimits).send().await
}

async fn read(run: &Run<'_>) -> Result<CheckedResponse, Stop> {
    run.get("/clients?limit=1").with_token(RateLimits).send().await
}

async fn quiet(run: &Run<'_>, operation: Operation) -> Result<(), Stop> {
    run.token(RateLimits)?;
    run.wait(operation, WINDOW).await;
    Ok(())
}

async fn writes(run: &Run<'_>) {
    let absent_id = Ok(run.absent_id());
    run.check("8", "a token may write 60 times in 60 s", async {
        quiet(run, Operation::DeleteLead).await?;
        uncounted(run).await?;
        for nth in 1..=WRITES {
            let response = write(run).await?;
            let holds = response.status == 404;
            response.ensure(holds, format!("write {nth} of {WRITES} to be admitted and answered with 404"))?;
        }
        Ok(())
    })
    .await;
    run.check("8", "the 61st write is 429 with Retry-After in whole seconds, 1 to 60", async {
        let response = write(run).await?.has_status(429)?.error_contains("rate limit")?;
        let after = response.header("retry-after").and_then(|after| after.parse::<u64>().ok());
        response.ensure(matches!(after, Some(1..=60)), "Retry-After in whole seconds, 1 to 60")
    })
    .await;
    run.check("D9", "requests answered with 401, 405, 429 or a 404 for the path do not count", async {
        // The first check sent these requests before its 60 writes. All 60 writes were admitted, so these requests did
        // not count. Now that the limit is used up, the service must still answer them with 401, 404 or 405 instead of
        // 429.
        uncounted(run).await
    })
    .await;
    run.check("D9", "reads and writes are counted separately", async { read(run).await?.has_status(200) }).await;
    run.check("D9", "each token is counted separately", run.delete(&absent_id).with_token(Both).expect_status(404))
        .await;
    run.check("D1", "the rate limit is checked before the query, the body and the lead", async {
        run.request("DELETE", "/leads/x?x=1").with_token(RateLimits).expect_status(429).await?;
        run.request("POST", "/leads").text("{").with_token(RateLimits).expect_status(429).await?;
        run.patch(&absent_id, &json!({})).with_token(RateLimits).expect_status(429).await
    })
    .await;
    run.check("D9", "a request after Retry-After is admitted", async {
        let response = write(run).await?.has_status(429)?;
        let after = response.header("retry-after").and_then(|after| after.parse().ok()).unwrap_or(60);
        run.wait(Operation::DeleteLead, Duration::from_secs(after)).await;
        write(run).await?.has_status(404)
    })
    .await;
}

/// Sends requests that must not count. Requests with a token use the token whose limit is checked.
async fn uncounted(run: &Run<'_>) -> Result<(), Stop> {
    for _ in 0..3 {
        run.delete(&Ok(run.absent_id())).without_token().expect_status(401).await?;
        run.request("DELETE", "/contacts").with_token(RateLimits).expect_status(404).await?;
        run.request("DELETE", "/clients").with_token(RateLimits).expect_status(405).await?;
    }
    Ok(())
}

async fn reads(run: &Run<'_>) {
    run.check("8", "a token may read 600 times in 60 s, and HEAD is a read", async {
        quiet(run, Operation::ListClients).await?;
        for nth in 1..READS {
            let response = read(run).await?;
            let holds = response.status == 200;
            response.ensure(holds, format!("read {nth} of {READS} to be admitted and answered with 200"))?;
        }
        run.request("HEAD", "/clients").with_token(RateLimits).expect_status(200).await
    })
    .await;
    run.check("8", "the 601st read is 429 with Retry-After", async {
        let response = read(run).await?.has_status(429)?;
        let holds = response.headers.contains_key("retry-after");
        response.ensure(holds, "Retry-After")
    })
    .await;
}

//! Rate limits (contract 8 and D9). They come last, because they use up the limits of a token.
//!
//! The sentences depend on each other: the first one uses up the limit, and the next ones expect that.

use std::time::Duration;

use leadapi_core::http::Operation;
use serde_json::json;

use crate::testkit::conformance::{
    answer::Answer,
    report::Stop,
    run::Run,
    target::Role::{Both, RateLimits},
};

const WRITES: u32 = 60;
const READS: u32 = 600;
/// After this time without a request the window is empty.
const WINDOW: Duration = Duration::from_secs(61);

pub(super) async fn check(run: &Run<'_>) {
    if !run.target.rate_limits {
        let unasked =
            async || Err::<(), _>(Stop::Skipped("rate limits are checked only when that is asked for".to_owned()));
        run.check("8", "a token may write 60 times in 60 s", unasked()).await;
        run.check("8", "a token may read 600 times in 60 s", unasked()).await;
        return;
    }
    writes(run).await;
    reads(run).await;
}

/// Sends a write request that changes nothing.
async fn write(run: &Run<'_>) -> Result<Answer, Stop> {
    run.delete(&Ok(run.never())).by(RateLimits).send().await
}

async fn read(run: &Run<'_>) -> Result<Answer, Stop> {
    run.get("/clients?limit=1").by(RateLimits).send().await
}

async fn quiet(run: &Run<'_>, operation: Operation) -> Result<(), Stop> {
    run.token(RateLimits)?;
    run.wait(operation, WINDOW).await;
    Ok(())
}

async fn writes(run: &Run<'_>) {
    let never = Ok(run.never());
    run.check("8", "a token may write 60 times in 60 s", async {
        quiet(run, Operation::DeleteLead).await?;
        uncounted(run).await?;
        for nth in 1..=WRITES {
            let answer = write(run).await?;
            let is_so = answer.status == 404;
            answer.must(is_so, format!("write {nth} of {WRITES} to be admitted, and 404"))?;
        }
        Ok(())
    })
    .await;
    run.check("8", "the 61st write is 429 with Retry-After in whole seconds, 1 to 60", async {
        let answer = write(run).await?.has_status(429)?.says("rate limit")?;
        let after = answer.header("retry-after").and_then(|after| after.parse::<u64>().ok());
        answer.must(matches!(after, Some(1..=60)), "Retry-After in whole seconds, 1 to 60")
    })
    .await;
    run.check("D9", "401, unknown paths, 405 and the 429s themselves do not count", async {
        // These requests were also sent before the 60 writes, which were all admitted. Now that the limit is used up,
        // the path and the method are still checked first.
        uncounted(run).await
    })
    .await;
    run.check("D9", "reads and writes are counted apart", async { read(run).await?.has_status(200) }).await;
    run.check("D9", "each token is counted apart", run.delete(&never).by(Both).answers(404)).await;
    run.check("D1", "the rate limit before the query, the body and the lead", async {
        run.ask("DELETE", "/leads/x?x=1").by(RateLimits).answers(429).await?;
        run.ask("POST", "/leads").text("{").by(RateLimits).answers(429).await?;
        run.patch(&never, &json!({})).by(RateLimits).answers(429).await
    })
    .await;
    run.check("D9", "who waits for Retry-After is admitted", async {
        let answer = write(run).await?.has_status(429)?;
        let after = answer.header("retry-after").and_then(|after| after.parse().ok()).unwrap_or(60);
        run.wait(Operation::DeleteLead, Duration::from_secs(after)).await;
        write(run).await?.has_status(404)
    })
    .await;
}

/// Sends requests that must not count, with the token where it can be sent.
async fn uncounted(run: &Run<'_>) -> Result<(), Stop> {
    for _ in 0..3 {
        run.delete(&Ok(run.never())).by_nobody().answers(401).await?;
        run.ask("DELETE", "/contacts").by(RateLimits).answers(404).await?;
        run.ask("DELETE", "/clients").by(RateLimits).answers(405).await?;
    }
    Ok(())
}

async fn reads(run: &Run<'_>) {
    run.check("8", "a token may read 600 times in 60 s, and HEAD is a read", async {
        quiet(run, Operation::ListClients).await?;
        for nth in 1..READS {
            let answer = read(run).await?;
            let is_so = answer.status == 200;
            answer.must(is_so, format!("read {nth} of {READS} to be admitted, and 200"))?;
        }
        run.ask("HEAD", "/clients").by(RateLimits).answers(200).await
    })
    .await;
    run.check("8", "the 601st read is 429 with Retry-After", async {
        let answer = read(run).await?.has_status(429)?;
        let is_so = answer.headers.contains_key("retry-after");
        answer.must(is_so, "Retry-After")
    })
    .await;
}

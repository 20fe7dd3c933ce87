//! Tests of the rate limits (contract 8 and D9), with a manual clock.

use std::time::Duration;

use leadapi_tests::{Case, Live, Token, delete, everywhere, get, head, patch, post, request};
use serde_json::{Value, json};

/// Returns a write request that has no body and changes nothing.
fn write() -> Case {
    delete("D9 a write", "nobody").is(404)
}

fn read() -> Case {
    get("D9 a read", "/clients")
}

fn refused(case: Case, seconds: u64) -> Case {
    case.is(429).says("rate limit").has("retry-after", seconds.to_string())
}

/// Sends a case `count` times and expects the same status each time. Runs all checks only on the first and the last
/// response, because they are slow.
async fn times(count: usize, live: &Live, case: &Case) {
    let status = live.send(case.clone()).await.status;
    for nth in 2..count {
        assert_eq!(live.raw(live.request(case)).await.status, status, "{}: {nth}", case.name);
    }
    live.send(case.clone()).await;
}

#[tokio::test]
async fn a_token_may_read_600_times_per_minute() {
    everywhere("8 600 reads per minute per token", async |live| {
        times(600, live, &read()).await;
        live.send(refused(read(), 60)).await;
        live.send(head("D7 HEAD is counted as a read", "/leads").is(429).has("retry-after", "60")).await;
        live.send(write()).await;
        live.send(read().token(Token::Spare)).await;
        live.send(read().token(Token::B)).await;
        live.world.wait(59);
        live.send(refused(read(), 1)).await;
        live.world.wait(1);
        times(600, live, &read()).await;
        live.send(refused(read(), 60)).await;
    })
    .await;
}

#[tokio::test]
async fn a_token_may_write_60_times_per_minute() {
    everywhere("8 60 writes per minute per token", async |live| {
        times(60, live, &write()).await;
        live.send(refused(write(), 60)).await;
        live.send(refused(patch("8 PATCH is a write", "a-lead-1", json!({"name": "Bo"})), 60)).await;
        live.send(refused(post("8 POST is a write", json!({"client_id": "a-client-1", "name": "Ann"})), 60)).await;
        live.send(read()).await;
        live.send(write().token(Token::Spare)).await;
        live.send(write().token(Token::B)).await;
        live.world.wait(60);
        live.send(write()).await;
    })
    .await;
}

#[tokio::test]
async fn head_counts_as_a_read() {
    everywhere("D7 HEAD is counted as a read", async |live| {
        times(599, live, &head("D7 a HEAD", "/clients")).await;
        live.send(read()).await;
        live.send(refused(read(), 60)).await;
    })
    .await;
}

#[tokio::test]
async fn every_authenticated_request_counts() {
    everywhere("D9 all requests that pass the token check count", async |live| {
        let bad = [
            request("D9 a 400 counts", "POST", "/leads").text("{").is(400),
            post("D9 a 403 for a client account counts", json!({"client_id": "b-client-1", "name": "Ann"})).is(403),
            patch("D9 a 404 counts", "nobody", json!({"name": "Bo"})).is(404),
            post("D9 a 400 for a reference counts", json!({"client_id": "a-client-1", "name": "Ann", "stage_id": "x"}))
                .is(400),
            request("D9 a 400 for the query counts", "DELETE", "/leads/a-lead-1?x=1").is(400),
        ];
        for case in bad.iter().cycle().take(60) {
            live.send(case.clone()).await;
        }
        live.send(refused(write(), 60)).await;
        times(60, live, &write().token(Token::Read).is(403)).await;
        live.send(refused(write().token(Token::Read), 60)).await;
        live.send(read().token(Token::Read)).await;
    })
    .await;
}

#[tokio::test]
async fn requests_rejected_by_path_method_token_or_limit_do_not_count() {
    everywhere("D9 these requests do not count: 401, unknown paths, 405, and the 429s themselves", async |live| {
        times(70, live, &get("D9 an unknown path", "/contacts").is(404)).await;
        times(70, live, &request("D9 an unknown path on POST", "POST", "/contacts").is(404)).await;
        times(70, live, &request("D9 a method that no path supports", "PUT", "/leads").is(405)).await;
        times(70, live, &request("D9 POST to a path that does not support it", "POST", "/clients").is(405)).await;
        times(70, live, &write().token(Token::None).is(401)).await;
        times(70, live, &write().token(Token::Revoked).is(401)).await;
        times(70, live, &write().token(Token::Expired).is(401)).await;
        times(60, live, &write()).await;
        times(70, live, &refused(write(), 60)).await;
        live.world.wait(60);
        times(60, live, &write()).await;
        live.send(refused(write(), 60)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_limit_is_exact_for_100_concurrent_requests() {
    everywhere("D9 the limit is exact even for 100 concurrent requests", async |live| {
        let request = live.request(&write().token(Token::Write));
        let sent: Vec<_> = (0..100)
            .map(|_| {
                let (live, request) = (live.clone(), request.clone());
                tokio::spawn(async move { live.raw(request).await })
            })
            .collect();
        let mut statuses = Vec::new();
        for answer in sent {
            statuses.push(answer.await.unwrap().status.as_u16());
        }
        let admitted = statuses.iter().filter(|status| **status == 404).count();
        let refused = statuses.iter().filter(|status| **status == 429).count();
        assert_eq!((admitted, refused), (60, 40), "D9 the limit is exact even for 100 concurrent requests");
    })
    .await;
}

#[tokio::test]
async fn a_replay_counts_as_a_write() {
    everywhere("D9 a replay counts like any write", async |live| {
        let case = post("D10 a keyed create", json!({"client_id": "a-client-1", "name": "Ann"}))
            .header("idempotency-key", "k");
        times(60, live, &case).await;
        live.send(refused(case, 60)).await;
        live.send(get("D10 there is one more lead", "/leads").at("/total", 7)).await;
    })
    .await;
}

#[tokio::test]
async fn no_60_second_window_admits_more_than_60_writes() {
    everywhere("D9 no half-open interval of 60 s admits more than 60 writes", async |live| {
        times(30, live, &write()).await;
        live.world.wait(30);
        times(30, live, &write()).await;
        live.send(refused(write(), 30)).await;
        // At this point a fixed window would restart, and a token bucket would be half full.
        live.world.wait(30);
        times(30, live, &write()).await;
        live.send(refused(write(), 30)).await;
        live.world.wait(29);
        live.send(refused(write(), 1)).await;
        live.world.wait(1);
        times(30, live, &write()).await;
        live.send(refused(write(), 30)).await;
    })
    .await;
}

#[tokio::test]
async fn retry_after_is_rounded_up_to_whole_seconds() {
    everywhere("D2 Retry-After is rounded up to whole seconds, 1 to 60", async |live| {
        times(60, live, &write()).await;
        for (at, seconds) in [(1, 60), (999, 60), (1000, 59), (1001, 59), (58_999, 2), (59_000, 1), (59_999, 1)] {
            let elapsed = live.world.clock.elapsed();
            live.world.clock.advance(Duration::from_millis(at).saturating_sub(elapsed));
            live.send(refused(write(), seconds)).await;
        }
        live.world.clock.advance(Duration::from_millis(1));
        live.send(write()).await;
    })
    .await;
}

#[tokio::test]
async fn a_caller_that_sends_steadily_at_the_limit_is_never_refused() {
    everywhere("D9 a caller that sends steadily at exactly the limit is not refused", async |live| {
        for _ in 0..200 {
            live.send(write()).await;
            live.world.wait(1);
        }
    })
    .await;
}

#[tokio::test]
async fn a_caller_that_waits_for_retry_after_is_admitted() {
    everywhere("D9 a caller that waits for Retry-After and is the only user of its token is admitted", async |live| {
        for step in 0..150_u64 {
            let answer = live.raw(live.request(&write())).await;
            if answer.status == 429 {
                live.world.wait(answer.header("retry-after").unwrap().parse().unwrap());
                live.send(write()).await;
            }
            live.world.clock.advance(Duration::from_millis(step * 37 % 400));
        }
    })
    .await;
}

#[tokio::test]
async fn no_rate_limit_headers_are_sent() {
    everywhere("8 no X-RateLimit-* headers are sent", async |live| {
        times(60, live, &write()).await;
        let answer = live.send(refused(write(), 60)).await;
        let names: Vec<&str> =
            answer.headers.keys().map(http::HeaderName::as_str).filter(|name| name.contains("limit")).collect();
        assert_eq!(names, Vec::<&str>::new());
        assert_eq!(answer.json()["data"], Value::Null);
    })
    .await;
}

//! Tests of safe retries of POST /leads (contract D10), over time and concurrently.

use std::sync::Arc;

use leadapi_tests::{Case, Live, TestResponse, everywhere, get, post};
use serde_json::{Value, json};

const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
const DAY: u64 = 24 * 60 * 60;

fn body() -> Value {
    json!({"client_id": "a-client-1", "name": "Ann", "email": "ann@example.org", "value": 450, "stage_id": "a-stage-19"})
}

fn keyed(name: &str, key: &str, body: Value) -> Case {
    post(name, body).header(KEY, key)
}

fn replay(name: &str, first: &TestResponse) -> Case {
    let case = keyed(name, "k", body()).body(first.json()).has(REPLAYED, "true");
    case.has("location", first.header("location").unwrap())
}

async fn first(live: &Live) -> TestResponse {
    live.send(keyed("D10 the first response", "k", body()).lacks(REPLAYED)).await
}

#[tokio::test]
async fn a_key_expires_after_24_hours() {
    everywhere("D10 a key is remembered for 24 h", async |live| {
        let first = first(live).await;
        live.world.wait(DAY - 1);
        live.send(replay("D10 one second before 24 h have passed", &first)).await;
        live.world.wait(2);
        let second = live.send(keyed("D10 one second after 24 h have passed", "k", body()).lacks(REPLAYED)).await;
        assert_ne!(first.id(), second.id());
        live.world.wait(DAY - 1);
        live.send(replay("D10 the new response is remembered for another 24 h", &second)).await;
        live.world.wait(2);
        let other = json!({"client_id": "a-client-2", "name": "Bo"});
        live.send(keyed("D10 after 24 h the key may be used with another body", "k", other).lacks(REPLAYED)).await;
    })
    .await;
}

#[tokio::test]
async fn a_replay_does_not_extend_the_24_hours() {
    everywhere("D10 a key is remembered for 24 h from the first response, even if it is replayed", async |live| {
        let first = first(live).await;
        for _ in 0..23 {
            live.world.wait(60 * 60);
            live.send(replay("D10 every hour", &first)).await;
        }
        live.world.wait(60 * 60 + 1);
        live.send(keyed("D10 a day later the key is new again", "k", body()).lacks(REPLAYED)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_creates_with_one_key_make_one_lead() {
    everywhere("D10 two concurrent requests with one key create one lead", async |live| {
        for round in 1..=10 {
            let start = Arc::new(tokio::sync::Barrier::new(8));
            let case = keyed("D10 two concurrent requests with one key create one lead", &format!("k{round}"), body());
            let twins: Vec<_> = (0..8)
                .map(|_| {
                    let (live, start, request) = (live.clone(), start.clone(), live.request(&case));
                    tokio::spawn(async move {
                        start.wait().await;
                        live.raw(request).await
                    })
                })
                .collect();
            let mut answers = Vec::new();
            for twin in twins {
                answers.push(twin.await.unwrap());
            }
            let fresh = answers.iter().filter(|answer| answer.header(REPLAYED).is_none()).count();
            assert_eq!(fresh, 1, "exactly one request creates the lead");
            assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
            live.send(get("D10 there is one more lead", "/leads").at("/total", 6 + round)).await;
            live.world.wait(60);
        }
    })
    .await;
}

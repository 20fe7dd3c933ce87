//! Safe retries of POST /leads (contract D10).

use std::sync::Arc;

use leadapi_tests::{Case, Live, TestResponse, Token, delete, everywhere, get, patch, post, request, run_table};
use serde_json::{Value, json};

const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
const DAY: u64 = 24 * 60 * 60;

#[tokio::test]
async fn keys_of_1_to_255_visible_characters_are_accepted() {
    run_table(keys()).await;
}

fn body() -> Value {
    json!({"client_id": "a-client-1", "name": "Ann", "email": "ann@example.org", "value": 450, "stage_id": "a-stage-19"})
}

fn keys() -> Vec<Case> {
    let new = |name: &str, key: &[u8]| post(name, body()).header(KEY, key);
    let (longest, too_long) = ("k".repeat(255), "k".repeat(256));
    let mut cases = vec![
        new("D10 one character", b"k").lacks(REPLAYED),
        new("D10 255 characters", longest.as_bytes()),
        new("D10 256 characters are 400", too_long.as_bytes()).is(400).blames("Idempotency-Key"),
        new("D10 every visible ASCII character", &(b'!'..=b'~').collect::<Vec<_>>()),
        new("D10 given twice", b"k").header(KEY, "k").is(400).blames("Idempotency-Key"),
        new("D10 given twice, one of them bad", b"k").header(KEY, "").is(400).blames("Idempotency-Key"),
    ];
    for bad in [&b""[..], b"a b", b"a\tb", b"\xc3\xa9", b"\xff"] {
        cases.push(
            new(&format!("D10 anything else is 400: {}", bad.escape_ascii()), bad).is(400).blames("Idempotency-Key"),
        );
    }
    cases
}

fn keyed(name: &str, key: &str, body: Value) -> Case {
    post(name, body).header(KEY, key)
}

fn replay(name: &str, first: &TestResponse) -> Case {
    let case = keyed(name, "k", body()).body(first.json()).has(REPLAYED, "true");
    case.has("location", first.header("location").unwrap())
}

async fn first(live: &Live) -> TestResponse {
    live.send(keyed("D10 the first answer", "k", body()).lacks(REPLAYED)).await
}

#[tokio::test]
async fn a_repeated_create_is_replayed_and_makes_no_second_lead() {
    everywhere("D10 the same key with the same body: the first answer again, and no second lead", async |live| {
        let first = first(live).await;
        for _ in 0..3 {
            live.world.wait(60);
            live.send(replay("D10 the same again", &first)).await;
        }
        live.send(get("D10 no second lead", "/leads").at("/total", 7)).await;
        live.send(replay("D10 per business: by another token of it", &first).token(Token::Spare)).await;
        live.send(replay("D10 per business: by a token that may only write", &first).token(Token::Write)).await;
    })
    .await;
}

#[tokio::test]
async fn the_same_key_with_another_body_is_400() {
    everywhere("D10 the same key with another body: 400", async |live| {
        let first = first(live).await;
        let mut other = body();
        other["name"] = json!("Bo");
        let mut foreign = body();
        foreign["client_id"] = json!("b-client-1");
        let mut stage = body();
        stage["stage_id"] = json!("nobody");
        let mut impossible_client = body();
        impossible_client["client_id"] = json!("no id");
        let mut impossible_stage = body();
        impossible_stage["stage_id"] = json!("no id");
        for (sentence, other) in [
            ("D10 another body", other),
            ("D10 a replay comes before the reference checks: a foreign client account", foreign),
            ("D10 a replay comes before the reference checks: an unknown stage", stage),
            ("D10 a replay comes before the reference checks: a client_id that cannot exist", impossible_client),
            ("D10 a replay comes before the reference checks: a stage_id that cannot exist", impossible_stage),
            ("D10 another body: a field less", json!({"client_id": "a-client-1", "name": "Ann"})),
        ] {
            live.send(keyed(sentence, "k", other).is(400).blames("Idempotency-Key").lacks(REPLAYED)).await;
        }
        live.send(keyed("D10 a body that is no good at all", "k", json!({})).is(400).says("name")).await;
        live.send(replay("D10 and the first is still remembered", &first)).await;
        live.send(keyed("D10 another key is another lead", "K", body()).lacks(REPLAYED)).await;
        live.send(get("D10 two leads in all", "/leads").at("/total", 8)).await;
    })
    .await;
}

#[tokio::test]
async fn bodies_are_compared_after_normalisation() {
    everywhere("D10 the body is compared after parsing and normalising", async |live| {
        let first = first(live).await;
        for (sentence, text) in [
            ("D10 order of keys", r#"{"stage_id":"a-stage-19","value":450,"email":"ann@example.org","name":"Ann","client_id":"a-client-1"}"#),
            ("D10 white space", "\n{ \"client_id\" : \"a-client-1\",\t\"name\":\"Ann\", \"email\":\"ann@example.org\", \"value\":450, \"stage_id\":\"a-stage-19\" }\n"),
            ("D10 escapes", r#"{"client_id":"a-client-1","name":"\u0041nn","email":"ann\u0040example.org","value":450,"stage_id":"a-stage-19"}"#),
            ("D10 the number", r#"{"client_id":"a-client-1","name":"Ann","email":"ann@example.org","value":4.5e2,"stage_id":"a-stage-19"}"#),
            ("D10 null is absent", r#"{"client_id":"a-client-1","name":"Ann","email":"ann@example.org","value":450,"stage_id":"a-stage-19","notes":null,"phone":""}"#),
            ("D10 trimmed", r#"{"client_id":"a-client-1","name":" Ann ","email":"ann@example.org\n","value":450,"stage_id":"a-stage-19"}"#),
        ] {
            let case = request(sentence, "POST", "/leads").text(text).header(KEY, "k").is(201);
            live.send(case.body(first.json()).has(REPLAYED, "true")).await;
        }
        live.send(get("D10 one lead", "/leads").at("/total", 7)).await;
    })
    .await;
}

#[tokio::test]
async fn a_replay_returns_the_first_response_after_changes() {
    everywhere(
        "D10 a replay answers the lead as it was first answered, even if it has changed or gone since",
        async |live| {
            let first = first(live).await;
            live.send(patch("D10 the lead changes", &first.id(), json!({"name": "Bo", "stage_id": null}))).await;
            live.send(replay("D10 as it was first answered, after a change", &first)).await;
            live.send(get("D10 the change stays", format!("/leads/{}", first.id())).at("/name", "Bo")).await;
            live.send(delete("D10 the lead goes", &first.id())).await;
            live.send(replay("D10 as it was first answered, after it went", &first)).await;
            live.send(get("D10 it stays gone", format!("/leads/{}", first.id())).is(404)).await;
            live.send(get("D10 no lead was made", "/leads").at("/total", 6)).await;
        },
    )
    .await;
}

#[tokio::test]
async fn a_key_expires_after_24_hours() {
    everywhere("D10 kept 24 h", async |live| {
        let first = first(live).await;
        live.world.wait(DAY - 1);
        live.send(replay("D10 a second less than 24 h later", &first)).await;
        live.world.wait(2);
        let second = live.send(keyed("D10 a second more than 24 h later", "k", body()).lacks(REPLAYED)).await;
        assert_ne!(first.id(), second.id());
        live.world.wait(DAY - 1);
        live.send(replay("D10 the new answer is kept 24 h again", &second)).await;
        live.world.wait(2);
        let other = json!({"client_id": "a-client-2", "name": "Bo"});
        live.send(keyed("D10 after 24 h the key may stand for another body", "k", other).lacks(REPLAYED)).await;
    })
    .await;
}

#[tokio::test]
async fn a_replay_does_not_extend_the_24_hours() {
    everywhere("D10 kept 24 h from the first answer, however often it is replayed", async |live| {
        let first = first(live).await;
        for _ in 0..23 {
            live.world.wait(60 * 60);
            live.send(replay("D10 every hour", &first)).await;
        }
        live.world.wait(60 * 60 + 1);
        live.send(keyed("D10 a day later", "k", body()).lacks(REPLAYED)).await;
    })
    .await;
}

#[tokio::test]
async fn failed_requests_do_not_use_up_the_key() {
    everywhere("D10 only successful creations are remembered", async |live| {
        for (sentence, bad, status) in [
            ("D10 not a 400", json!({"client_id": "a-client-1"}), 400),
            ("D10 not a 403", json!({"client_id": "b-client-1", "name": "Ann"}), 403),
            (
                "D10 not a 400 of a reference",
                json!({"client_id": "a-client-1", "name": "Ann", "stage_id": "nobody"}),
                400,
            ),
        ] {
            live.send(keyed(sentence, "k", bad).is(status)).await;
        }
        live.send(keyed("D10 not a 403 of the scope", "k", json!({})).token(Token::Read).is(403)).await;
        first(live).await;
    })
    .await;
}

#[tokio::test]
async fn businesses_do_not_share_keys() {
    everywhere("D10 kept per business", async |live| {
        let first = first(live).await;
        let own = json!({"client_id": "b-client-1", "name": "Ann"});
        let second = live
            .send(keyed("D10 the same key in another business", "k", own.clone()).token(Token::B).lacks(REPLAYED))
            .await;
        assert_ne!(first.id(), second.id());
        live.send(
            keyed("D10 which replays its own", "k", own).token(Token::B).body(second.json()).has(REPLAYED, "true"),
        )
        .await;
        live.send(keyed("D10 and cannot replay another's", "k", body()).token(Token::B).is(400)).await;
        live.send(replay("D10 and the first replays its own", &first)).await;
    })
    .await;
}

#[tokio::test]
async fn keys_are_compared_exactly() {
    everywhere("D10 a key is its characters", async |live| {
        for key in ["k", "K", "kk", "k.", "\"k\"", "%6b"] {
            live.send(keyed("D10 another key", key, body()).lacks(REPLAYED)).await;
        }
        live.send(get("D10 as many leads as keys", "/leads").at("/total", 12)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_creates_with_one_key_make_one_lead() {
    everywhere("D10 no second lead, also when the two arrive at once", async |live| {
        for round in 1..=10 {
            let start = Arc::new(tokio::sync::Barrier::new(8));
            let case = keyed("D10 no second lead, also when the two arrive at once", &format!("k{round}"), body());
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
            assert_eq!(fresh, 1, "exactly one request makes the lead");
            assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
            live.send(get("D10 one lead more", "/leads").at("/total", 6 + round)).await;
            live.world.wait(60);
        }
    })
    .await;
}

//! Tests that the cost of replaying a request does not grow with the cassette.

use std::time::{Duration, Instant};

use leadapi_client::{
    Client,
    model::{IdempotencyKey, NewLead},
};
use leadapi_testkit::cassette::Cassette;
use serde_json::{Value, json};

use crate::support::wait;

/// Returns a cassette with `entries` creates, each with its own key and email address.
fn cassette_of(entries: usize) -> Cassette {
    let lead = |nth: usize| {
        json!({"id": format!("id-{nth}"), "client_id": "c1", "name": "Ann", "email": format!("redacted-{nth}"),
            "created_at": "2100-01-01T00:00:00.000Z"})
    };
    let entry = |nth: usize| {
        let body = json!({"client_id": "c1", "name": "Ann", "email": format!("redacted-{nth}")});
        json!({
            "request": {"method": "POST", "url": "http://x/v1/leads", "postData": {"text": body.to_string()},
                "headers": [{"name": "idempotency-key", "value": format!("key-{nth}")}]},
            "response": {"status": 201, "content": {"text": lead(nth).to_string()}},
        })
    };
    let entries: Vec<Value> = (1..=entries).map(entry).collect();
    Cassette::parse(&json!({"log": {"entries": entries}}).to_string()).unwrap()
}

fn replayed(cassette: &Cassette) -> Duration {
    let transport = cassette.transport();
    let client: Client = transport.client().unwrap();
    let start = Instant::now();
    for nth in 0..cassette.len() {
        let new = NewLead::new(&"c1".parse().unwrap(), "Ann").email(format!("{nth}@example.com"));
        let create = client.leads().create(&new).idempotency_key(IdempotencyKey::parse(&format!("row-{nth}")).unwrap());
        assert_eq!(wait(create).unwrap().email, new.email);
    }
    let took = start.elapsed();
    transport.verify().unwrap();
    took / u32::try_from(cassette.len()).unwrap()
}

#[test]
fn the_cost_of_a_request_does_not_depend_on_the_length_of_the_cassette() {
    let (short, long) = (cassette_of(500), cassette_of(10_000));
    for cassette in [[&short, &long], [&short.clone().any_order(), &long.clone().any_order()]] {
        // Take the best of three runs, so a busy machine does not fail the test.
        let [short, long] = cassette.map(|cassette| (0..3).map(|_| replayed(cassette)).min().unwrap());
        println!("{short:?} per request with 500 entries, {long:?} with 10,000");
        assert!(long < short * 8, "{short:?} per request with 500 entries, {long:?} with 10,000");
    }
}

//! Tests of the ids and timestamps of new leads (contract D2 and D4).

use std::time::Duration;

use leadapi_core::id::LeadId;
use leadapi_tests::{World, everywhere, everywhere_with, get, patch, post};
use serde_json::{Value, json};

fn minimal() -> Value {
    json!({"client_id": "a-client-1", "name": "Ann"})
}

#[tokio::test]
async fn location_escapes_special_characters_of_an_id() {
    for (id, escaped) in [
        ("x/y?z%", "x%2Fy%3Fz%25"),
        ("..", ".."),
        ("%2F", "%252F"),
        ("a#b&c=d+e", "a%23b%26c%3Dd%2Be"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("~!$'()*,;:@[]", "~%21%24%27%28%29%2A%2C%3B%3A%40%5B%5D"),
    ] {
        let ids = |world: World| world.ids(move |_| LeadId::parse(id).unwrap());
        everywhere_with("D4 a host can supply its own source of ids", ids, async |live| {
            let created = live.send(post("D4 a host can supply its own source of ids", minimal())).await;
            let location = created.header("location").unwrap();
            let segment = location.strip_prefix(&format!("{}/leads/", live.via.public())).unwrap();
            assert_eq!((created.id().as_str(), segment), (id, escaped));
            live.send(get("D2 Location is the path of the lead", format!("/leads/{segment}")).body(created.json()))
                .await;
            live.send(
                patch("D2 the path also works for PATCH", segment, json!({"name": "Bo"})).at("/id", created.id()),
            )
            .await;
        })
        .await;
    }
}

#[tokio::test]
async fn generated_ids_are_uuid_v7() {
    everywhere_with("D4 the service generates UUIDv7", World::own_ids, async |live| {
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(live.send(post("D4 a lower-case UUIDv7", minimal())).await.id());
        }
        for id in &ids {
            let groups: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(groups, [8, 4, 4, 4, 12], "{id}");
            assert!(
                id.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)),
                "{id}"
            );
            assert_eq!((&id[14..15], "89ab".contains(&id[19..20])), ("7", true), "{id}");
            // The first 48 bits are the time of the service's clock.
            assert!(id.starts_with("019df1fe-aa24-7"), "{id}");
        }
        ids.dedup();
        assert_eq!(ids.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn created_at_is_the_clock_in_milliseconds() {
    everywhere("D4 timestamps are RFC 3339 in UTC with Z and exactly three fractional digits", async |live| {
        for (nanos, moment) in [
            (996_000_000, "2026-05-04T07:58:13.000Z"),
            (120_400_000, "2026-05-04T07:58:13.120Z"),
            (46_879_599_999, "2026-05-04T07:58:59.999Z"),
            (600_000, "2026-05-04T07:59:00.000Z"),
        ] {
            live.world.clock.advance(Duration::from_nanos(nanos));
            live.send(post("D4 created_at is the time of the clock", minimal()).at("/created_at", moment)).await;
        }
        let created = live.send(post("D4 a lead", minimal())).await;
        live.world.wait(3600);
        let changed = patch("D2 PATCH does not change created_at", &created.id(), json!({"name": "Bo"}));
        live.send(changed.at("/created_at", created.json()["created_at"].clone())).await;
    })
    .await;
}

//! Creating a lead (contract 4, D2, D4 and D5).

use std::time::Duration;

use leadapi_core::id::LeadId;
use leadapi_tests::{Case, START, Token, World, everywhere, everywhere_with, get, patch, post, request, run_table};
use serde_json::{Value, json};

#[tokio::test]
async fn responses_follow_the_contract() {
    run_table([made(), refused()].concat()).await;
}

fn minimal() -> Value {
    json!({"client_id": "a-client-1", "name": "Ann"})
}

fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut body = minimal();
    body[field] = value.into();
    body
}

fn made() -> Vec<Case> {
    let bare = json!({
        "id": "new-1", "client_id": "a-client-1", "name": "Ann", "email": null, "phone": null, "source": null,
        "notes": null, "value": null, "pipeline_id": null, "stage_id": null, "business_name": null, "created_at": START,
    });
    let full = json!({
        "client_id": "a-client-2", "name": "Zoë Ødegård", "email": "Zoe@Example.org", "phone": "(030) 12/34",
        "source": "ads", "notes": "a\r\n\tb", "value": 99.95, "pipeline_id": "a-pipe-1", "stage_id": "a-stage-15",
        "business_name": "Ødegård AS",
    });
    let mut whole = full.clone();
    whole["id"] = json!("new-1");
    whole["created_at"] = json!(START);
    let nulls = json!({
        "client_id": "a-client-1", "name": "Ann", "email": null, "phone": null, "source": null, "notes": null,
        "value": null, "pipeline_id": null, "stage_id": null, "business_name": null,
    });
    let blanks = json!({
        "client_id": "a-client-1", "name": "Ann", "email": "", "phone": "  ", "source": "\t", "notes": "\r\n ",
        "pipeline_id": "", "stage_id": "\u{a0}", "business_name": "\u{3000}",
    });
    vec![
        post("D2 201 with Location and the full lead, bare; unset is null", minimal())
            .has("location", "{public}/leads/new-1")
            .body(bare.clone()),
        post("D2 a lead with every field", full).has("location", "{public}/leads/new-1").body(whole),
        post("D5 null is absent", nulls).body(bare.clone()),
        post("D4 blanks in optional fields are null", blanks).body(bare.clone()),
        post("D10 without the header nothing is replayed", minimal()).lacks("idempotency-replayed"),
        request("D5 white space around the object", "POST", "/leads")
            .text(" \r\n\t{\"name\":\"Ann\",\"client_id\":\"a-client-1\"}\n ")
            .is(201)
            .body(bare.clone()),
        request("D5 escapes in keys and values", "POST", "/leads")
            .text(r#"{"n\u0061me":"\u0041nn","client_id":"a\u002dclient-1"}"#)
            .is(201)
            .body(bare),
        post("D4 a name of the same person twice", with("name", "Léa Canary-A")).at("/name", "Léa Canary-A"),
        post("2.1 the client account may be any of the business", with("client_id", "a-client-4"))
            .at("/client_id", "a-client-4"),
    ]
}

fn refused() -> Vec<Case> {
    let mut cases = vec![
        post("4 missing required fields give 400", json!({})).is(400).blames("client_id").says("; name"),
        post("4 a missing name", json!({"client_id": "a-client-1"})).is(400).blames("name"),
        post("4 a missing client_id", json!({"name": "Ann"})).is(400).blames("client_id"),
        post("D5 null is absent: name", with("name", Value::Null)).is(400).blames("name"),
        post("D5 null is absent: client_id", with("client_id", Value::Null)).is(400).blames("client_id"),
        post("4 a client_id outside the token's business is 403", with("client_id", "b-client-1"))
            .is(403)
            .blames("client_id"),
        post("D4 an unknown client_id is 403", with("client_id", "nobody")).is(403).blames("client_id"),
        post("D4 a client_id that cannot exist is 403: a blank", with("client_id", "a client"))
            .is(403)
            .blames("client_id"),
        post("D4 a client_id that cannot exist is 403: too long", with("client_id", "x".repeat(65)))
            .is(403)
            .blames("client_id"),
        post("D4 a client_id that cannot exist is 403: not ASCII", with("client_id", "é")).is(403).blames("client_id"),
        post("4 the business of the token decides", minimal()).token(Token::B).is(403).blames("client_id"),
        post("D5 id is set by the server", with("id", "x")).is(400).blames("id").says("server"),
        post("D5 id is set by the server, null or not", with("id", Value::Null)).is(400).blames("id").says("server"),
        post("D5 created_at is set by the server", with("created_at", START))
            .is(400)
            .blames("created_at")
            .says("server"),
    ];
    for (wrong, known) in [
        ("nmae", "name"),
        ("Name", "name"),
        ("e_mail", "email"),
        ("emial", "email"),
        ("Phone", "phone"),
        ("stageid", "stage_id"),
        ("pipeline", "pipeline_id"),
        ("clientId", "client_id"),
        ("business", "business_name"),
        ("vlaue", "value"),
        ("note", "notes"),
        ("soruce", "source"),
    ] {
        let name = format!("D5 an unknown field is named with the nearest known name: {wrong}");
        cases.push(post(name, with(wrong, "x")).is(400).blames(wrong).says(known));
    }
    for blank in ["", " ", "\t\n", "\u{a0}\u{2003}\u{3000}"] {
        for field in ["name", "client_id"] {
            cases.push(
                post(format!("D4 blanks in {field} are 400: {blank:?}"), with(field, blank)).is(400).blames(field),
            );
        }
    }
    for field in ["client_id", "name", "email", "phone", "source", "notes", "pipeline_id", "stage_id", "business_name"]
    {
        for wrong in [json!(1), json!(true), json!(["x"]), json!({"x": 1})] {
            let name = format!("D5 wrong type: {field} must be a string, not {wrong}");
            cases.push(post(name, with(field, wrong)).is(400).blames(field).says("string"));
        }
    }
    cases
}

#[tokio::test]
async fn a_created_lead_is_stored_and_location_points_to_it() {
    everywhere("D2 create, get, list, and the Location leads there", async |live| {
        let made = live.send(post("D2 create", json!({"client_id": "a-client-1", "name": "Ann", "value": 1.5}))).await;
        let got = live.send(get("D2 get", format!("/leads/{}", made.id())).body(made.json())).await;
        assert_eq!(got.body, made.body);
        let location = http::Request::get(made.header("location").unwrap())
            .header("authorization", format!("Bearer {}", Token::Both.secret().unwrap()))
            .body(bytes::Bytes::new())
            .unwrap();
        assert_eq!(live.raw(location).await.body, made.body);
    })
    .await;
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
        everywhere_with("D4 a host can supply another source of ids", ids, async |live| {
            let made = live.send(post("D4 a host can supply another source of ids", minimal())).await;
            let location = made.header("location").unwrap();
            let segment = location.strip_prefix(&format!("{}/leads/", live.via.public())).unwrap();
            assert_eq!((made.id().as_str(), segment), (id, escaped));
            live.send(get("D2 the Location leads there", format!("/leads/{segment}")).body(made.json())).await;
            live.send(patch("D2 also on PATCH", segment, json!({"name": "Bo"})).at("/id", made.id())).await;
        })
        .await;
    }
}

#[tokio::test]
async fn generated_ids_are_uuid_v7() {
    everywhere_with("D4 the service makes UUIDv7", World::own_ids, async |live| {
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(live.send(post("D4 UUIDv7, lower case", minimal())).await.id());
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
async fn the_same_person_twice_makes_two_leads() {
    everywhere("D4 no uniqueness", async |live| {
        let body =
            json!({"client_id": "a-client-1", "name": "Ann", "email": "ann@example.org", "phone": "+49 30 1234"});
        let first = live.send(post("D4 once", body.clone())).await.id();
        let second = live.send(post("D4 twice", body).lacks("idempotency-replayed")).await.id();
        assert_ne!(first, second);
        live.send(get("D4 both are there", "/leads").at("/total", 8)).await;
    })
    .await;
}

#[tokio::test]
async fn created_at_is_the_clock_in_milliseconds() {
    everywhere("D4 timestamps: RFC 3339, UTC, Z, exactly three fraction digits", async |live| {
        for (nanos, moment) in [
            (996_000_000, "2026-05-04T07:58:13.000Z"),
            (120_400_000, "2026-05-04T07:58:13.120Z"),
            (46_879_599_999, "2026-05-04T07:58:59.999Z"),
            (600_000, "2026-05-04T07:59:00.000Z"),
        ] {
            live.world.clock.advance(Duration::from_nanos(nanos));
            live.send(post("D4 created_at is the moment of the clock", minimal()).at("/created_at", moment)).await;
        }
    })
    .await;
}

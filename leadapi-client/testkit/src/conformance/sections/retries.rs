//! Safe retries of POST /leads (contract D10).

use std::{future::poll_fn, pin::Pin, task::Poll};

use serde_json::{Value, json};

use crate::conformance::{
    report::Stop,
    request::TestRequest,
    response::CheckedResponse,
    run::Run,
    target::Role::{OtherBusiness, Read, Write},
};

const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
/// The number of concurrent creates with the same key.
const TWINS: usize = 8;

pub(super) async fn check(run: &Run<'_>) {
    let body = run.new_lead(&json!({"email": "once@example.org", "value": 450}));
    let key = format!("{}/once", run.name);
    let first = keyed(run, &key, &body).expect_status(201).await;
    run.check("D10", "the first response to a key is not a replay", async { first.clone()?.lacks_header(REPLAYED) })
        .await;
    run.check(
        "D10",
        "the same key with the same body answers 201 with the first response, marked as replayed",
        async { replays(keyed(run, &key, &body).expect_status(201).await?, &first.clone()?) },
    )
    .await;
    run.check("D10", "a replay creates no second lead", async {
        let total = run.get("/leads?limit=1").expect_status(200).await?.number("total");
        first.clone()?;
        keyed(run, &key, &body).expect_status(201).await?;
        run.get("/leads?limit=1").expect_status(200).await?.has_members(&json!({"total": total}))
    })
    .await;
    run.check(
        "D10",
        "a key belongs to the business: another token of the business receives the same response",
        async { replays(keyed(run, &key, &body).with_token(Write).expect_status(201).await?, &first.clone()?) },
    )
    .await;
    run.check("D10", "a key belongs to the business: another business can use the same key", async {
        let client = &run.target.other_business()?.client;
        let theirs = run.new_lead(&json!({"client_id": client}));
        let first = first.clone()?;
        let send = |body| keyed(run, &key, body).with_token(OtherBusiness);
        let second = send(&theirs).expect_status(201).await?.lacks_header(REPLAYED)?;
        replays(send(&theirs).expect_status(201).await?, &second)?;
        send(&body).expect_refusal(400, &["Idempotency-Key"]).await?;
        replays(keyed(run, &key, &body).expect_status(201).await?, &first)
    })
    .await;
    otherwise(run, &key, &first).await;
    other_bodies(run, &key, &first).await;
    run.check("D10", "a replay returns the first response, even after the lead was changed or deleted", async {
        let first = first.clone()?;
        let made = Ok(first.text("id").to_owned());
        run.patch(&made, &json!({"name": "Changed"})).expect_status(200).await?;
        replays(keyed(run, &key, &body).expect_status(201).await?, &first)?;
        run.delete(&made).expect_status(204).await?;
        replays(keyed(run, &key, &body).expect_status(201).await?, &first)?;
        run.get_lead(&made).expect_status(404).await
    })
    .await;
    for (what, more, status) in [
        ("400", json!({"email": "x"}), 400),
        ("400 for a stage", json!({"stage_id": run.absent_id()}), 400),
        ("403 for a client account", json!({"client_id": run.absent_id()}), 403),
    ] {
        run.check("D10", format!("a refused create does not use up its key: {what}"), async {
            let key = format!("{}/{what}", run.name).replace(' ', "-");
            keyed(run, &key, &run.new_lead(&more)).expect_status(status).await?;
            keyed(run, &key, &run.new_lead(&json!({}))).expect_status(201).await?.lacks_header(REPLAYED)
        })
        .await;
    }
    run.check("D10", "a refused create does not use up its key: 403 for a missing scope", async {
        let key = format!("{}/scope", run.name);
        keyed(run, &key, &run.new_lead(&json!({}))).with_token(Read).expect_status(403).await?;
        keyed(run, &key, &run.new_lead(&json!({}))).expect_status(201).await?.lacks_header(REPLAYED)
    })
    .await;
    run.check("D10", "concurrent creates with one key create one lead", twins(run)).await;
    keys(run).await;
}

fn keyed<'r>(run: &'r Run<'_>, key: &str, body: &Value) -> TestRequest<'r> {
    run.post(body).header(KEY, key)
}

/// Expects the response to be a replay of the first response.
fn replays(response: CheckedResponse, first: &CheckedResponse) -> Result<CheckedResponse, Stop> {
    let location = first.header("location").unwrap_or_default();
    response.has_json(&first.json)?.has_header(REPLAYED, "true")?.has_header("location", &location)
}

/// Checks that the service compares bodies after parsing and normalizing them.
async fn otherwise(run: &Run<'_>, key: &str, first: &Result<CheckedResponse, Stop>) {
    let client = json!(run.target.client_id);
    for (what, text) in [
        (
            "the order of keys and whitespace",
            format!(
                "{{ \"value\": 450, \"email\": \"once@example.org\",\n\t\"name\": \"Contract check\", \"client_id\": {client} }}"
            ),
        ),
        (
            "how a number is written",
            format!(r#"{{"client_id":{client},"name":"Contract check","email":"once@example.org","value":4.5e2}}"#),
        ),
        (
            "null or blank instead of an absent field",
            format!(
                r#"{{"client_id":{client},"name":"Contract check","email":"once@example.org","value":450,"notes":null,"phone":""}}"#
            ),
        ),
        (
            "an escape",
            format!(
                r#"{{"client_id":{client},"name":"Contr\u0061ct check","email":"once\u0040example.org","value":450}}"#
            ),
        ),
        (
            "whitespace that is trimmed",
            format!(r#"{{"client_id":{client},"name":" Contract check ","email":"once@example.org\n","value":450}}"#),
        ),
    ] {
        run.check("D10", format!("bodies are compared after parsing: {what} does not matter"), async {
            let first = first.clone()?;
            replays(run.request("POST", "/leads").text(text).header(KEY, key).expect_status(201).await?, &first)
        })
        .await;
    }
}

/// Checks that a key cannot be used again with a different body. The service looks for a replay before it checks
/// references, so a body with nonexistent ids also counts as a different body.
async fn other_bodies(run: &Run<'_>, key: &str, first: &Result<CheckedResponse, Stop>) {
    let (email, value) = (json!("once@example.org"), json!(450));
    for (what, other) in [
        ("a different value", json!({"email": "twice@example.org", "value": value})),
        ("a missing field", json!({"email": email})),
        ("an unknown client_id", json!({"email": email, "value": value, "client_id": run.absent_id()})),
        ("a malformed client_id", json!({"email": email, "value": value, "client_id": "no id"})),
        ("an unknown stage_id", json!({"email": email, "value": value, "stage_id": run.absent_id()})),
        ("a malformed stage_id", json!({"email": email, "value": value, "stage_id": "no id"})),
    ] {
        run.check("D10", format!("the same key with a different body is 400: {what}"), async {
            first.clone()?;
            let response = keyed(run, key, &run.new_lead(&other)).expect_refusal(400, &["Idempotency-Key"]).await?;
            response.lacks_header(REPLAYED)
        })
        .await;
    }
    run.check("D10", "the same key with an invalid body is 400, and the message names the body's problems", async {
        keyed(run, key, &json!({})).expect_refusal(400, &["", "name"]).await
    })
    .await;
}

async fn twins(run: &Run<'_>) -> Result<CheckedResponse, Stop> {
    let (key, body) = (format!("{}/twins", run.name), run.new_lead(&json!({})));
    let before = run.get("/leads?limit=1").expect_status(200).await?.number("total");
    let creates: Vec<_> = (0..TWINS).map(|_| Box::pin(keyed(run, &key, &body).expect_status(201))).collect();
    let responses: Vec<CheckedResponse> = at_once(creates).await.into_iter().collect::<Result<_, _>>()?;
    let fresh: Vec<&CheckedResponse> =
        responses.iter().filter(|response| response.header(REPLAYED).is_none()).collect();
    let Some(first) = responses.first() else { return Err(Stop::Skipped("no request was sent".to_owned())) };
    first.clone().ensure(fresh.len() == 1, "exactly one of the requests to create the lead")?;
    for response in &responses {
        response.clone().has_json(&first.json)?;
    }
    run.get("/leads?limit=1").expect_status(200).await?.has_members(&json!({"total": before + 1}))
}

/// Polls all futures concurrently and returns their outputs.
async fn at_once<T>(futures: Vec<Pin<Box<impl Future<Output = T> + Send>>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    poll_fn(|cx| {
        for (future, output) in futures.iter_mut().filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                *output = Some(value);
            }
        }
        if futures.iter().all(|(_, output)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    futures.into_iter().filter_map(|(_, output)| output).collect()
}

async fn keys(run: &Run<'_>) {
    let body = run.new_lead(&json!({}));
    run.check("D10", "a key may have 255 visible ASCII characters", async {
        let key = format!("{:~<255}", run.name);
        keyed(run, &key, &body).expect_status(201).await?.lacks_header(REPLAYED)
    })
    .await;
    run.check("D10", "a key may contain every visible ASCII character", async {
        let visible: String = ('!'..='~').collect();
        keyed(run, &format!("{}/{visible}", run.name), &body).expect_status(201).await?.lacks_header(REPLAYED)
    })
    .await;
    run.check("D10", "keys are compared exactly", async {
        for other in ["k", "K", "kk", "k.", "\"k\"", "%6b"] {
            keyed(run, &format!("{}/{other}", run.name), &body).expect_status(201).await?.lacks_header(REPLAYED)?;
        }
        Ok(())
    })
    .await;
    for (what, bad) in [
        ("empty", &b""[..]),
        ("with a space", b"a b"),
        ("with a tab", b"a\tb"),
        ("not ASCII", "é".as_bytes()),
        ("not UTF-8", b"\xff"),
        ("of 256 characters", &[b'k'; 256]),
    ] {
        let request = run.post(&body).header(KEY, bad);
        run.check("D10", format!("an invalid key is 400: {what}"), request.expect_refusal(400, &["Idempotency-Key"]))
            .await;
    }
    for second in ["k", ""] {
        let request = keyed(run, "k", &body).header(KEY, second);
        run.check("D10", format!("two keys are 400: {second:?}"), request.expect_refusal(400, &["Idempotency-Key"]))
            .await;
    }
    run.check("D10", "Idempotency-Key is ignored on other operations", async {
        let lead = run.create_lead(&json!({})).await;
        for (request, key, status) in [
            (run.get_lead(&lead), "a b", 200),
            (run.patch(&lead, &json!({"name": "Ann"})), "a b", 200),
            (run.delete(&lead), "", 204),
        ] {
            request.header(KEY, key).expect_status(status).await?.lacks_header(REPLAYED)?;
        }
        Ok(())
    })
    .await;
    run.check("D10", "a create without Idempotency-Key is never a replay", async {
        run.post(&body).expect_status(201).await?.lacks_header(REPLAYED)
    })
    .await;
}

//! Safe retries of POST /leads (contract D10).

use std::{future::poll_fn, pin::Pin, task::Poll};

use serde_json::{Value, json};

use crate::testkit::conformance::{
    answer::Answer,
    ask::Ask,
    report::Stop,
    run::Run,
    target::Role::{OtherBusiness, Write},
};

const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
/// Number of concurrent creates with the same key.
const TWINS: usize = 8;

pub(super) async fn check(run: &Run<'_>) {
    let body = run.new_lead(&json!({"email": "once@example.org", "value": 450}));
    let key = format!("{}/once", run.name);
    let first = keyed(run, &key, &body).answers(201).await;
    run.check("D10", "the first answer to a key is no replay", async { first.clone()?.lacks(REPLAYED) }).await;
    run.check(
        "D10",
        "the same key with the same body answers 201 with the first answer, and says that it is replayed",
        async { replays(keyed(run, &key, &body).answers(201).await?, &first.clone()?) },
    )
    .await;
    run.check("D10", "a replay makes no second lead", async {
        let total = run.get("/leads?limit=1").answers(200).await?.number("total");
        first.clone()?;
        keyed(run, &key, &body).answers(201).await?;
        run.get("/leads?limit=1").answers(200).await?.shows(&json!({"total": total}))
    })
    .await;
    run.check("D10", "a key is of the business: another token of it is answered the same", async {
        replays(keyed(run, &key, &body).by(Write).answers(201).await?, &first.clone()?)
    })
    .await;
    run.check("D10", "a key is of the business: in another one it is another key", async {
        let client = &run.target.other_business()?.client;
        let theirs = run.new_lead(&json!({"client_id": client}));
        first.clone()?;
        keyed(run, &key, &theirs).by(OtherBusiness).answers(201).await?.lacks(REPLAYED)
    })
    .await;
    otherwise(run, &key, &first).await;
    run.check("D10", "the same key with another body is 400", async {
        first.clone()?;
        let other = run.new_lead(&json!({"email": "twice@example.org"}));
        keyed(run, &key, &other).answers(400).await?.blames("Idempotency-Key")
    })
    .await;
    run.check("D10", "a replay comes before the reference checks", async {
        first.clone()?;
        let foreign = run.new_lead(&json!({"client_id": run.never()}));
        keyed(run, &key, &foreign).answers(400).await?.blames("Idempotency-Key")
    })
    .await;
    run.check("D10", "a replay answers the lead as it was first answered, after a change and after its end", async {
        let first = first.clone()?;
        let made = Ok(first.text("id").to_owned());
        run.patch(&made, &json!({"name": "Changed"})).answers(200).await?;
        replays(keyed(run, &key, &body).answers(201).await?, &first)?;
        run.delete(&made).answers(204).await?;
        replays(keyed(run, &key, &body).answers(201).await?, &first)?;
        run.get_lead(&made).answers(404).await
    })
    .await;
    run.check("D10", "only what was created is remembered", async {
        let key = format!("{}/failed", run.name);
        keyed(run, &key, &run.new_lead(&json!({"client_id": run.never()}))).answers(403).await?;
        keyed(run, &key, &run.new_lead(&json!({}))).answers(201).await?.lacks(REPLAYED)
    })
    .await;
    run.check("D10", "creates at once with one key make one lead", twins(run)).await;
    keys(run).await;
}

fn keyed<'r>(run: &'r Run<'_>, key: &str, body: &Value) -> Ask<'r> {
    run.post(body).header(KEY, key)
}

/// Expects a replay of the first response.
fn replays(answer: Answer, first: &Answer) -> Result<Answer, Stop> {
    let location = first.header("location").unwrap_or_default();
    answer.is(&first.json)?.has(REPLAYED, "true")?.has("location", &location)
}

/// The service compares the body after parsing and normalising.
async fn otherwise(run: &Run<'_>, key: &str, first: &Result<Answer, Stop>) {
    let client = json!(run.target.client_id);
    for (what, text) in [
        (
            "the order of keys and white space",
            format!(
                "{{ \"value\": 450, \"email\": \"once@example.org\",\n\t\"name\": \"Contract check\", \"client_id\": {client} }}"
            ),
        ),
        (
            "how a number is written",
            format!(r#"{{"client_id":{client},"name":"Contract check","email":"once@example.org","value":4.5e2}}"#),
        ),
        (
            "null for what is absent",
            format!(
                r#"{{"client_id":{client},"name":"Contract check","email":"once@example.org","value":450,"notes":null}}"#
            ),
        ),
    ] {
        run.check("D10", format!("bodies are compared after parsing: {what} does not matter"), async {
            let first = first.clone()?;
            replays(run.ask("POST", "/leads").text(text).header(KEY, key).answers(201).await?, &first)
        })
        .await;
    }
}

async fn twins(run: &Run<'_>) -> Result<Answer, Stop> {
    let (key, body) = (format!("{}/twins", run.name), run.new_lead(&json!({})));
    let before = run.get("/leads?limit=1").answers(200).await?.number("total");
    let asked: Vec<_> = (0..TWINS).map(|_| Box::pin(keyed(run, &key, &body).answers(201))).collect();
    let answers: Vec<Answer> = at_once(asked).await.into_iter().collect::<Result<_, _>>()?;
    let fresh: Vec<&Answer> = answers.iter().filter(|answer| answer.header(REPLAYED).is_none()).collect();
    let Some(first) = answers.first() else { return Err(Stop::Skipped("nothing was sent".to_owned())) };
    first.clone().must(fresh.len() == 1, "one of them to make the lead")?;
    for answer in &answers {
        answer.clone().is(&first.json)?;
    }
    run.get("/leads?limit=1").answers(200).await?.shows(&json!({"total": before + 1}))
}

/// Polls all futures together and returns their outputs.
async fn at_once<T>(asked: Vec<Pin<Box<impl Future<Output = T> + Send>>>) -> Vec<T> {
    let mut asked: Vec<_> = asked.into_iter().map(|future| (future, None)).collect();
    poll_fn(|cx| {
        for (future, given) in asked.iter_mut().filter(|(_, given)| given.is_none()) {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                *given = Some(output);
            }
        }
        if asked.iter().all(|(_, given)| given.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    asked.into_iter().filter_map(|(_, given)| given).collect()
}

async fn keys(run: &Run<'_>) {
    let body = run.new_lead(&json!({}));
    run.check("D10", "a key may have 255 visible ASCII characters", async {
        let key = format!("{:~<255}", run.name);
        keyed(run, &key, &body).answers(201).await?.lacks(REPLAYED)
    })
    .await;
    run.check("D10", "keys are compared exactly: another case is another key", async {
        keyed(run, &format!("{}/a", run.name), &body).answers(201).await?;
        keyed(run, &format!("{}/A", run.name), &body).answers(201).await?.lacks(REPLAYED)
    })
    .await;
    for (what, bad) in [
        ("empty", String::new()),
        ("with a blank", "a b".into()),
        ("not ASCII", "é".into()),
        ("of 256 characters", "k".repeat(256)),
    ] {
        run.check("D10", format!("a key that is none is 400: {what}"), async {
            keyed(run, &bad, &body).answers(400).await?.blames("Idempotency-Key")
        })
        .await;
    }
    run.check("D10", "the header is ignored on other operations", async {
        run.patch(&Ok(run.never()), &json!({"name": "Ann"})).header(KEY, "a b").answers(404).await
    })
    .await;
    run.check("D10", "without the header nothing is a replay", async {
        run.post(&body).answers(201).await?.lacks(REPLAYED)
    })
    .await;
}

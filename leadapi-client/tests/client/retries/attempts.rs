//! Tests which operations and failures the client retries.

use leadapi_client::{
    Outcome,
    model::{LeadPatch, LeadQuery, Window},
};

use super::{ann, id, transient};
use crate::{
    scripted::{Act, Script},
    support::wait,
};

#[test]
fn a_create_is_retried_under_one_key() {
    for (act, _) in transient() {
        let (client, script) = Script::client([act.clone(), act.clone(), Act::lead()]);
        let create = client.leads().create(&ann());
        let key = create.key().unwrap().as_str().to_owned();
        let (lead, meta) = wait(create.with_meta()).unwrap();
        assert_eq!((lead.name.as_str(), meta.attempts.get()), ("Ann", 3), "{act:?}");
        assert_eq!(script.keys(), [Some(key.clone()), Some(key.clone()), Some(key)]);
        let requests = script.requests.lock().unwrap();
        assert!(
            requests.iter().all(|(_, request)| request.body() == requests[0].1.body() && !request.body().is_empty())
        );
    }
}

#[test]
fn two_creates_have_two_keys() {
    let (client, script) = Script::client([Act::lead(), Act::lead()]);
    wait(client.leads().create(&ann())).unwrap();
    wait(client.leads().create(&ann())).unwrap();
    let keys = script.keys();
    assert!(keys[0].is_some() && keys[0] != keys[1]);
}

#[test]
fn a_create_without_a_key_is_retried_only_if_it_was_not_sent() {
    for (act, outcome) in transient() {
        let retried = outcome == Outcome::NotSent;
        let acts = if retried { vec![act.clone(), Act::lead()] } else { vec![act.clone()] };
        let (client, script) = Script::client(acts);
        let created = wait(client.leads().create(&ann()).without_idempotency_key());
        assert_eq!(created.is_ok(), retried, "{act:?}");
        script.assert_ended();
        assert!(script.keys().iter().all(Option::is_none));
        if let Err(error) = created {
            assert_eq!((error.outcome(), error.attempts(), error.idempotency_key()), (Outcome::Unknown, 1, None));
        }
    }
    let (client, script) = Script::client([Act::status(429).with("retry-after", &3), Act::lead()]);
    wait(client.leads().create(&ann()).without_idempotency_key()).unwrap();
    script.assert_ended();
}

#[test]
fn reads_updates_and_deletes_are_retried() {
    let page = r#"{"data":[],"total":0,"limit":50,"offset":0}"#.to_owned();
    let page = Act::Response(200, Vec::new(), page);
    let lead = Act::lead().with_status(200);
    for (act, _) in transient() {
        // A 2xx response that is outside the contract for one operation can be a success for another operation.
        if matches!(act, Act::Response(200..=204, ..)) {
            continue;
        }
        let done = [page.clone(), lead.clone(), lead.clone(), Act::status(204), page.clone(), page.clone()];
        let (client, script) = Script::client(done.into_iter().flat_map(|done| [act.clone(), done]));
        wait(client.leads().list(&LeadQuery::new())).unwrap();
        wait(client.leads().get(&id())).unwrap();
        wait(client.leads().update(&id(), &LeadPatch::new().name("Ann"))).unwrap();
        wait(client.leads().delete(&id())).unwrap();
        wait(client.pipelines().list(Window::default())).unwrap();
        wait(client.client_accounts().list(Window::default())).unwrap();
        script.assert_ended();
    }
}

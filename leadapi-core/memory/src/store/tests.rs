//! Tests that the store locks businesses separately, keeps their forms apart and frees the memory of expired keys.

use std::{sync::mpsc::channel, thread, time::Duration};

use futures_executor::block_on;

use super::*;
use leadapi_core::model::NewLead;

#[test]
fn a_writer_blocks_neither_readers_of_another_business_nor_a_new_business() {
    let business = |id: &str| {
        let (created_at, client) = ("2026-05-04T07:58:12.004Z".parse().unwrap(), "c1".parse().unwrap());
        let mut seed = BusinessSeed::new(id.parse().unwrap(), id, created_at);
        seed.leads = vec![Lead::new("l1".parse().unwrap(), client, "Ann", created_at)];
        seed
    };
    let store = Arc::new(MemoryStore::new(Dataset::new(vec![business("a"), business("b")])));
    let (read, has_read) = channel();
    let blocked = store.write(&"a".parse().unwrap(), |_| {
        let store = store.clone();
        thread::spawn(move || {
            let b = "b".parse().unwrap();
            let one = block_on(store.get(&b, &"l1".parse().unwrap())).unwrap();
            let all = block_on(store.list(&b, &LeadQuery::new())).unwrap();
            // Waiting for the lock on all businesses would also block every later reader.
            let c = admin::Business::new("c".parse().unwrap(), "C", "2026-05-04T07:58:12.004Z".parse().unwrap());
            store.add_business(&c, || ()).unwrap();
            read.send((one.is_some(), matches!(all, Listed::Page(page) if page.total == 1))).unwrap();
        });
        // This call times out only if the reader waits for this write. That would be a deadlock, because the write
        // waits for the reader.
        assert_eq!(has_read.recv_timeout(Duration::from_secs(60)), Ok((true, true)));
    });
    assert!(blocked.is_some());
}

const DAY: &str = "2026-05-04T00:00:00Z";

fn store() -> MemoryStore {
    let at = DAY.parse().unwrap();
    let mut seed = BusinessSeed::new("a".parse().unwrap(), "A", at);
    seed.clients = vec![ClientAccount::new("c1".parse().unwrap(), "C", at)];
    MemoryStore::new(Dataset::new(vec![seed]))
}

/// Creates a lead under a key. `hour` counts from the start of one day, and can exceed 24.
fn create(store: &MemoryStore, hour: u64, id: &str, key: &str) -> Created {
    let at = DAY.parse::<Timestamp>().unwrap().checked_add(Duration::from_secs(hour * 3_600)).unwrap();
    let draft = NewLead::new(&"c1".parse().unwrap(), "Ann").check().unwrap();
    let idempotency = Idempotency::new(IdempotencyKey::parse(key).unwrap(), draft.fingerprint());
    let meta = NewLeadMeta::new(id.parse().unwrap(), at);
    block_on(store.create(&"a".parse().unwrap(), &Author::Host, meta, draft, Some(&idempotency))).unwrap()
}

#[test]
fn the_forms_of_a_business_are_those_of_the_data_set() {
    let form: FormRecord = serde_json::from_str(r#"{"form": {"name": "Care"}, "extra": 1}"#).unwrap();
    let at = DAY.parse().unwrap();
    let mut seed = BusinessSeed::new("a".parse().unwrap(), "A", at);
    seed.forms = vec![form.clone()];
    let store = MemoryStore::new(Dataset::new(vec![seed, BusinessSeed::new("b".parse().unwrap(), "B", at)]));
    assert_eq!(store.forms(&"a".parse().unwrap()), [form]);
    assert_eq!(store.forms(&"b".parse().unwrap()), []);
}

#[test]
fn expired_keys_are_freed() {
    let store = store();
    for (hour, key) in [(0, "a"), (1, "b"), (24, "c"), (24, "d")] {
        assert!(matches!(create(&store, hour, key, key), Created::New(_)), "{key}");
    }
    let freed = store.read(&"a".parse().unwrap(), |Records { leads, .. }| {
        let mut kept: Vec<&str> = leads.remembered.keys().map(IdempotencyKey::as_str).collect();
        kept.sort_unstable();
        assert_eq!(kept, ["b", "c", "d"]);
        assert_eq!(leads.ages.len(), 3);
    });
    assert!(freed.is_some());
}

/// The clock steps back, so the first use of a key is freed only after the key has been used a second time.
#[test]
fn a_key_that_was_used_again_stays_remembered_when_its_first_use_is_freed() {
    let store = store();
    create(&store, 10, "l1", "a");
    create(&store, 9, "l2", "k");
    assert!(matches!(create(&store, 33, "l3", "k"), Created::New(_)));
    create(&store, 34, "l4", "b");
    assert_eq!(store.read(&"a".parse().unwrap(), |records| records.leads.ages.len()), Some(2));
    let Created::Replayed(lead) = create(&store, 34, "l5", "k") else { panic!("the key was forgotten") };
    assert_eq!(lead.id.as_str(), "l3");
}

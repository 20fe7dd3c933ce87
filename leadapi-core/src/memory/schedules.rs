//! Explores thread schedules of concurrent operations on the store with shuttle.

use std::sync::Arc;

use shuttle::{future::block_on, thread};

use super::{MemoryAdmin, MemorySettings, MemoryStore};
use crate::{
    admin::{Admin, NewBusiness},
    auth::{Author, Role},
    dataset::{BusinessSeed, Dataset, MemberSeed},
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, LeadPatch, LeadQuery, NewLead, Timestamp},
    port::{Created, Idempotency, Listed, Store, Updated},
    validate::NewLeadMeta,
};

const SCHEDULES: usize = 5_000;

fn now() -> Timestamp {
    "2026-05-04T07:58:12.004Z".parse().unwrap()
}

fn business() -> BusinessId {
    "a".parse().unwrap()
}

fn store() -> Arc<MemoryStore> {
    let mut seed = BusinessSeed::new(business(), "A", now());
    seed.clients = vec![ClientAccount::new("c1".parse().unwrap(), "C", now())];
    Arc::new(MemoryStore::new(Dataset::new(vec![seed])))
}

fn create(store: &MemoryStore, id: &str, idempotency: Option<&Idempotency>) -> Created {
    let draft = NewLead::new(&"c1".parse().unwrap(), "Ann").check().unwrap();
    let meta = NewLeadMeta::new(LeadId::parse(id).unwrap(), now());
    block_on(store.create(&business(), &Author::Host, meta, draft, idempotency)).unwrap()
}

fn explore(check: impl Fn() + Send + Sync + Copy + 'static) {
    shuttle::check_pct(check, SCHEDULES, 3);
    shuttle::check_random(check, SCHEDULES);
}

#[test]
fn twins_with_one_idempotency_key_create_one_lead() {
    explore(|| {
        let store = store();
        let twins = ["l1", "l2", "l3"].map(|id| {
            let store = store.clone();
            thread::spawn(move || {
                let key = IdempotencyKey::parse("k").unwrap();
                match create(&store, id, Some(&Idempotency::new(key, [7; 32]))) {
                    Created::New(lead) => (true, lead.id.clone()),
                    Created::Replayed(lead) => (false, lead.id.clone()),
                    other => panic!("{other:?}"),
                }
            })
        });
        let created = twins.map(|twin| twin.join().unwrap());
        assert_eq!(created.iter().filter(|(is_new, _)| *is_new).count(), 1, "{created:?}");
        assert!(created.iter().all(|(_, id)| *id == created[0].1), "{created:?}");
    });
}

#[test]
fn every_page_agrees_with_its_total_while_leads_are_created_updated_and_deleted() {
    explore(|| {
        let store = store();
        let writers = ["l1", "l2"].map(|id| {
            let store = store.clone();
            thread::spawn(move || {
                create(&store, id, None);
                let edit = LeadPatch::new().name("Ben").check().unwrap();
                let id = LeadId::parse(id).unwrap();
                let updated = block_on(store.update(&business(), &Author::Host, &id, &edit)).unwrap();
                assert!(matches!(updated, Updated::Changed(_)));
                assert!(block_on(store.delete(&business(), &Author::Host, &id)).unwrap());
            })
        });
        for _ in 0..3 {
            let Listed::Page(page) = block_on(store.list(&business(), &LeadQuery::new())).unwrap() else {
                panic!("no page")
            };
            assert_eq!(page.data.len() as u64, page.total);
            thread::yield_now();
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        let Listed::Page(page) = block_on(store.list(&business(), &LeadQuery::new())).unwrap() else {
            panic!("no page")
        };
        assert_eq!((page.data.len(), page.total), (0, 0));
    });
}

/// A member who remained would have access to a later business with the same id.
#[test]
fn a_business_that_is_removed_leaves_no_member() {
    explore(|| {
        let admin = MemoryAdmin::new(store(), MemorySettings::new(&Dataset::default()));
        let added = thread::spawn({
            let admin = admin.clone();
            let member = MemberSeed::new("ann@one.example", Role::Owner);
            move || block_on(admin.add_member(&business(), &member, now())).is_ok()
        });
        block_on(admin.delete_business(&business(), true)).unwrap();
        added.join().unwrap();
        let new = NewBusiness::new(business(), "A", "bo@two.example", now()).unwrap();
        block_on(admin.add_business(&new)).unwrap();
        assert_eq!(block_on(admin.members(&business())).unwrap(), [new.owner().clone()]);
    });
}

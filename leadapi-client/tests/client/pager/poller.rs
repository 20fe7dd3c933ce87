//! Tests of polling a list that changes between and during polls.

use std::{
    collections::{HashMap, HashSet},
    task::Poll,
    time::Duration,
};

use leadapi_client::{
    model::{LeadItem, LeadQuery, Page, Timestamp},
    pager::{Checkpoint, Poller},
};
use proptest::prelude::*;

use super::{
    model::{Churn, Model, lead, row},
    unreliable::{Answers, UnreliableService, client, once},
};

/// The maximum number of leads that a checkpoint remembers.
const MAX_REMEMBERED: usize = 1_000;

fn through_json(checkpoint: &Checkpoint) -> Checkpoint {
    serde_json::from_str(&serde_json::to_string(checkpoint).unwrap()).unwrap()
}

fn poller(service: &UnreliableService, checkpoint: &Checkpoint, overlap: u64) -> Poller {
    let poller = client(service.clone()).leads().poll_created(LeadQuery::new(), through_json(checkpoint));
    poller.overlap(Duration::from_millis(overlap))
}

fn ids(leads: &[LeadItem]) -> Vec<u32> {
    leads.iter().map(|lead| row(lead).1).collect()
}

/// Polls until a poll succeeds, dropping the future after each step.
fn poll(poller: &mut Poller) -> Vec<LeadItem> {
    loop {
        if let Poll::Ready(Ok(new)) = once(poller.poll()) {
            return new.leads;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_lead_is_returned_exactly_once(
        leads in 0_usize..100, created in 1_usize..20, size in 1_u32..40, fails in 2_usize..12, waits in 0_usize..4,
        crashes in 2_usize..20, seed: u64,
    ) {
        const OVERLAP: u64 = 30;
        let service = UnreliableService::new(Model::new(leads, Churn::Late(created, OVERLAP.cast_signed()), seed), fails, waits);
        let mut checkpoint = Checkpoint::default();
        let mut returned = HashMap::<u32, usize>::new();
        let mut current = poller(&service, &checkpoint, OVERLAP).page_size(size);
        for _ in 0..400 {
            if service.one_in(3) {
                service.model.lock().unwrap().change();
            }
            if service.one_in(crashes) {
                current = poller(&service, &checkpoint, OVERLAP).page_size(size);
            }
            let Poll::Ready(Ok(new)) = once(current.poll()) else { continue };
            prop_assert!(new.leads.is_sorted_by_key(|lead| (lead.created_at, lead.id.clone())), "oldest first");
            for id in ids(&new.leads) {
                *returned.entry(id).or_default() += 1;
            }
            checkpoint = new.checkpoint;
        }
        for id in ids(&poll(&mut current)) {
            *returned.entry(id).or_default() += 1;
        }
        // The last poll may have begun long ago, so a further poll is needed to return the latest leads.
        for id in ids(&poll(&mut current)) {
            *returned.entry(id).or_default() += 1;
        }
        service.model.lock().unwrap().still();
        for id in ids(&poll(&mut current)) {
            *returned.entry(id).or_default() += 1;
        }
        for id in ids(&poll(&mut current)) {
            *returned.entry(id).or_default() += 1;
        }
        let existing: HashSet<u32> = service.model.lock().unwrap().rows.iter().map(|row| row.1).collect();
        prop_assert_eq!(existing.iter().filter(|id| !returned.contains_key(id)).count(), 0, "missing");
        prop_assert_eq!(returned.values().filter(|times| **times > 1).count(), 0, "repeated");
    }
}

#[test]
fn a_crash_before_the_checkpoint_is_stored_loses_no_lead() {
    let service = UnreliableService::quiet(10);
    let mut first = poller(&service, &Checkpoint::default(), 5);
    let new = poll(&mut first);
    assert_eq!(new.len(), 10);
    drop(first);
    assert_eq!(poll(&mut poller(&service, &Checkpoint::default(), 5)), new);
}

/// If the failed stream were polled again, it would report the end of the list. The checkpoint would then miss the
/// leads that had not been read.
#[test]
fn a_poll_after_a_paging_error_starts_over() {
    let mut model = Model::quiet(10);
    let service = Answers::new(move |window| {
        let mut page = model.respond(window);
        if model.requests == 2 {
            page.data.reverse();
        }
        page
    });
    let mut poller = client(service).leads().poll_created(LeadQuery::new(), Checkpoint::default()).page_size(6);
    assert!(matches!(once(poller.poll()), Poll::Ready(Err(_))));
    assert_eq!(poll(&mut poller).len(), 10);
}

#[test]
fn late_leads_are_returned_only_within_the_overlap() {
    let service = UnreliableService::quiet(10);
    let mut poller = poller(&service, &Checkpoint::default(), 50);
    poll(&mut poller);
    let newest = service.model.lock().unwrap().rows.last().unwrap().0;
    let within = service.model.lock().unwrap().create_at(newest - 50);
    service.model.lock().unwrap().create_at(newest - 51);
    assert_eq!(ids(&poll(&mut poller)), [within]);
    assert_eq!(poll(&mut poller), []);
}

#[test]
fn a_lead_dated_in_the_future_does_not_hide_others() {
    let service = UnreliableService::quiet(10);
    let mut poller = poller(&service, &Checkpoint::default(), 1_000);
    let far = 32_503_680_000_000;
    let future = service.model.lock().unwrap().create_at(far);
    assert_eq!(ids(&poll(&mut poller)).last(), Some(&future));
    let present = Timestamp::now().unix_millis() + 1_000;
    let next = service.model.lock().unwrap().create_at(present);
    assert_eq!(ids(&poll(&mut poller)), [next]);
    assert_eq!(poll(&mut poller), []);
}

#[test]
fn leads_beyond_the_remembered_ones_are_not_repeated() {
    let service = UnreliableService::quiet(5_000);
    let mut poller = poller(&service, &Checkpoint::default(), u64::MAX);
    for new in [5_000, 0, 0] {
        assert_eq!(poll(&mut poller).len(), new);
        let checkpoint = once(poller.poll()).map(|new| new.unwrap().checkpoint);
        let Poll::Ready(checkpoint) = checkpoint else { panic!("the poll is pending") };
        let written = serde_json::to_string(&checkpoint).unwrap();
        assert!(written.len() < 60 * MAX_REMEMBERED, "{}", written.len());
        assert_eq!(through_json(&checkpoint), checkpoint);
    }
    service.model.lock().unwrap().create(300);
    assert_eq!(poll(&mut poller).len(), 300);
    assert_eq!(poll(&mut poller).len(), 0);
    // A lead that appears late among the remembered leads is still returned.
    let newest = service.model.lock().unwrap().rows.last().unwrap().0;
    service.model.lock().unwrap().create_at(newest - 10);
    assert_eq!(poll(&mut poller).len(), 1);
}

/// The floor cannot separate leads with the same timestamp, even if there are too many to remember.
#[test]
fn leads_with_the_same_timestamp_beyond_the_limit_are_not_repeated() {
    let service = UnreliableService::quiet(0);
    for _ in 0..3_000 {
        service.model.lock().unwrap().create_at(1_700_000_000_000);
    }
    let mut poller = poller(&service, &Checkpoint::default(), 60_000);
    for new in [3_000, 0, 0] {
        assert_eq!(poll(&mut poller).len(), new);
    }
}

#[test]
fn a_poll_without_new_leads_is_one_request() {
    let service = UnreliableService::quiet(5_000);
    let mut poller = poller(&service, &Checkpoint::default(), 10);
    poll(&mut poller);
    service.requested.lock().unwrap().clear();
    poll(&mut poller);
    assert_eq!(service.requested.lock().unwrap().len(), 1);
}

#[test]
fn a_checkpoint_with_an_unknown_version_or_absurd_values_is_rejected() {
    let written = serde_json::to_string(&Checkpoint::at(lead((1_700_000_000_000, 1)).created_at)).unwrap();
    assert_eq!(written, r#"{"version":1,"floor":1700000000000,"told":[]}"#);
    let error = serde_json::from_str::<Checkpoint>(&written.replace("\"version\":1", "\"version\":2")).unwrap_err();
    assert_eq!(error.to_string(), "unsupported checkpoint version 2 (supported: 1)");
    assert!(serde_json::from_str::<Checkpoint>(r#"{"version":1,"floor":9223372036854775807,"told":[]}"#).is_err());
}

#[test]
fn a_poll_of_an_empty_list_returns_no_leads() {
    let service = Answers::new(|window| Page::new(vec![], 0, window));
    let mut poller = client(service).leads().poll_created(LeadQuery::new(), Checkpoint::default());
    let Poll::Ready(Ok(new)) = once(poller.poll()) else { panic!("the poll is pending") };
    assert_eq!((new.leads, new.checkpoint), (vec![], Checkpoint::default()));
}

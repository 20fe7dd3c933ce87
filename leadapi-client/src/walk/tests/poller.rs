//! Polls of a list that changes between and during polls.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use leadapi_core::model::{LeadItem, LeadQuery, Page, Timestamp};
use proptest::prelude::*;

use super::{
    line::{Line, once},
    model::{Churn, Model, lead, row},
};
use crate::walk::{Fetch, Mark, Poller, mark::MOST_REMEMBERED};

fn through_json(mark: &Mark) -> Mark {
    serde_json::from_str(&serde_json::to_string(mark).unwrap()).unwrap()
}

fn poller(line: &Line, mark: &Mark, overlap: u64) -> Poller {
    Poller::new(line.fetch(), LeadQuery::new(), through_json(mark)).overlap(Duration::from_millis(overlap))
}

fn ids(leads: &[LeadItem]) -> Vec<u32> {
    leads.iter().map(|lead| row(lead).1).collect()
}

/// Polls until it succeeds, dropping the future after each step.
fn poll(poller: &mut Poller) -> Vec<LeadItem> {
    loop {
        if let Poll::Ready(Ok(new)) = once(poller.poll()) {
            return new.leads;
        }
    }
}

fn quiet(leads: usize) -> Line {
    Line::new(Model::new(leads, Churn::Steady(0, 0), 1), 0, 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_lead_is_told_once(
        leads in 0_usize..100, created in 1_usize..20, size in 1_u32..40, fails in 2_usize..12, waits in 0_usize..4,
        crashes in 2_usize..20, seed: u64,
    ) {
        const OVERLAP: u64 = 30;
        let line = Line::new(Model::new(leads, Churn::Late(created, OVERLAP.cast_signed()), seed), fails, waits);
        let mut mark = Mark::default();
        let mut told = HashMap::<u32, usize>::new();
        let mut now = poller(&line, &mark, OVERLAP).page_size(size);
        for _ in 0..400 {
            if line.one_in(3) {
                line.model.lock().unwrap().change();
            }
            if line.one_in(crashes) {
                now = poller(&line, &mark, OVERLAP).page_size(size);
            }
            let Poll::Ready(Ok(new)) = once(now.poll()) else { continue };
            prop_assert!(new.leads.is_sorted_by_key(|lead| (lead.created_at, lead.id.clone())), "oldest first");
            for id in ids(&new.leads) {
                *told.entry(id).or_default() += 1;
            }
            mark = new.mark;
        }
        for id in ids(&poll(&mut now)) {
            *told.entry(id).or_default() += 1;
        }
        // The last poll may have begun long ago, so later leads are left to the next poll.
        for id in ids(&poll(&mut now)) {
            *told.entry(id).or_default() += 1;
        }
        line.model.lock().unwrap().still();
        for id in ids(&poll(&mut now)) {
            *told.entry(id).or_default() += 1;
        }
        for id in ids(&poll(&mut now)) {
            *told.entry(id).or_default() += 1;
        }
        let there: HashSet<u32> = line.model.lock().unwrap().rows.iter().map(|row| row.1).collect();
        prop_assert_eq!(there.iter().filter(|id| !told.contains_key(id)).count(), 0, "not told");
        prop_assert_eq!(told.values().filter(|times| **times > 1).count(), 0, "told again");
    }
}

#[test]
fn a_crash_before_the_mark_is_kept_loses_nothing() {
    let line = quiet(10);
    let mut first = poller(&line, &Mark::default(), 5);
    let new = poll(&mut first);
    assert_eq!(new.len(), 10);
    drop(first);
    assert_eq!(poll(&mut poller(&line, &Mark::default(), 5)), new);
}

/// If the failed stream were polled again, it would report the end, and the mark would cover only the leads read so
/// far.
#[test]
fn after_a_fault_all_is_read_again() {
    let model = Arc::new(std::sync::Mutex::new((0, Model::new(10, Churn::Steady(0, 0), 1))));
    let fetch: Fetch = Arc::new(move |query| {
        let (times, model) = &mut *model.lock().unwrap();
        *times += 1;
        let mut page = model.answer(query.window);
        if *times == 2 {
            page.data.reverse();
        }
        Box::pin(std::future::ready(Ok(page)))
    });
    let mut poller = Poller::new(fetch, LeadQuery::new(), Mark::default()).page_size(6);
    assert!(matches!(once(poller.poll()), Poll::Ready(Err(_))));
    assert_eq!(poll(&mut poller).len(), 10);
}

#[test]
fn what_turns_up_within_the_overlap_is_told_and_what_turns_up_before_it_is_not() {
    let line = quiet(10);
    let mut poller = poller(&line, &Mark::default(), 50);
    poll(&mut poller);
    let newest = line.model.lock().unwrap().rows.last().unwrap().0;
    let within = line.model.lock().unwrap().create_at(newest - 50);
    line.model.lock().unwrap().create_at(newest - 51);
    assert_eq!(ids(&poll(&mut poller)), [within]);
    assert_eq!(poll(&mut poller), []);
}

#[test]
fn a_lead_from_the_future_does_not_hide_the_others() {
    let line = quiet(10);
    let mut poller = poller(&line, &Mark::default(), 1_000);
    let far = 32_503_680_000_000;
    let future = line.model.lock().unwrap().create_at(far);
    assert_eq!(ids(&poll(&mut poller)).last(), Some(&future));
    let present = Timestamp::now().unix_millis() + 1_000;
    let next = line.model.lock().unwrap().create_at(present);
    assert_eq!(ids(&poll(&mut poller)), [next]);
    assert_eq!(poll(&mut poller), []);
}

#[test]
fn beyond_what_it_remembers_it_repeats_nothing() {
    let line = quiet(5_000);
    let mut poller = poller(&line, &Mark::default(), u64::MAX);
    for new in [5_000, 0, 0] {
        assert_eq!(poll(&mut poller).len(), new);
        let mark = once(poller.poll()).map(|new| new.unwrap().mark);
        let Poll::Ready(mark) = mark else { panic!("nothing waits here") };
        let written = serde_json::to_string(&mark).unwrap();
        assert!(written.len() < 60 * MOST_REMEMBERED, "{}", written.len());
        assert_eq!(through_json(&mark), mark);
    }
    line.model.lock().unwrap().create(300);
    assert_eq!(poll(&mut poller).len(), 300);
    assert_eq!(poll(&mut poller).len(), 0);
    // A lead that appears among the latest is still returned.
    let newest = line.model.lock().unwrap().rows.last().unwrap().0;
    line.model.lock().unwrap().create_at(newest - 10);
    assert_eq!(poll(&mut poller).len(), 1);
}

/// More leads in one millisecond than can be remembered: no floor can separate them.
#[test]
fn more_of_one_moment_than_can_be_remembered() {
    let line = quiet(0);
    for _ in 0..3_000 {
        line.model.lock().unwrap().create_at(1_700_000_000_000);
    }
    let mut poller = poller(&line, &Mark::default(), 60_000);
    for new in [3_000, 0, 0] {
        assert_eq!(poll(&mut poller).len(), new);
    }
}

#[test]
fn a_poll_of_nothing_new_is_one_request() {
    let line = quiet(5_000);
    let mut poller = poller(&line, &Mark::default(), 10);
    poll(&mut poller);
    line.asked.lock().unwrap().clear();
    poll(&mut poller);
    assert_eq!(line.asked.lock().unwrap().len(), 1);
}

#[test]
fn a_mark_says_its_version_and_takes_no_wild_values() {
    let written = serde_json::to_string(&Mark::at(lead((1_700_000_000_000, 1)).created_at)).unwrap();
    assert_eq!(written, r#"{"version":1,"floor":1700000000000,"told":[]}"#);
    let error = serde_json::from_str::<Mark>(&written.replace("\"version\":1", "\"version\":2")).unwrap_err();
    assert_eq!(error.to_string(), "this is version 2 of a mark, and only 1 can be read");
    assert!(serde_json::from_str::<Mark>(r#"{"version":1,"floor":9223372036854775807,"told":[]}"#).is_err());
}

#[test]
fn nothing_ever_came() {
    let fetch: Fetch = Arc::new(|query| Box::pin(std::future::ready(Ok(Page::new(vec![], 0, query.window)))));
    let mut poller = Poller::new(fetch, LeadQuery::new(), Mark::default());
    let Poll::Ready(Ok(new)) = once(poller.poll()) else { panic!("nothing waits here") };
    assert_eq!((new.leads, new.mark), (vec![], Mark::default()));
}

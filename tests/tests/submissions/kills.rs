//! Kills the host and the leadapi server at random times under load.

use std::{collections::HashSet, time::Instant};

use leadapi_tests::eventually;
use uuid::Uuid;

use crate::{
    programs::{Programs, form},
    visitors::{Visitors, state},
};

const KILLS: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_acknowledged_submission_becomes_exactly_one_lead_despite_sigkill() {
    let begun = Instant::now();
    let mut programs = Programs::start(&form());
    let url = programs.submissions_url();
    let mut visitors = Visitors::start(&url);
    for _ in 0..KILLS {
        visitors.acknowledged(random_below(25)).await;
        match random_below(4) {
            0 => programs.restart_server(),
            // The host has to keep submissions while the server is dead.
            1 => {
                programs.kill_server();
                visitors.acknowledged(random_below(10)).await;
                programs.restart_host();
                programs.restart_server();
            }
            _ => programs.restart_host(),
        }
    }
    let submitted = visitors.stop().await;
    let mut reported = HashSet::new();
    for (name, id) in &submitted {
        let created = eventually(name, async || {
            let state = state(&url, id).await.unwrap();
            assert!(state["error"].is_null(), "lost: {name} {state}");
            (state["state"] == "created").then_some(state.clone()).ok_or(state.to_string())
        });
        reported.insert((name.clone(), created.await["lead_id"].as_str().unwrap().to_owned()));
    }
    let leads = programs.leads().await;
    let extra: Vec<_> = leads.iter().filter(|(name, ids)| ids.len() != 1 || !submitted.contains_key(*name)).collect();
    assert!(extra.is_empty(), "duplicates, or leads without an acknowledged submission: {extra:?}");
    let lead = |(name, ids): (&String, &Vec<String>)| (name.clone(), ids[0].clone());
    assert_eq!(leads.iter().map(lead).collect::<HashSet<_>>(), reported, "lost");
    eprintln!("{KILLS} kills, {} submissions, as many leads, in {:.0?}", submitted.len(), begun.elapsed());
}

fn random_below(bound: usize) -> usize {
    usize::try_from(Uuid::new_v4().as_u128() % bound as u128).unwrap()
}

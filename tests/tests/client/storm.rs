//! Twenty clients with the same token create and read leads through a proxy that drops, delays, truncates and forges
//! responses.

use std::{
    collections::BTreeMap,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use leadapi_client::{
    Client, RetryPolicy,
    id::ClientId,
    model::{LeadQuery, NewLead, Window},
};
use tokio::task::JoinSet;

use crate::{
    proxy::{ATTEMPT, Proxy, storm},
    server::Server,
};

const CLIENTS: usize = 20;
const LEADS: usize = 60;
/// The time limit of each call. It is long enough for a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);
/// The tolerance for a call that exceeds its time limit because the machine is busy.
const SLACK: Duration = Duration::from_secs(60);

/// Creates a lead and reads it back.
async fn create_and_read(client: &Client, name: &str) {
    let begun = Instant::now();
    let lead = client.leads().create(&NewLead::new(&ClientId::parse("c1").unwrap(), name)).await.unwrap();
    assert!(begun.elapsed() < DEADLINE + SLACK);
    assert_eq!(lead.name, name);
    let begun = Instant::now();
    assert_eq!(client.leads().get(&lead.id).await.unwrap(), lead);
    assert!(begun.elapsed() < DEADLINE + SLACK);
}

/// Returns the number of leads with each name.
async fn all(client: &Client) -> BTreeMap<String, usize> {
    let (mut names, mut offset) = (BTreeMap::new(), 0);
    loop {
        let window = Window::new(200, offset).unwrap();
        let page = client.leads().list(&LeadQuery::new().window(window)).await.unwrap();
        if page.data.is_empty() {
            return names;
        }
        offset += page.data.len() as u64;
        page.data.into_iter().for_each(|lead| *names.entry(lead.name).or_default() += 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_lead_is_created_exactly_once_despite_network_faults() {
    let server = Server::start();
    let proxy = Proxy::start(server.address(), storm).await;
    let mut running = JoinSet::new();
    for caller in 0..CLIENTS {
        let builder = server.client(&proxy.address).timeout(DEADLINE).attempt_timeout(ATTEMPT);
        let client = builder.retry(RetryPolicy::default().attempts(12)).build().unwrap();
        running.spawn(async move {
            for nth in 0..LEADS {
                create_and_read(&client, &format!("{caller}-{nth}")).await;
            }
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    let found = all(&server.client(server.address()).build().unwrap()).await;
    let expected = (0..CLIENTS).flat_map(|caller| (0..LEADS).map(move |nth| (format!("{caller}-{nth}"), 1)));
    assert_eq!(found, expected.collect());
    let (sent, needed) = (proxy.requests.load(Ordering::Relaxed), (2 * CLIENTS * LEADS) as u64);
    println!("{needed} calls, {sent} requests, {} connections", proxy.connections.load(Ordering::Relaxed));
    assert!(sent > needed * 105 / 100 && sent <= needed * 120 / 100, "{sent} requests for {needed} calls");
}

#[tokio::test]
async fn connections_are_reused() {
    let server = Server::start();
    let proxy = Proxy::start(server.address(), |_| crate::proxy::Fault::None).await;
    let client = server.client(&proxy.address).build().unwrap();
    for nth in 0..50 {
        create_and_read(&client, &format!("{nth}")).await;
    }
    assert_eq!(proxy.requests.load(Ordering::Relaxed), 100);
    // A call may begin before the previous one has returned its connection to the pool.
    let connections = proxy.connections.load(Ordering::Relaxed);
    assert!((1..=20).contains(&connections), "{connections} connections");
}

//! Twenty clients with the same token create and read leads through a proxy that drops, delays, truncates and forges
//! responses.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use leadapi_client::{
    Client, RetryPolicy,
    id::ClientId,
    model::{LeadQuery, NewLead, Window},
};
use leadapi_tests::proxy::{
    CutKind,
    http::{Fault, HttpProxy},
};
use tokio::task::JoinSet;

use crate::server::Server;

const CLIENTS: usize = 20;
const LEADS: usize = 60;
/// The time limit of each call. It is long enough for a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);
/// The tolerance for a call that exceeds its time limit because the machine is busy.
const SLACK: Duration = Duration::from_secs(60);

/// The time limit of one attempt. The longest delay exceeds it.
const ATTEMPT: Duration = Duration::from_secs(5);

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 28\r\n\r\n\
    {\"error\": \"slow it, please\"}";
const FAILED: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 17\r\n\r\n{\"error\": \"oops\"}";
const RUBBISH: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 29\r\n\r\n\
    <html>Welcome, guest!</html>\n";

/// Returns the fault for the n-th request. The sequence is the same in every run.
fn storm(nth: u64) -> Fault {
    match nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57 {
        0..=2 => Fault::CutRequest(CutKind::Before),
        3..=5 => Fault::CutResponse(CutKind::Before),
        6..=7 => Fault::CutResponse(CutKind::Half),
        8..=9 => Fault::Answered(TOO_MANY),
        10..=11 => Fault::Answered(FAILED),
        12..=13 => Fault::Answered(RUBBISH),
        14 => Fault::Late(ATTEMPT * 2),
        15..=20 => Fault::Late(Duration::from_millis(100)),
        _ => Fault::None,
    }
}

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
    let proxy = HttpProxy::start(server.address(), storm).await;
    let mut running = JoinSet::new();
    for caller in 0..CLIENTS {
        let builder = server.client(&proxy.address()).timeout(DEADLINE).attempt_timeout(ATTEMPT);
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
    let (sent, needed) = (proxy.requests(), (2 * CLIENTS * LEADS) as u64);
    println!("{needed} calls, {sent} requests, {} connections", proxy.connections());
    assert!(sent > needed * 105 / 100 && sent <= needed * 120 / 100, "{sent} requests for {needed} calls");
}

#[tokio::test]
async fn connections_are_reused() {
    let server = Server::start();
    let proxy = HttpProxy::start(server.address(), |_| Fault::None).await;
    let client = server.client(&proxy.address()).build().unwrap();
    for nth in 0..50 {
        create_and_read(&client, &format!("{nth}")).await;
    }
    assert_eq!(proxy.requests(), 100);
    // A call may begin before the previous one has returned its connection to the pool.
    let connections = proxy.connections();
    assert!((1..=20).contains(&connections), "{connections} connections");
}

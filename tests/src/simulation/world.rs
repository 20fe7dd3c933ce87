//! One simulated run: a server, two clients, and a check of the stored leads at the end.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use leadapi_client::{Client, Pacing, RetryPolicy, timer::Timer};
use leadapi_core::{
    auth::BearerToken,
    dataset::Dataset,
    http::LeadService,
    id::ClientId,
    memory::{Limits, MemorySettings, MemoryStore, SlidingWindow},
    model::{Lead, LeadPatch, LeadQuery, NewLead, Timestamp, Window},
    port::{Listed, Store},
    tokens::{StoredTokens, import},
};
use serde_json::{Value, json};
use turmoil::Sim;

use super::{Faults, Simulation, Trace, draw::Draw, server, transport::Simulated};

const CLIENTS: usize = 2;
/// The number of leads per client. A client creates all of them, renames every second one, and deletes every third one.
const LEADS: u64 = 45;
const STEP: Duration = Duration::from_millis(5);
/// The maximum simulated time of a run.
const MAX_TIME: Duration = Duration::from_secs(1_800);
const START: &str = "2026-05-04T07:58:12.004Z";

/// The clock of the simulation.
struct SimTimer;

#[async_trait]
impl Timer for SimTimer {
    fn now(&self) -> Duration {
        // A call that is dropped after the simulation has ended also reads the clock.
        turmoil::sim_elapsed().unwrap_or_default()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Runs a simulation.
///
/// # Panics
///
/// Panics if a call fails, or if the store does not contain exactly the leads that the clients created and did not
/// delete.
pub(super) fn run(Simulation { seed, protocol, faults }: Simulation) -> Trace {
    let mut draw = Draw(seed);
    let mut builder = turmoil::Builder::new();
    builder.rng_seed(draw.next()).simulation_duration(MAX_TIME).tick_duration(STEP).enable_random_order();
    builder.min_message_latency(Duration::from_millis(1)).max_message_latency(Duration::from_millis(50));
    if faults == Faults::All {
        builder.max_message_latency(Duration::from_millis(draw.between(20, 900)));
        builder.fail_rate(0.02).repair_rate(0.2);
    }
    let mut sim = builder.build();
    // Each client has its own token, so that the clients do not share a rate limit.
    let tokens = [(); CLIENTS].map(|()| BearerToken::generate().expect("randomness"));
    let store = Arc::new(MemoryStore::new(data(&tokens)));
    let service = service(store.clone(), &tokens);
    let drains = Arc::new(AtomicU64::new(0));
    let of_server = (faults == Faults::All).then(|| Draw(draw.next()));
    {
        let (drains, service) = (drains.clone(), service.clone());
        sim.host("server", move || server::serve(service.clone(), of_server.clone(), drains.clone()));
    }
    let (requests, calls) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let created = Arc::new(Mutex::new(BTreeSet::new()));
    for (nth, token) in tokens.iter().enumerate() {
        let transport = Simulated::new(protocol, requests.clone());
        let client = client(token, transport);
        let (calls, created) = (calls.clone(), created.clone());
        sim.client(format!("client-{nth}"), work(nth, client, calls, created));
    }
    let crashes = if faults == Faults::All { step_with_crashes(&mut sim, &mut draw) } else { step(&mut sim) };
    let (stored, created) = (stored(&store), created.lock().unwrap());
    let doubled: Vec<_> = stored.iter().filter(|lead| !created.contains(lead)).collect();
    let lost: Vec<_> = created.iter().filter(|lead| !stored.contains(lead)).collect();
    assert!(doubled.is_empty() && lost.is_empty(), "doubled: {doubled:?}, lost: {lost:?}");
    Trace {
        requests: requests.load(Ordering::Relaxed),
        calls: calls.load(Ordering::Relaxed),
        crashes,
        drains: drains.load(Ordering::Relaxed),
        simulated: sim.elapsed(),
    }
}

fn step(sim: &mut Sim<'_>) -> u64 {
    sim.run().unwrap();
    0
}

/// Runs the simulation, and crashes and restarts the server at random times. Returns the number of crashes.
fn step_with_crashes(sim: &mut Sim<'_>, draw: &mut Draw) -> u64 {
    let (mut crashes, mut next) = (0, Duration::from_secs(draw.between(2, 30)));
    while !sim.step().unwrap() {
        if sim.elapsed() < next {
            continue;
        }
        if sim.is_host_running("server") {
            sim.crash("server");
            crashes += 1;
            next = sim.elapsed() + Duration::from_millis(draw.between(50, 5_000));
        } else {
            sim.bounce("server");
            next = sim.elapsed() + Duration::from_secs(draw.between(2, 30));
        }
    }
    crashes
}

fn data(tokens: &[BearerToken]) -> Dataset {
    let token = |token: &BearerToken| json!({"name": "t", "scopes": ["read", "write"], "token": token.expose()});
    let tokens: Vec<Value> = tokens.iter().map(token).collect();
    let client = json!({"id": "c1", "name": "C", "created_at": START});
    let business = json!({"id": "b1", "name": "B", "created_at": START, "clients": [client], "tokens": tokens});
    Dataset::parse(&json!({"businesses": [business]}).to_string()).unwrap()
}

fn service(store: Arc<MemoryStore>, tokens: &[BearerToken]) -> LeadService {
    let clock = || START.parse::<Timestamp>().unwrap();
    let settings = Arc::new(MemorySettings::new(&data(tokens)));
    futures_executor::block_on(import(&*settings, &data(tokens), clock())).unwrap();
    let tokens = StoredTokens::new(settings, clock);
    let elapsed = || turmoil::sim_elapsed().expect("in the simulation");
    let limiter = SlidingWindow::with_time(Limits::default(), elapsed);
    LeadService::builder(store, tokens).limiter(limiter).clock(clock).base_path("/v1").build().unwrap()
}

fn client(token: &BearerToken, transport: Simulated) -> Client {
    Client::builder("http://server/v1", token.expose())
        .timer(SimTimer)
        .transport(transport)
        .pacing(Pacing::default())
        .retry(RetryPolicy::default().attempts(30))
        .timeout(Duration::from_secs(600))
        .attempt_timeout(Duration::from_secs(5))
        .build()
        .unwrap()
}

/// Creates, renames, reads and deletes leads, and records the leads that the store must contain at the end.
async fn work(
    nth: usize,
    client: Client,
    calls: Arc<AtomicU64>,
    created: Arc<Mutex<BTreeSet<(String, String)>>>,
) -> turmoil::Result {
    let leads = client.leads();
    let count = || calls.fetch_add(1, Ordering::Relaxed);
    for number in 0..LEADS {
        let name = format!("{nth}-{number}");
        count();
        let mut lead = leads.create(&NewLead::new(&ClientId::parse("c1")?, &name)).await?;
        assert_eq!(lead.name, name);
        if number % 2 == 0 {
            count();
            lead = leads.update(&lead.id, &LeadPatch::new().name(format!("{name}!"))).await?;
        }
        count();
        assert_eq!(leads.get(&lead.id).await?, lead);
        if number % 3 == 0 {
            count();
            leads.delete(&lead.id).await?;
        } else {
            created.lock().unwrap().insert((lead.id.to_string(), lead.name));
        }
    }
    Ok(())
}

/// Returns the id and the name of each lead.
fn stored(store: &MemoryStore) -> BTreeSet<(String, String)> {
    let query = LeadQuery::new().window(Window::new(200, 0).unwrap());
    let listed = futures_executor::block_on(store.list(&"b1".parse().unwrap(), &query)).unwrap();
    let Listed::Page(page) = listed else { panic!("no page") };
    assert_eq!(page.total, page.data.len() as u64);
    let named = |lead: &Arc<Lead>| (lead.id.to_string(), lead.name.clone());
    page.data.iter().map(named).collect()
}

//! Exports all leads while other clients write.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use leadapi_client::{
    Client, Pacing,
    id::{ClientId, LeadId},
    model::{LeadQuery, NewLead},
};
use leadapi_core::{
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    model::Lead,
    port::{TokenRecord, TokenStore},
    tokens::StoredTokens,
};

const LEADS: usize = 100_000;
const WRITERS: usize = 4;
/// The maximum number of inserts, and of deletes, that each writer makes while the pager reads a page. If the list
/// repeatedly changed by more than a page during that time, the pager could fail.
const WRITES_PER_PAGE: usize = 10;

/// Returns a client for an in-process service with [`LEADS`] leads. The writers may delete every tenth lead; the other
/// leads stay.
async fn client() -> Client {
    let mut data = Dataset::parse(
        r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
            "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]}]}"#,
    )
    .unwrap();
    let at = "2026-01-01T00:00:00Z".parse().unwrap();
    // All leads have the same timestamp, so their ids alone determine the order.
    data.businesses[0].leads = (0..LEADS).map(|nth| Lead::new(old(nth), c1(), format!("{nth}"), at)).collect();
    let (tokens, token) = (MemoryTokens::default(), BearerToken::generate().unwrap());
    tokens.insert(&"b1".parse().unwrap(), TokenRecord::new(&token, "t", Scopes::Both, at)).await.unwrap();
    let verifier = StoredTokens::new(tokens, SystemClock).cached();
    let limits = Limits::new(NonZeroU32::MAX, NonZeroU32::MAX);
    let service = LeadService::builder(MemoryStore::new(data), verifier).limiter(SlidingWindow::new(limits));
    let service = service.build().unwrap();
    Client::builder("http://in-process", token).pacing(Pacing::off()).in_process(service).build().unwrap()
}

fn c1() -> ClientId {
    ClientId::parse("c1").unwrap()
}

fn old(nth: usize) -> LeadId {
    LeadId::parse(format!("old-{nth:06}")).unwrap()
}

fn stays(nth: usize) -> bool {
    !nth.is_multiple_of(10)
}

/// Creates and deletes leads until `stop` is set. Makes at most [`WRITES_PER_PAGE`] creates and as many deletes while
/// the pager reads a page. Returns the number of rounds.
async fn write(client: Client, writer: usize, stop: Arc<AtomicBool>, read: Arc<AtomicUsize>) -> usize {
    let mut goes = (0..LEADS).filter(|nth| !stays(*nth) && nth / 10 % WRITERS == writer);
    let mut written = 0;
    while !stop.load(Ordering::Relaxed) {
        if written >= WRITES_PER_PAGE * (1 + read.load(Ordering::Relaxed)) {
            tokio::task::yield_now().await;
            continue;
        }
        client.leads().create(&NewLead::new(&c1(), "new")).await.unwrap();
        // Alternates between the two ends, so that leads disappear both ahead of the pager and behind it.
        if let Some(nth) = if written % 2 == 0 { goes.next() } else { goes.next_back() } {
            client.leads().delete(&old(nth)).await.unwrap();
        }
        written += 1;
        tokio::task::yield_now().await;
    }
    written
}

async fn export(prefetch: usize) {
    let client = client().await;
    let (stop, read) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let writers: Vec<_> =
        (0..WRITERS).map(|writer| tokio::spawn(write(client.clone(), writer, stop.clone(), read.clone()))).collect();
    let mut found: BTreeMap<LeadId, usize> = BTreeMap::new();
    let mut pages = client.leads().list_all(LeadQuery::new()).prefetch(prefetch).pages();
    while let Some(page) = pages.try_next().await.unwrap() {
        read.fetch_add(1, Ordering::Relaxed);
        for lead in page {
            *found.entry(lead.id).or_default() += 1;
        }
        tokio::task::yield_now().await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    let repeated: Vec<_> = found.iter().filter(|(_, times)| **times > 1).collect();
    let missed: BTreeSet<_> =
        (0..LEADS).filter(|nth| stays(*nth)).map(old).filter(|id| !found.contains_key(id)).collect();
    println!(
        "prefetch {prefetch}: {} leads in {} pages while {written} were created and deleted; missed {}, repeated {}",
        found.len(),
        read.load(Ordering::Relaxed),
        missed.len(),
        repeated.len(),
    );
    assert!(written > 1_000, "{written} writes are too few to shift the list");
    assert!(repeated.is_empty() && missed.is_empty(), "missed {missed:?}, repeated {repeated:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_during_writes_reads_every_remaining_lead_once() {
    for prefetch in [0, 1, 4] {
        export(prefetch).await;
    }
}

//! A ledger in memory, for servers in simulated time.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, AtomicI64, AtomicUsize},
};

use super::*;
use crate::key_time::{KeyClock, Reading, StoredTime};

const LATENCY: Duration = Duration::from_millis(1);

/// A ledger in memory, with the latency of a database. Each server has its own view of the database's clock.
#[derive(Clone)]
pub(super) struct MemoryLedger(pub(super) Arc<Tables>, Arc<Mutex<KeyClock>>);

pub(super) struct Tables {
    start: Instant,
    ledgers: Mutex<HashMap<Key, Ledger>>,
    pub(super) members: Mutex<HashMap<ServerId, u64>>,
    /// The number of claims and releases.
    operations: AtomicUsize,
    /// The number of other calls.
    other_calls: AtomicUsize,
    pub(super) is_down: AtomicBool,
    /// The milliseconds by which the database's clock was set forward since the start.
    clock_step: AtomicI64,
    key_time: Mutex<Option<StoredTime>>,
}

impl Tables {
    /// Returns the time on the database's clock.
    fn read_clock(&self) -> Reading {
        // The clock starts in 2026.
        let start = 1_767_225_600_000 + self.clock_step.load(Relaxed);
        let received = self.start.elapsed();
        let micros = start * 1_000 + i64::try_from(received.as_micros()).unwrap();
        Reading { micros, sent: received.saturating_sub(LATENCY), received }
    }
}

impl MemoryLedger {
    pub(super) fn new() -> Self {
        let tables = Arc::new(Tables {
            start: Instant::now(),
            ledgers: Mutex::default(),
            members: Mutex::default(),
            operations: AtomicUsize::new(0),
            other_calls: AtomicUsize::new(0),
            is_down: AtomicBool::new(false),
            clock_step: AtomicI64::new(0),
            key_time: Mutex::default(),
        });
        Self(tables.clone(), Self::start_clock(&tables))
    }

    /// Returns the ledger as a new server sees it.
    pub(super) fn of_new_server(&self) -> Self {
        Self(self.0.clone(), Self::start_clock(&self.0))
    }

    fn start_clock(tables: &Tables) -> Arc<Mutex<KeyClock>> {
        Arc::new(Mutex::new(KeyClock::new(tables.read_clock(), *tables.key_time.lock().unwrap())))
    }

    fn now(&self) -> i64 {
        self.1.lock().unwrap().adopt(self.0.read_clock(), None).key_time.div_euclid(1_000)
    }

    /// Compares the key time with that of the other servers.
    fn synchronize(&self) {
        let mut stored = self.0.key_time.lock().unwrap();
        let own = self.1.lock().unwrap().adopt(self.0.read_clock(), *stored);
        *stored = stored.filter(|stored| stored.key_time >= own.key_time).or(Some(own));
    }

    pub(super) fn step_clock(&self, seconds: i64) {
        self.0.clock_step.fetch_add(seconds * 1_000, Relaxed);
    }

    async fn operation(&self) -> Result<(), BoxError> {
        self.0.operations.fetch_add(1, Relaxed);
        sleep(LATENCY).await;
        self.check()
    }

    fn check(&self) -> Result<(), BoxError> {
        if self.0.is_down.load(Relaxed) { Err("the database is down".into()) } else { Ok(()) }
    }

    pub(super) fn operations(&self) -> usize {
        self.0.operations.load(Relaxed)
    }

    /// Returns the number of all calls.
    pub(super) fn calls(&self) -> usize {
        self.operations() + self.0.other_calls.load(Relaxed)
    }
}

#[async_trait]
impl LedgerStore for MemoryLedger {
    async fn claim(&self, server: &ServerId, key: &Key, claim: &Claim) -> Result<Option<Claimed>, BoxError> {
        self.operation().await?;
        let alive = self.0.members.lock().unwrap().keys().cloned().collect();
        let mut ledgers = self.0.ledgers.lock().unwrap();
        Ok(ledgers.entry(key.clone()).or_default().claim(server, claim, &alive, self.now()))
    }

    async fn release(&self, server: &ServerId, key: &Key, release: &Release) -> Result<(), BoxError> {
        self.operation().await?;
        let mut ledgers = self.0.ledgers.lock().unwrap();
        ledgers.entry(key.clone()).or_default().release(server, release, self.now());
        Ok(())
    }

    async fn wanted(&self) -> Result<Vec<Key>, BoxError> {
        self.0.other_calls.fetch_add(1, Relaxed);
        let now = self.now();
        let ledgers = self.0.ledgers.lock().unwrap();
        let wanted = ledgers.iter().filter(|(_, ledger)| (1..=RECALL_MILLIS).contains(&(ledger.wanted_until - now)));
        Ok(wanted.map(|(key, _)| key.clone()).collect())
    }

    async fn join(&self, server: &ServerId) -> Result<(), BoxError> {
        self.0.other_calls.fetch_add(1, Relaxed);
        self.0.members.lock().unwrap().entry(server.clone()).or_insert(0);
        Ok(())
    }

    async fn beat(&self, server: &ServerId) -> Result<Option<Vec<Member>>, BoxError> {
        self.0.other_calls.fetch_add(1, Relaxed);
        self.check()?;
        self.synchronize();
        let mut members = self.0.members.lock().unwrap();
        let Some(beat) = members.get_mut(server) else { return Ok(None) };
        *beat += 1;
        Ok(Some(members.iter().map(|(server, beat)| Member { server: server.clone(), beat: *beat }).collect()))
    }

    async fn remove(&self, member: &Member) -> Result<(), BoxError> {
        self.0.other_calls.fetch_add(1, Relaxed);
        let mut members = self.0.members.lock().unwrap();
        if members.get(&member.server) == Some(&member.beat) {
            members.remove(&member.server);
        }
        Ok(())
    }
}

//! Tests of servers that share one ledger, in simulated time.

mod clock_steps;
mod idle;
mod memory_ledger;

use std::ops::Range;

use self::memory_ledger::MemoryLedger;
use super::*;

const SECOND: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_secs(60);

/// A caller that sends requests to several servers and records the times of its admissions.
struct Caller {
    ledger: MemoryLedger,
    servers: Vec<ClusterLimiter<MemoryLedger>>,
    admitted: Vec<Instant>,
    refused: usize,
    random: u64,
}

impl Caller {
    async fn new(servers: usize) -> Self {
        let ledger = MemoryLedger::new();
        let mut caller = Self { ledger, servers: Vec::new(), admitted: Vec::new(), refused: 0, random: 1 };
        for _ in 0..servers {
            caller.start_server().await;
        }
        caller
    }

    async fn start_server(&mut self) {
        self.servers.push(ClusterLimiter::start(Limits::default(), self.ledger.of_new_server().into()).await.unwrap());
    }

    /// Stops a server without notice. The server's tasks end, because they hold only weak references to the limiter.
    fn crash(&mut self, nth: usize) {
        drop(self.servers.swap_remove(nth));
    }

    /// Returns a pseudo-random number below `end`.
    fn random(&mut self, end: usize) -> usize {
        // The constants of Knuth's MMIX generator.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap() % end
    }

    async fn read(&mut self) -> Admission {
        let nth = self.random(self.servers.len());
        self.read_from(nth).await
    }

    async fn read_from(&mut self, nth: usize) -> Admission {
        let admission = self.servers[nth].admit(&TokenId::parse("t").unwrap(), Class::Read).await.unwrap();
        match admission {
            Admission::Admitted => self.admitted.push(Instant::now()),
            Admission::Refused { .. } => self.refused += 1,
        }
        admission
    }

    /// Sends requests one after another at a steady rate. After a slow request, the next ones catch up.
    async fn steady(&mut self, interval: Duration, duration: Duration) {
        let start = Instant::now();
        let mut at = start;
        while at < start + duration {
            tokio::time::sleep_until(at).await;
            self.read().await;
            at += interval;
        }
    }

    /// Asserts that no window contains more admissions than the limit.
    fn assert_within_the_limit(&self) {
        for (first, last) in self.admitted.iter().zip(self.admitted.iter().skip(600)) {
            assert!(*last - *first >= WINDOW, "601 requests in {:?}", *last - *first);
        }
    }

    fn assert_refused(&self, expected: Range<usize>) {
        assert!(expected.contains(&self.refused), "{} of {}", self.refused, self.refused + self.admitted.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_at_the_exact_limit_is_refused_at_most_1_percent_of_the_time() {
    let mut caller = Caller::new(3).await;
    caller.steady(Duration::from_millis(100), 600 * SECOND).await;
    caller.assert_within_the_limit();
    caller.assert_refused(0..60);
}

#[tokio::test(start_paused = true)]
async fn below_the_limit_there_is_at_most_a_tenth_of_a_round_trip_per_request() {
    for (servers, percent) in [(1, 90), (2, 50), (3, 10), (3, 50), (3, 80), (3, 90), (8, 50)] {
        let mut caller = Caller::new(servers).await;
        caller.steady(SECOND * 10 / percent, 600 * SECOND).await;
        // A claim or release on PostgreSQL takes two round trips.
        let round_trips = caller.ledger.operations() * 2;
        caller.assert_within_the_limit();
        caller.assert_refused(0..1);
        assert!(round_trips * 10 <= caller.admitted.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_admitted_up_to_the_limit() {
    let mut caller = Caller::new(3).await;
    for _ in 0..1_200 {
        caller.read().await;
    }
    assert_eq!(caller.admitted.len(), 600);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_waits_for_retry_after_is_admitted() {
    let mut caller = Caller::new(3).await;
    for round in 0..200 {
        // A burst in the first round, then a few requests per round.
        for _ in 0..if round == 0 { 1_000 } else { 3 } {
            if let Admission::Refused { retry_after } = caller.read().await {
                assert!(retry_after <= WINDOW);
                // Callers receive `Retry-After` in whole seconds.
                sleep(Duration::from_secs(retry_after.as_nanos().div_ceil(1_000_000_000).try_into().unwrap())).await;
                assert_eq!(caller.read().await, Admission::Admitted, "round {round}");
            }
        }
    }
    caller.assert_within_the_limit();
}

#[tokio::test(start_paused = true)]
async fn crashes_never_exceed_the_limit_and_the_share_returns() {
    let mut caller = Caller::new(3).await;
    caller.steady(Duration::from_millis(20), 30 * SECOND).await;
    for _ in 0..10 {
        let crashed = caller.random(caller.servers.len());
        caller.crash(crashed);
        caller.steady(Duration::from_millis(50), 20 * SECOND).await;
        caller.start_server().await;
        caller.steady(Duration::from_millis(50), 7 * SECOND).await;
    }
    caller.assert_within_the_limit();
    // After the crashed servers' shares have returned, the whole limit is available.
    sleep(75 * SECOND).await;
    let before = caller.admitted.len();
    for _ in 0..700 {
        caller.read().await;
    }
    assert_eq!(caller.admitted.len() - before, 600);
    caller.assert_within_the_limit();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_removed_while_it_was_frozen_joins_again() {
    let mut caller = Caller::new(2).await;
    for _ in 0..600 {
        caller.read().await;
    }
    // In production, another server removes the members after the lease and the window have passed.
    sleep(80 * SECOND).await;
    caller.ledger.0.members.lock().unwrap().clear();
    sleep(11 * SECOND).await;
    for _ in 0..700 {
        caller.read().await;
    }
    assert_eq!(caller.admitted.len(), 1_200);
    caller.assert_within_the_limit();
}

#[tokio::test(start_paused = true)]
async fn without_the_database_a_server_admits_requests_only_during_its_lease() {
    let token = TokenId::parse("t").unwrap();
    let mut caller = Caller::new(1).await;
    assert_eq!(caller.read().await, Admission::Admitted);
    caller.ledger.0.is_down.store(true, Relaxed);
    sleep(7 * SECOND).await;
    assert_eq!(caller.read().await, Admission::Admitted);
    sleep(4 * SECOND).await;
    let error = caller.servers[0].admit(&token, Class::Read).await.unwrap_err();
    assert_eq!(error.to_string(), "the database is down");
    caller.ledger.0.is_down.store(false, Relaxed);
    assert_eq!(caller.read().await, Admission::Admitted);
}

//! Tests of the guarantees of contract D9, against a naive oracle and on a virtual clock.

use std::sync::{
    Arc, Barrier,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use proptest::prelude::*;

use super::*;

const SECOND: u64 = 1_000_000;

fn limits(reads: u32, writes: u32) -> Limits {
    Limits { reads: reads.try_into().unwrap(), writes: writes.try_into().unwrap() }
}

fn limiter(limits: Limits) -> (SlidingWindow, Arc<AtomicU64>) {
    let now = Arc::new(AtomicU64::new(0));
    let time = {
        let now = now.clone();
        move || Duration::from_micros(now.load(Ordering::Relaxed))
    };
    (SlidingWindow::with_time(limits, time), now)
}

fn token(id: usize) -> TokenId {
    TokenId::parse(id.to_string()).unwrap()
}

/// An oracle that applies the definition literally: it scans all past admissions for each request.
#[derive(Default)]
struct Oracle(Vec<u64>);

impl Oracle {
    fn admit(&mut self, now: u64, limit: usize) -> Result<(), u64> {
        let within: Vec<u64> = self.0.iter().copied().filter(|at| now - at < WINDOW).collect();
        if within.len() >= limit {
            return Err(within[within.len() - limit] + WINDOW - now);
        }
        self.0.push(now);
        Ok(())
    }
}

const WINDOW: u64 = 60 * SECOND;

/// Intervals between requests: bursts, steady streams, window edges, and gaps long enough for 32-bit times to wrap
/// around.
fn steps() -> impl Strategy<Value = Vec<u64>> {
    let step = prop_oneof![
        6 => Just(0),
        4 => 1..2 * SECOND,
        2 => prop::sample::select(vec![WINDOW - 1, WINDOW, WINDOW + 1, WINDOW / 2, SECOND]),
        1 => prop::sample::select(vec![u64::from(u32::MAX), u64::from(u32::MAX) + 1, 71 * 60 * SECOND, 59 * SECOND]),
    ];
    prop::collection::vec(step, 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The limiter makes the same decisions, with the same waits, as the oracle.
    #[test]
    fn decisions_match_the_definition(steps in steps(), limit in 1_u32..20) {
        let (limiter, now) = limiter(limits(limit, 1));
        let mut oracle = Oracle::default();
        for step in steps {
            let at = now.fetch_add(step, Ordering::Relaxed) + step;
            let expected = match oracle.admit(at, limit as usize) {
                Ok(()) => Admission::Admitted,
                Err(micros) => Admission::Refused { retry_after: Duration::from_micros(micros) },
            };
            prop_assert_eq!(limiter.check(&token(1), Class::Read), expected);
        }
    }

    /// If a token has a single caller, a retry after `retry_after` is admitted and any earlier retry is refused.
    #[test]
    fn retry_after_is_the_exact_wait(steps in steps(), limit in 1_u32..20) {
        let (limiter, now) = limiter(limits(limit, 1));
        for step in steps {
            now.fetch_add(step, Ordering::Relaxed);
            if let Admission::Refused { retry_after } = limiter.check(&token(1), Class::Read) {
                let micros = u64::try_from(retry_after.as_micros()).unwrap();
                prop_assert!((1..=WINDOW).contains(&micros));
                now.fetch_add(micros - 1, Ordering::Relaxed);
                prop_assert_ne!(limiter.check(&token(1), Class::Read), Admission::Admitted);
                now.fetch_add(1, Ordering::Relaxed);
                prop_assert_eq!(limiter.check(&token(1), Class::Read), Admission::Admitted);
            }
        }
    }
}

#[test]
fn a_caller_that_sends_steadily_at_the_limit_is_never_refused() {
    let (limiter, now) = limiter(Limits::default());
    for _ in 0..6_000 {
        assert_eq!(limiter.check(&token(1), Class::Read), Admission::Admitted);
        now.fetch_add(WINDOW / 600, Ordering::Relaxed);
    }
}

/// GCRA would admit 1199 requests here, and fixed windows would admit 1200.
#[test]
fn bursts_around_a_window_edge_do_not_double_the_limit() {
    let (limiter, now) = limiter(Limits::default());
    let burst = || (0..1_000).filter(|_| limiter.check(&token(1), Class::Read) == Admission::Admitted).count();
    now.store(59 * SECOND, Ordering::Relaxed);
    assert_eq!(burst(), 600);
    now.store(61 * SECOND, Ordering::Relaxed);
    assert_eq!(burst(), 0);
    now.store(119 * SECOND - 1, Ordering::Relaxed);
    assert_eq!(burst(), 0);
    now.store(119 * SECOND, Ordering::Relaxed);
    assert_eq!(burst(), 600);
}

#[test]
fn tokens_and_classes_are_counted_separately() {
    let (limiter, _) = limiter(limits(2, 1));
    let mut verdicts = Vec::new();
    for (id, class) in [(1, Class::Read), (1, Class::Write), (1, Class::Read), (2, Class::Write), (1, Class::Write)] {
        verdicts.push(limiter.check(&token(id), class) == Admission::Admitted);
    }
    assert_eq!(verdicts, [true, true, true, true, false]);
}

/// All threads start each round together. Without the barrier, the first thread could exhaust the limit before the
/// second one starts.
#[test]
fn concurrent_threads_are_admitted_exactly_the_limit() {
    const ROUNDS: usize = 200;
    const THREADS: usize = 4;
    let (limiter, _) = limiter(Limits::default());
    let admitted = [const { AtomicUsize::new(0) }; ROUNDS];
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for (round, admitted) in admitted.iter().enumerate() {
                    start.wait();
                    for _ in 0..600 {
                        if limiter.check(&token(round), Class::Read) == Admission::Admitted {
                            admitted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(admitted.map(AtomicUsize::into_inner), [600; ROUNDS]);
}

#[test]
fn a_saturated_token_uses_at_most_3_kilobytes() {
    let (limiter, now) = limiter(Limits::default());
    // Fills and drains the log repeatedly, so that it reaches and keeps its maximum capacity.
    for _ in 0..3 {
        for _ in 0..700 {
            now.fetch_add(1_000, Ordering::Relaxed);
            limiter.check(&token(1), Class::Read);
            limiter.check(&token(1), Class::Write);
        }
        now.fetch_add(50 * SECOND, Ordering::Relaxed);
    }
    let bytes: usize = limiter
        .shards
        .iter()
        .flat_map(|shard| {
            let shard = lock(shard);
            shard.logs.values().map(|logs| logs.reads.bytes() + logs.writes.bytes()).collect::<Vec<_>>()
        })
        .sum();
    assert!((2_640..=3_000).contains(&bytes), "{bytes}");
}

#[test]
fn idle_tokens_are_dropped() {
    let (limiter, now) = limiter(Limits::default());
    let check = |at: u64, ids: std::ops::Range<usize>| {
        now.store(at, Ordering::Relaxed);
        ids.for_each(|id| assert_eq!(limiter.check(&token(id), Class::Read), Admission::Admitted));
        (limiter.tokens(), limiter.shards.iter().map(|shard| lock(shard).logs.capacity()).sum::<usize>())
    };
    assert_eq!(check(0, 0..10_000).0, 10_000);
    assert_eq!(check(WINDOW - 1, 9_000..10_000).0, 10_000);
    assert!(limiter.shards.iter().all(|shard| lock(shard).swept == Duration::ZERO), "a shard is swept once per window");
    // These and the later requests reach every shard several times; one request per shard would be enough.
    let (tokens, capacity) = check(WINDOW, 9_000..10_000);
    assert_eq!(tokens, 1_000);
    assert!((3_000..8_000).contains(&capacity), "the memory is freed, except for some room to grow: {capacity}");
    let (tokens, capacity) = check(4 * WINDOW, 10_000..11_000);
    assert_eq!(tokens, 1_000);
    assert!(capacity < 3_000, "{capacity}");
}

#[test]
fn a_token_with_idle_reads_keeps_its_writes() {
    for idle in [Class::Read, Class::Write] {
        let busy = if idle == Class::Read { Class::Write } else { Class::Read };
        let (limiter, now) = limiter(limits(1, 1));
        assert_eq!(limiter.check(&token(1), idle), Admission::Admitted);
        now.store(WINDOW / 2, Ordering::Relaxed);
        assert_eq!(limiter.check(&token(1), busy), Admission::Admitted);
        now.store(WINDOW, Ordering::Relaxed);
        assert_eq!(limiter.check(&token(1), idle), Admission::Admitted);
        let retry_after = Duration::from_secs(30);
        assert_eq!(limiter.check(&token(1), busy), Admission::Refused { retry_after });
    }
}

#[test]
fn a_log_grows_in_few_steps_to_the_limit() {
    let mut log = AdmissionLog::default();
    let mut sizes: Vec<usize> = Vec::new();
    for _ in 0..600 {
        log.admit(Duration::ZERO, 600).unwrap();
        sizes.push(log.bytes());
    }
    sizes.dedup();
    assert!(sizes.len() <= 8, "each step doubles the capacity: {sizes:?}");
    assert!(sizes.is_sorted() && sizes[sizes.len() - 1] - size_of::<AdmissionLog>() == 600 * size_of::<u32>());
}

#[test]
fn a_log_reports_its_admissions_and_when_the_next_one_leaves() {
    let (mut log, at) = (AdmissionLog::default(), Duration::from_secs);
    assert_eq!((log.count(at(0)), log.next_free(at(0))), (0, None));
    for second in [0, 10, 20] {
        assert_eq!(log.admit(at(second), 3), Ok(()));
    }
    assert_eq!((log.count(at(20)), log.next_free(at(20))), (3, Some(at(40))));
    assert_eq!((log.count(at(60)), log.next_free(at(60))), (2, Some(at(10))));
    assert_eq!((log.count(at(80)), log.next_free(at(80))), (0, None));
    assert_eq!(log.admit(at(80), 0), Err(AdmissionLog::WINDOW));
}

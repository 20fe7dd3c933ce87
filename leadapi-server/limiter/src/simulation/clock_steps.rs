//! The database's clock is set while servers share its ledger. The servers measure durations with their own monotonic
//! clocks, so this must neither admit more than the limit nor refuse a token for longer than the window.

use super::*;

/// The steps of the database's clock, in seconds. The smallest are those of an NTP client, and the largest happen when
/// another database takes over or a snapshot is resumed.
const STEPS: [i64; 16] = [-864_000, -7_200, -90, -61, -60, -59, -50, -30, -1, 1, 30, 59, 61, 90, 7_200, 864_000];

/// The time between two requests of the caller.
const INTERVAL: Duration = SECOND;

/// A refusal lasts at most for the window, plus the time until the next query of the ledger, plus the time until the
/// caller's next request.
const LONGEST_REFUSAL: Duration = Duration::from_secs(60 + 1 + 1);

impl Caller {
    /// Sends one request per second to a server until it admits one. Returns how long it refused them.
    async fn refused_by(&mut self, nth: usize) -> Duration {
        let start = Instant::now();
        while start.elapsed() < 10 * WINDOW && self.read_from(nth).await != Admission::Admitted {
            sleep(INTERVAL).await;
        }
        start.elapsed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_refuses_no_token_for_longer_than_the_window_after_the_database_clock_was_set() {
    // The time of the step, and the time of the first request to the other server, after the first server has used up
    // the limit.
    for (step_after, request_after) in [(0, 0), (0, 1), (1, 2), (1, 55), (30, 31), (50, 52)] {
        for step in STEPS {
            let mut caller = Caller::new(2).await;
            for _ in 0..600 {
                assert_eq!(caller.read_from(0).await, Admission::Admitted);
            }
            sleep(SECOND * step_after).await;
            caller.ledger.step_clock(step);
            sleep(SECOND * (request_after - step_after)).await;
            let refused = caller.refused_by(1).await;
            let what = format!("a step of {step} s after {step_after} s, a request after {request_after} s");
            assert!(refused <= LONGEST_REFUSAL, "{what}: refused for {refused:?}");
            caller.assert_within_the_limit();
        }
    }
}

/// The other server has already refused requests when the clock is set.
#[tokio::test(start_paused = true)]
async fn a_step_of_the_database_clock_does_not_prolong_a_refusal() {
    for step in STEPS {
        let mut caller = Caller::new(2).await;
        for _ in 0..600 {
            caller.read_from(0).await;
        }
        let start = Instant::now();
        for _ in 0..10 {
            assert!(matches!(caller.read_from(1).await, Admission::Refused { .. }));
            sleep(INTERVAL).await;
        }
        caller.ledger.step_clock(step);
        caller.refused_by(1).await;
        assert!(start.elapsed() <= LONGEST_REFUSAL, "a step of {step} s: refused for {:?}", start.elapsed());
        caller.assert_within_the_limit();
    }
}

/// One server has used up the limit. The clock is set before another server refuses a request, and again during the
/// wait.
#[tokio::test(start_paused = true)]
async fn a_caller_that_waits_for_retry_after_is_admitted_although_the_database_clock_was_set() {
    for step in STEPS {
        for (step_after, again_after) in [(0, 0), (1, 10), (30, 1), (50, 9)] {
            let mut caller = Caller::new(3).await;
            for _ in 0..600 {
                caller.read_from(0).await;
            }
            sleep(SECOND * step_after).await;
            caller.ledger.step_clock(step);
            let Admission::Refused { retry_after } = caller.read_from(1).await else { panic!("{step} s: admitted") };
            sleep(SECOND * again_after).await;
            caller.ledger.step_clock(step);
            // Callers receive `Retry-After` in whole seconds.
            let secs = retry_after.as_nanos().div_ceil(1_000_000_000).try_into().unwrap();
            sleep(Duration::from_secs(secs).saturating_sub(SECOND * again_after)).await;
            let what = format!("a step of {step} s after {step_after} s and {again_after} s later");
            assert_eq!(caller.read_from(1).await, Admission::Admitted, "{what}");
            caller.assert_within_the_limit();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn random_steps_of_the_database_clock_never_exceed_the_limit() {
    let mut caller = Caller::new(3).await;
    for _ in 0..40 {
        let step = STEPS[caller.random(STEPS.len())];
        caller.ledger.step_clock(step);
        let seconds = u32::try_from(caller.random(40)).unwrap() + 1;
        let before = caller.admitted.len();
        caller.steady(Duration::from_millis(50), seconds * SECOND).await;
        assert!(caller.admitted.len() > before || seconds < 62, "no request was admitted in {seconds} s");
    }
    caller.assert_within_the_limit();
}

/// Permits that nobody waits for must not be returned, or each request of a busy server would need another claim.
#[tokio::test(start_paused = true)]
async fn a_recall_ends_although_the_database_clock_was_set_back() {
    let mut caller = Caller::new(2).await;
    for _ in 0..600 {
        caller.read_from(0).await;
    }
    assert!(matches!(caller.read_from(1).await, Admission::Refused { .. }));
    caller.ledger.step_clock(-7_200);
    sleep(2 * WINDOW).await;
    let before = caller.ledger.operations();
    for _ in 0..100 {
        caller.read_from(0).await;
        sleep(SECOND).await;
    }
    let operations = caller.ledger.operations() - before;
    assert!(operations <= 10, "{operations} ledger operations for 100 requests");
}

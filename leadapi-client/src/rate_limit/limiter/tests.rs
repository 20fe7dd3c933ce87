use super::*;
use crate::timer::ManualTimer;

/// Sets the time. It never goes back.
fn set(timer: &ManualTimer, millis: u64) {
    timer.advance(Duration::from_millis(millis).checked_sub(timer.now()).unwrap());
}

fn limiter(limit: u32) -> (RateLimiter, ManualTimer) {
    (RateLimiter::new(NonZeroU32::new(limit)), ManualTimer::new())
}

fn acquire<'a>(limiter: &'a RateLimiter, timer: &'a ManualTimer) -> Permit<'a> {
    match limiter.try_acquire(timer, None) {
        Acquire::Granted(mut permit) => {
            permit.start_sending(SendProgress::default());
            permit
        }
        Acquire::Wait { until, .. } => panic!("must wait until {until:?}"),
    }
}

fn wait(limiter: &RateLimiter, timer: &ManualTimer) -> (u64, bool) {
    match limiter.try_acquire(timer, None) {
        Acquire::Granted(_) => panic!("must not be granted"),
        Acquire::Wait { until, refused } => (u64::try_from(until.as_millis()).unwrap(), refused),
    }
}

#[test]
fn a_request_counts_until_a_minute_after_its_response() {
    let (limiter, timer) = limiter(2);
    let first = acquire(&limiter, &timer);
    set(&timer, 1_000);
    drop(acquire(&limiter, &timer));
    assert_eq!(wait(&limiter, &timer), (60_000, false), "the first request may complete at any time");
    set(&timer, 4_000);
    drop(first);
    assert_eq!(wait(&limiter, &timer), (61_000, false));
    set(&timer, 60_999);
    assert_eq!(wait(&limiter, &timer), (61_000, false));
    set(&timer, 61_000);
    drop(acquire(&limiter, &timer));
    assert_eq!(wait(&limiter, &timer), (64_000, false));
}

#[test]
fn a_request_longer_than_the_window_is_checked_again() {
    let (limiter, timer) = limiter(1);
    let slow = acquire(&limiter, &timer);
    set(&timer, 90_000);
    assert_eq!(wait(&limiter, &timer), (90_050, false));
    drop(slow);
    assert_eq!(wait(&limiter, &timer), (150_000, false));
}

#[test]
fn a_request_that_was_not_sent_does_not_count() {
    let (limiter, timer) = limiter(1);
    for _ in 0..3 {
        acquire(&limiter, &timer).mark_uncounted();
    }
    let unused = limiter.try_acquire(&timer, None);
    assert!(matches!(unused, Acquire::Granted(_)));
    drop(unused);
    drop(acquire(&limiter, &timer));
    assert_eq!(wait(&limiter, &timer), (60_000, false));
}

#[test]
fn a_429_pauses_all_requests_and_a_later_one_never_shortens_the_pause() {
    let (limiter, timer) = limiter(100);
    limiter.pause_until(Duration::from_secs(17));
    limiter.pause_until(Duration::from_secs(3));
    let mut untils: Vec<u64> = Vec::new();
    for _ in 0..50 {
        let (until, refused) = wait(&limiter, &timer);
        assert!(refused && (17_000..=18_000).contains(&until), "{until}");
        untils.push(until);
    }
    untils.sort_unstable();
    assert!(untils[0] < 17_300 && untils[49] > 17_700, "the calls resume together: {untils:?}");
    set(&timer, 17_000);
    drop(acquire(&limiter, &timer));
}

#[test]
fn without_a_limit_nothing_is_recorded() {
    let limiter = RateLimiter::new(None);
    let timer = ManualTimer::new();
    let permits: Vec<Permit<'_>> = (0..1_000).map(|_| acquire(&limiter, &timer)).collect();
    drop(permits);
    let state = limiter.state.lock().unwrap();
    assert!(state.in_flight.is_empty() && state.completed.is_empty());
}

#[test]
fn calls_are_granted_in_arrival_order() {
    let (limiter, timer) = limiter(2);
    drop((acquire(&limiter, &timer), acquire(&limiter, &timer)));
    let tickets: Vec<Ticket<'_>> = (0..5).map(|_| limiter.enqueue()).collect();
    let until = |ticket: &Ticket<'_>| match limiter.try_acquire(&timer, Some(ticket)) {
        Acquire::Granted(_) => panic!("must not be granted"),
        Acquire::Wait { until, .. } => until.as_secs(),
    };
    assert_eq!(tickets.iter().map(until).collect::<Vec<_>>(), [60, 60, 120, 120, 180]);
    set(&timer, 60_000);
    assert_eq!(wait(&limiter, &timer), (180_000, false), "a later call waits longest");
    assert_eq!(until(&tickets[2]), 120);
    let Acquire::Granted(mut permit) = limiter.try_acquire(&timer, Some(&tickets[1])) else {
        panic!("must be granted")
    };
    permit.start_sending(SendProgress::default());
    drop(permit);
    let mut tickets = tickets.into_iter();
    drop((tickets.next(), tickets.next()));
    let left: Vec<Ticket<'_>> = tickets.collect();
    assert!(
        matches!(limiter.try_acquire(&timer, Some(&left[0])), Acquire::Granted(_)),
        "the earlier tickets are dropped"
    );
}

#[test]
fn a_waiting_call_is_notified_of_a_free_permit() {
    let (limiter, timer) = limiter(1);
    let permit = acquire(&limiter, &timer);
    let ticket = limiter.enqueue();
    let notified = std::pin::pin!(ticket.notified());
    let mut cx = std::task::Context::from_waker(Waker::noop());
    let mut notified = notified;
    assert!(notified.as_mut().poll(&mut cx).is_pending());
    let mut permit = permit;
    permit.mark_uncounted();
    drop(permit);
    assert!(notified.as_mut().poll(&mut cx).is_ready());
    assert!(matches!(limiter.try_acquire(&timer, Some(&ticket)), Acquire::Granted(_)));
}

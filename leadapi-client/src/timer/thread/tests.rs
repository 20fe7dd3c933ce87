use std::{future::poll_fn, sync::Arc, task::Wake};

use futures_executor::block_on;

use super::*;

/// Returns a timer thread that no other test uses.
fn new_thread() -> &'static TimerThread {
    Box::leak(Box::new(TimerThread::new()))
}

/// Polls a sleep once with this waker.
fn start(sleep: &mut Sleep, waker: &Waker) {
    assert!(Pin::new(sleep).poll(&mut Context::from_waker(waker)).is_pending());
}

const HOUR: Duration = Duration::from_secs(3_600);

#[test]
fn a_shorter_sleep_ends_while_a_longer_one_waits() {
    let thread = new_thread();
    let mut long = Sleep::on(thread, HOUR);
    start(&mut long, Waker::noop());
    block_on(Sleep::on(thread, Duration::from_millis(1)));
    while thread.lock().wakes_at != long.deadline {
        thread::yield_now();
    }
    let begun = Instant::now();
    block_on(Sleep::on(thread, Duration::from_millis(10)));
    assert!(begun.elapsed() >= Duration::from_millis(10));
}

#[test]
fn thousands_of_sleeps_end_on_time_and_leave_nothing_behind() {
    let thread = new_thread();
    let tasks: Vec<_> = (0..8_u64)
        .map(|nth| {
            thread::spawn(move || {
                let mut sleeps: Vec<_> = (0..1_000)
                    .map(|each| Sleep::on(thread, Duration::from_millis((each * 31 + nth * 7) % 50)))
                    .collect();
                block_on(poll_fn(|cx| {
                    sleeps.retain_mut(|sleep| Pin::new(sleep).poll(cx).is_pending());
                    if sleeps.is_empty() { Poll::Ready(()) } else { Poll::Pending }
                }));
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert!(thread.lock().wakers.is_empty());
}

#[test]
fn a_dropped_sleep_leaves_nothing_behind() {
    let thread = new_thread();
    let mut sleep = Sleep::on(thread, HOUR);
    start(&mut sleep, Waker::noop());
    assert_eq!(thread.lock().wakers.len(), 1);
    drop(sleep);
    assert!(thread.lock().wakers.is_empty());
}

#[test]
fn a_sleep_beyond_the_range_of_the_clock_never_ends() {
    start(&mut Sleep::on(new_thread(), Duration::MAX), Waker::noop());
}

#[test]
fn calls_with_equal_timeouts_do_not_wake_the_thread() {
    let mut queue = TimerThread::new().queue.into_inner().unwrap();
    let now = Instant::now();
    let mut insert = |at| {
        let key = queue.new_key(now + at);
        let (_, notified) = queue.insert(key, Waker::noop().clone());
        queue.wakers.remove(&key);
        notified
    };
    assert!(insert(Duration::from_secs(10)), "the idle thread must be notified");
    assert!(!insert(Duration::from_secs(11)), "a later deadline does not wake the thread");
    assert!(insert(Duration::from_secs(9)));
}

/// A waker that owns a sleep on the same thread, as a task's waker may.
struct Owner(#[expect(dead_code, reason = "the sleep is only dropped")] Mutex<Sleep>);

impl Wake for Owner {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_waker_that_drops_a_sleep_does_not_deadlock() {
    let thread = new_thread();
    let owner = |duration| {
        let mut inner = Sleep::on(thread, HOUR);
        start(&mut inner, Waker::noop());
        let mut outer = Sleep::on(thread, duration);
        start(&mut outer, &Waker::from(Arc::new(Owner(Mutex::new(inner)))));
        outer
    };
    let mut replaced = owner(HOUR);
    start(&mut replaced, Waker::noop());
    drop(owner(HOUR));
    let expired = owner(Duration::from_millis(1));
    block_on(Sleep::on(thread, Duration::from_millis(5)));
    drop((expired, replaced));
}

/// A waker that panics.
struct Faulty;

impl Wake for Faulty {
    fn wake(self: Arc<Self>) {
        // Unlike `panic!`, this does not call the panic hook, which would print a message.
        std::panic::resume_unwind(Box::new(()));
    }
}

#[test]
fn a_waker_that_panics_stops_no_other_sleep() {
    let thread = new_thread();
    let mut faulty = Sleep::on(thread, Duration::from_millis(1));
    start(&mut faulty, &Waker::from(Arc::new(Faulty)));
    block_on(Sleep::on(thread, Duration::from_millis(5)));
}

#[test]
fn a_sleep_wakes_the_task_that_polled_it_last() {
    let thread = new_thread();
    let mut sleep = Sleep::on(thread, Duration::from_millis(5));
    start(&mut sleep, Waker::noop());
    thread::spawn(move || block_on(sleep)).join().unwrap();
}

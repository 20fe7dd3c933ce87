//! Explores thread schedules of concurrent requests with shuttle.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use shuttle::thread;

use super::*;

const SCHEDULES: usize = 20_000;

#[test]
fn concurrent_requests_are_admitted_up_to_the_limit_exactly() {
    let check = || {
        let limits = Limits::new(NonZeroU32::new(4).unwrap(), NonZeroU32::new(2).unwrap());
        let limiter = Arc::new(SlidingWindow::with_time(limits, || Duration::from_secs(1)));
        let admitted = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let callers = (0..3).map(|_| {
            let (limiter, admitted) = (limiter.clone(), admitted.clone());
            thread::spawn(move || {
                let token = TokenId::parse("t").unwrap();
                for (class, count) in [(Class::Read, &admitted[0]), (Class::Write, &admitted[1])].repeat(2) {
                    if limiter.check(&token, class) == Admission::Admitted {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        assert_eq!([&admitted[0], &admitted[1]].map(|count| count.load(Ordering::Relaxed)), [4, 2]);
        assert_eq!(limiter.tokens(), 1);
    };
    shuttle::check_pct(check, SCHEDULES, 3);
    shuttle::check_random(check, SCHEDULES);
}

/// Time passes while the callers run, so the sweep of idle tokens competes with requests. The first sweep, after 60 s,
/// finds a token that was last used 50 s before.
#[test]
fn no_window_contains_more_admissions_than_the_limit_while_idle_tokens_are_dropped() {
    let check = || {
        let time = Arc::new(AtomicU64::new(30));
        let limits = Limits::new(NonZeroU32::new(1).unwrap(), NonZeroU32::new(1).unwrap());
        let limiter = Arc::new({
            let time = time.clone();
            SlidingWindow::with_time(limits, move || Duration::from_secs(time.load(Ordering::Relaxed)))
        });
        let admissions = Arc::new(std::sync::Mutex::new(Vec::new()));
        let callers = (0..3).map(|_| {
            let (limiter, time, admissions) = (limiter.clone(), time.clone(), admissions.clone());
            thread::spawn(move || {
                let token = TokenId::parse("t").unwrap();
                for _ in 0..2 {
                    let before = time.load(Ordering::Relaxed);
                    if limiter.check(&token, Class::Read) == Admission::Admitted {
                        admissions.lock().unwrap().push((before, time.load(Ordering::Relaxed)));
                    }
                    time.fetch_add(25, Ordering::Relaxed);
                    thread::yield_now();
                }
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        let mut admissions = std::mem::take(&mut *admissions.lock().unwrap());
        admissions.sort_unstable();
        for pair in admissions.windows(2) {
            // Each admission happened between the times measured before and after its call.
            assert!(pair[1].1 - pair[0].0 >= 60, "{admissions:?}");
        }
    };
    shuttle::check_pct(check, SCHEDULES, 3);
    shuttle::check_random(check, SCHEDULES);
}

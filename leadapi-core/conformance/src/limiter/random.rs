//! A check of a rate limiter with pseudo-random request scripts, which are the same in every run.

use std::time::Duration;

use leadapi_core::port::{Class, RateLimiter};

use super::{
    CLASSES, CheckResult,
    subject::{Subject, WINDOW},
};

const MICROSECOND: Duration = Duration::from_micros(1);

/// Pauses of half a window, of about a whole window, and of about the time after which a 32-bit microsecond counter
/// wraps around.
const LONG_PAUSES: [Duration; 6] = [
    Duration::from_micros(59_999_999),
    WINDOW,
    Duration::from_micros(60_000_001),
    Duration::from_secs(30),
    Duration::from_micros(1 << 32),
    Duration::from_secs(72 * 60),
];

/// The maximum number of requests per class. Each request makes the oracle scan all past admissions, so a larger number
/// would be slow.
const MAX_REQUESTS: u32 = 5_000;

pub(super) async fn matches_the_definition(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    let mut random = Random::new();
    for class in CLASSES {
        let limit = subject.limit(class);
        let interval = WINDOW / limit;
        let mut spacing = interval;
        for nth in 0..limit.saturating_mul(16).clamp(500, MAX_REQUESTS) {
            if nth % (limit / 2).max(4) == 0 {
                // Chooses the spacing of the next requests: zero for a burst, or half, one or two times the interval
                // that the limit allows.
                spacing = random.pick(&[Duration::ZERO, interval / 2, interval, interval * 2]);
                if random.below(8) == 0 {
                    subject.advance(random.pick(&LONG_PAUSES));
                }
            }
            subject.advance(match random.below(8) {
                0 => subject.wait("t1", class),
                1 => subject.wait("t1", class).saturating_sub(MICROSECOND),
                _ => random.up_to(spacing * 2),
            });
            // Some requests use a different token or a different class.
            let (token, class) = match random.below(16) {
                0 => ("t2", class),
                1 => ("t2", random.class()),
                2 => ("t1", random.class()),
                _ => ("t1", class),
            };
            if let Some(refusal) = subject.request(token, class).await? {
                refusal.check_wait()?;
            }
        }
    }
    Ok(())
}

/// A xorshift generator with a fixed seed.
struct Random(u64);

impl Random {
    const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }

    /// Returns a random duration up to `max`, in whole microseconds, because limiters need no finer resolution.
    fn up_to(&mut self, max: Duration) -> Duration {
        let micros = u64::try_from(max.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(self.below(micros + 1))
    }

    fn pick(&mut self, from: &[Duration]) -> Duration {
        let nth = usize::try_from(self.below(from.len() as u64)).unwrap_or_default();
        from.get(nth).copied().unwrap_or_default()
    }

    fn class(&mut self) -> Class {
        if self.below(2) == 0 { Class::Read } else { Class::Write }
    }
}

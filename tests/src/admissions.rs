//! Checks a rate limit as a black box, using only the times of requests and responses.

use std::time::{Duration, Instant};

/// A request that the server certainly admitted, at an unknown time between `sent` and `received`.
#[derive(Debug, Clone, Copy)]
pub struct Admitted {
    /// A time shortly before the request was sent.
    pub sent: Instant,
    /// A time shortly after the response arrived.
    pub received: Instant,
}

/// Returns the largest number of requests that were certainly admitted within a half-open interval of this length.
pub fn max_admitted_in(interval: Duration, requests: &[Admitted]) -> usize {
    let mut requests = requests.to_vec();
    requests.sort_by_key(|request| request.sent);
    // At least one interval with the maximum begins when a request was sent, so only such intervals are checked.
    let begins = requests.iter().enumerate().map(|(nth, first)| {
        let end = first.sent + interval;
        let later = requests[nth..].iter().take_while(|request| request.sent < end);
        later.filter(|request| request.received < end).count()
    });
    begins.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Returns the largest number of requests that were certainly admitted within one minute. Each request is a pair of
    /// times in milliseconds: sent and received.
    fn max_in_a_minute(requests: &[(u64, u64)]) -> usize {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let requests = requests.iter().map(|(sent, received)| Admitted { sent: at(*sent), received: at(*received) });
        max_admitted_in(MINUTE, &requests.collect::<Vec<_>>())
    }

    #[test]
    fn requests_are_counted_in_the_fullest_interval() {
        assert_eq!(max_in_a_minute(&[]), 0);
        assert_eq!(max_in_a_minute(&[(0, 1), (5, 6), (5, 6)]), 3);
        assert_eq!(max_in_a_minute(&[(0, 1), (61_000, 61_001), (62_000, 62_001), (130_000, 130_001)]), 2);
        // A limit per calendar minute would count the first two requests separately from the others.
        assert_eq!(max_in_a_minute(&[(59_000, 59_001), (59_500, 59_501), (60_500, 60_501), (119_000, 119_001)]), 3);
    }

    #[test]
    fn an_interval_does_not_contain_its_end() {
        assert_eq!(max_in_a_minute(&[(0, 1), (59_998, 59_999)]), 2);
        assert_eq!(max_in_a_minute(&[(0, 1), (59_999, 60_000)]), 1);
    }

    #[test]
    fn a_request_that_may_be_outside_the_interval_does_not_count() {
        // The slow request may have been admitted before the first one or 60 s after it.
        assert_eq!(max_in_a_minute(&[(0, 61_000), (1, 2), (30_000, 30_001)]), 2);
        assert_eq!(max_in_a_minute(&[(0, 70_000)]), 0);
    }

    #[test]
    fn a_slow_request_hides_no_others() {
        // The slow request was sent first, so in the order of sending it precedes the interval's first request.
        assert_eq!(max_in_a_minute(&[(100_000, 100_001), (0, 100_002), (100_003, 100_004), (159_000, 159_001)]), 3);
    }
}

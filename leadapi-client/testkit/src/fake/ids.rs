//! A generator of reproducible lead ids.

use std::sync::atomic::{AtomicU64, Ordering};

use leadapi_core::{id::LeadId, model::Timestamp, port::IdSource};

use super::faults::mix;

/// Generates increasing version 7 UUIDs like the service's, except that their random part depends on a seed.
#[derive(Debug)]
pub(super) struct SeededIds {
    seed: u64,
    count: AtomicU64,
}

impl SeededIds {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, count: AtomicU64::new(0) }
    }
}

impl IdSource for SeededIds {
    #[expect(clippy::expect_used, reason = "every UUID is a valid id")]
    fn lead_id(&self, at: Timestamp) -> LeadId {
        let millis = u64::try_from(at.unix_millis()).unwrap_or(0);
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        // The counter fills the 26 bits that order ids within a millisecond: 12 bits after the version, and 14 bits
        // after the variant.
        let (high, low) = ((number >> 14) & 0xfff, number & 0x3fff);
        let random = mix(self.seed ^ mix(number)) & 0xffff_ffff_ffff;
        let (early, late) = ((millis >> 16) & 0xffff_ffff, millis & 0xffff);
        let text = format!("{early:08x}-{late:04x}-7{high:03x}-{:04x}-{random:012x}", 0x8000 | low);
        LeadId::parse(text).expect("a UUID")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_increase_and_depend_only_on_the_seed() {
        let at: Timestamp = "2026-05-04T07:58:12.004Z".parse().unwrap();
        let some = |seed| -> Vec<LeadId> {
            let ids = SeededIds::new(seed);
            (0..20_000).map(|_| ids.lead_id(at)).collect()
        };
        assert!(some(1).is_sorted_by(|a, b| a < b));
        assert_eq!(some(1), some(1));
        assert_ne!(some(1), some(2));
        assert_eq!(&some(1)[0].as_str()[..20], "019df1fe-aa24-7000-8");
    }
}

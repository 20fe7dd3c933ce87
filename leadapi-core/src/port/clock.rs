//! Sources of time and ids, which a host can replace: in tests, or to connect another service.

use chrono::{DateTime, Utc};

use crate::{id::LeadId, model::Timestamp};

/// A source of the current time. Any closure that returns a time is a clock.
///
/// The service reads it for `created_at`, the token verifier for expiry. It may step back: no code relies on its
/// order.
///
/// ```
/// use leadapi_core::port::Clock;
///
/// let noon = || "2026-05-04T12:00:00Z".parse().unwrap_or_default();
/// assert_eq!(noon.now().to_rfc3339(), "2026-05-04T12:00:00+00:00");
/// ```
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> DateTime<Utc>;
}

impl<F: Fn() -> DateTime<Utc> + Send + Sync> Clock for F {
    fn now(&self) -> DateTime<Utc> {
        self()
    }
}

/// A source of ids for new leads (contract D4). Any closure from a time to an id is one.
///
/// An id must never be returned twice: a store rejects the second use as a failure.
pub trait IdSource: Send + Sync {
    /// Returns an id for a lead that is created at this time.
    fn lead_id(&self, at: Timestamp) -> LeadId;
}

impl<F: Fn(Timestamp) -> LeadId + Send + Sync> IdSource for F {
    fn lead_id(&self, at: Timestamp) -> LeadId {
        self(at)
    }
}

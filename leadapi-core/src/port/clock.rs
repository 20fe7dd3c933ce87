//! Sources of time and ids, which a host can replace: in tests, or to connect another service.

use crate::{id::LeadId, model::Timestamp};

/// A source of the current time. Any closure that returns a time is a clock.
///
/// The service reads it for `created_at`, the token verifier for expiry. It may step back: no code relies on its
/// order.
///
/// ```
/// use leadapi_core::{model::Timestamp, port::Clock};
///
/// let noon: Timestamp = "2026-05-04T12:00:00Z".parse()?;
/// let clock = move || noon;
/// assert_eq!(clock.now(), noon);
/// # Ok::<(), leadapi_core::model::InvalidTimestamp>(())
/// ```
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
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

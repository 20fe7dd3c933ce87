//! Time and ids, as a host may want them otherwise: in tests, or from a service of its own.

use chrono::{DateTime, Utc};

use crate::{id::LeadId, model::Timestamp};

/// What time it is. Any closure is a clock.
///
/// The service asks it for `created_at`, the token verifier for expiry. It may step back: nothing relies on its order.
///
/// ```
/// use leadapi_core::port::Clock;
///
/// let noon = || "2026-05-04T12:00:00Z".parse().unwrap_or_default();
/// assert_eq!(noon.now().to_rfc3339(), "2026-05-04T12:00:00+00:00");
/// ```
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> DateTime<Utc>;
}

impl<F: Fn() -> DateTime<Utc> + Send + Sync> Clock for F {
    fn now(&self) -> DateTime<Utc> {
        self()
    }
}

/// Where the ids of new leads come from (contract D4). Any closure is one.
///
/// An id must never be given twice: a store refuses the second as a failure.
pub trait IdSource: Send + Sync {
    /// An id for a lead that is created at this moment.
    fn lead_id(&self, at: Timestamp) -> LeadId;
}

impl<F: Fn(Timestamp) -> LeadId + Send + Sync> IdSource for F {
    fn lead_id(&self, at: Timestamp) -> LeadId {
        self(at)
    }
}

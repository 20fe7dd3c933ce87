//! Sources of time and ids. A host can replace them, for example in tests or with an external service.

use crate::{id::LeadId, model::Timestamp};

/// A source of the current time. Any closure that returns a [`Timestamp`] implements it.
///
/// The service uses a clock to set `created_at`, and [`StoredTokens`](crate::tokens::StoredTokens) uses a clock to
/// check expiry. A clock does not have to be monotonic.
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

/// A source of ids for new leads (contract D4). Any closure from a [`Timestamp`] to a [`LeadId`] implements it.
///
/// A source must never return the same id twice, because a store rejects a lead whose id already exists.
pub trait IdSource: Send + Sync {
    /// Returns an id for a lead created at this time.
    fn lead_id(&self, at: Timestamp) -> LeadId;
}

impl<F: Fn(Timestamp) -> LeadId + Send + Sync> IdSource for F {
    fn lead_id(&self, at: Timestamp) -> LeadId {
        self(at)
    }
}

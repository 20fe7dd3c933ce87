//! The ports: traits that a host can implement for stores, tokens, rate limits, time and ids.
//!
//! Each port is small and dyn-compatible. No method has a default implementation, so a wrapper must forward every
//! method. The ports for leads, tokens and rate limits are also implemented for `Arc<T>` and `Box<T>`. The port for API
//! settings is also implemented for `Arc<T>`. The port for the administration is in [`admin`](crate::admin).
//!
//! An error from a port means that the host failed, not that the request is invalid. A store returns a [`StoreError`].
//! A verifier or a limiter can return any [`BoxError`](crate::BoxError). The caller receives only status 500 and
//! `internal error`, and the host finds the cause in the [`RequestLog`](crate::http::RequestLog).

mod audit;
mod clock;
mod error;
mod limiter;
mod session;
mod settings;
mod store;
mod token;
mod token_change;

pub use audit::{AuditAction, AuditEntry, InvalidAuditAction};
pub use clock::{Clock, IdSource};
pub use error::{InvalidToken, StoreError};
pub use limiter::{Admission, Class, RateLimiter};
pub use session::{FoundSession, LoginLink, Membership, Session, SessionEnded, SessionStarted, SignIn};
pub use settings::SettingsStore;
pub use store::{Created, Idempotency, Listed, Store, Updated};
pub use token::{FoundToken, TokenRecord, TokenState, TokenStore, TokenUse, TokenVerifier, Verdict};
pub use token_change::{
    Replacement, TokenAction, TokenChange, TokenChanged, TokenFacts, TokenPlan, TokenRefusal, TokenWrite,
};

/// The time for which the verification of a token remains valid while the body of the request arrives.
pub(crate) const VERIFIED_FOR: std::time::Duration = std::time::Duration::from_secs(1);

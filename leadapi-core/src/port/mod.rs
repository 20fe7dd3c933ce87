//! The ports that a host can implement: stores, tokens, limits, time and ids.
//!
//! Each port is small, object safe and has no default methods, so a wrapper cannot lose a behaviour by omitting a
//! method. The ports for leads, tokens and limits are also implemented for `Arc<T>` and `Box<T>`. An error of a port
//! is a failure of the host's infrastructure: a [`StoreError`] of a store, and any [`BoxError`](crate::BoxError) of a
//! verifier or a limiter. The caller receives only status 500 and `internal error`; the host reads the cause in the
//! [`RequestLog`](crate::http::RequestLog).

mod clock;
mod error;
mod limiter;
mod store;
mod token;

pub use clock::{Clock, IdSource};
pub use error::StoreError;
pub use limiter::{Admission, Class, RateLimiter};
pub use store::{Created, Idempotency, Listed, Store, Updated};
pub use token::{FoundToken, TokenRecord, TokenStore, TokenVerifier, Verdict};

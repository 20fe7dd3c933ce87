//! What a host may supply: stores, tokens, limits, time and ids.
//!
//! Each port is small, object safe and without default methods, so that a wrapper cannot lose a behaviour by leaving
//! it out. Each is implemented for `Arc<T>` and `Box<T>`. An error of a port is a failure of the host's machinery: the
//! caller is told `internal error` with status 500 and nothing of its text, and the host reads it in the
//! [`RequestLog`](crate::http::RequestLog).

mod clock;
mod limiter;
mod store;
mod token;

pub use clock::{Clock, IdSource};
pub use limiter::{Admission, Class, RateLimiter};
pub use store::{Created, Idempotency, Listed, Store, Updated};
pub use token::{FoundToken, TokenRecord, TokenStore, TokenVerifier, Verdict};

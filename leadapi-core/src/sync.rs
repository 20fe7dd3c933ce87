//! The locks of the rate limiter. Under `--cfg shuttle`, unit tests use the locks of shuttle, which explores thread
//! schedules.

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};

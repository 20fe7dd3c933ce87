//! The locks of the stores. Under `--cfg shuttle`, unit tests use the locks of shuttle, which explores thread schedules.

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Mutex, MutexGuard, RwLock};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::sync::{Mutex, MutexGuard, RwLock};

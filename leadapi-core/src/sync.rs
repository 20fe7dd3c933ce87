//! Locks. Under `--cfg shuttle`, the unit tests use the locks of shuttle, which explores the schedules of threads.

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Mutex, MutexGuard, RwLock};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::sync::{Mutex, MutexGuard, RwLock};

//! Locks, channels and threads. Under `--cfg shuttle`, the unit tests use the versions from shuttle, which explores
//! thread schedules.

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::{
    sync::{Mutex, mpsc},
    thread,
};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::{
    sync::{Mutex, mpsc},
    thread,
};

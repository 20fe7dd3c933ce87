#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod access;
mod check;
mod descriptor;
mod error;
pub mod file;
mod in_place;
mod lineage;
mod lock;
mod lock_holder;
mod mark;
mod space;

use std::time::Duration;

pub use self::{
    access::{Allowed, Denied, mode_for_others},
    check::check,
    error::FileError,
    in_place::{Displaced, FilesInPlace},
    lineage::{CREATE_TABLE, assign_new_id},
    lock::{FileLock, ServerLock},
    mark::{Mark, keep_log_on_close},
    space::is_out_of_space,
};

/// The maximum time that an attempt to open a file waits for another process that is opening, closing or restoring it.
/// Connections should wait as long for the transactions of other processes.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

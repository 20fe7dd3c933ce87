//! The file descriptors of the process: how many are left for connections, and one in reserve.

use std::{fs::File, io};

use futures_util::FutureExt;
use tokio::net::TcpListener;

/// The share of what is left that connections may take; the rest is for files that are open for a moment.
const SHARE_PERCENT: usize = 80;
/// For each listener one in reserve, and some that are open for a moment.
const RESERVE: usize = 4;
/// The most that connections of the operator take.
const MOST_FOR_OPERATOR: usize = 64;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) public: usize,
    /// Apart from the others, so that whoever watches the server is answered when it has no descriptors left.
    pub(super) operator: usize,
}

impl Share {
    /// As many as the process has descriptors for, when its store needs some that are not open yet. `None` where there is
    /// no limit.
    pub(super) fn now(for_store: usize) -> Option<Self> {
        Some(Self::of(limit()?, open(), for_store))
    }

    /// At least one of each: it is refused when it comes to that.
    fn of(limit: usize, open: usize, for_store: usize) -> Self {
        let left = limit.saturating_sub(open).saturating_sub(for_store).saturating_sub(RESERVE);
        let operator = (left / 8).clamp(2, MOST_FOR_OPERATOR);
        Self { public: (left.saturating_sub(operator) * SHARE_PERCENT / 100).max(1), operator }
    }
}

#[cfg(unix)]
fn limit() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
const fn limit() -> Option<usize> {
    None
}

/// How many are open. Where the system does not show it, about as many as a server has that is idle.
fn open() -> usize {
    const IDLE: usize = 32;
    std::fs::read_dir("/dev/fd").map_or(IDLE, Iterator::count)
}

/// A descriptor in reserve. When there is no other, it makes room for a connection to be accepted and closed: one that
/// is not accepted waits in the queue of the system, and neither its peer nor anybody behind it learns why.
pub(super) struct Spare(Option<File>);

impl Spare {
    pub(super) fn new() -> Self {
        Self(File::open("/dev/null").ok())
    }

    /// Closes the connection that could not be accepted for want of descriptors; `false` where that was not the reason,
    /// or there is none in reserve.
    pub(super) fn refuse(&mut self, socket: &TcpListener, error: &io::Error) -> bool {
        if !is_want_of_descriptors(error) || self.0.take().is_none() {
            *self = Self::new();
            return false;
        }
        drop(socket.accept().now_or_never());
        *self = Self::new();
        true
    }
}

#[cfg(unix)]
fn is_want_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;

    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
const fn is_want_of_descriptors(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_take_a_share_of_the_descriptors_that_are_left() {
        for (limit, open, for_store, public, operator) in [
            (1_048_576, 20, 0, 838_790, 64),
            (1_024, 20, 16, 736, 64),
            (64, 20, 0, 28, 5),
            (32, 20, 0, 4, 2),
            (20, 20, 0, 1, 2),
            (64, 20, 100, 1, 2),
        ] {
            assert_eq!(Share::of(limit, open, for_store), Share { public, operator }, "{limit} {open} {for_store}");
        }
    }
}

//! The file descriptors of the process: how many are left for connections, and one in reserve.

use std::{fs::File, io};

use futures_util::FutureExt;
use tokio::net::TcpListener;

/// The percentage of the remaining descriptors that connections may take; the rest is for files that are open
/// briefly.
const SHARE_PERCENT: usize = 80;
/// One spare descriptor for each listener, and some for files that are open briefly.
const RESERVE: usize = 4;
/// The most connections of the operator's listener.
const MAX_FOR_OPERATOR: usize = 64;

/// How many connections the listeners may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionShares {
    pub(crate) public: usize,
    /// Separate from the public ones, so that monitoring gets an answer when the server has no descriptors left.
    pub(crate) operator: usize,
}

impl ConnectionShares {
    /// Computes the shares from the descriptors that are left, less those that the store has not opened yet. `None`
    /// if there is no limit.
    pub(crate) fn now(for_store: usize) -> Option<Self> {
        Some(Self::of(limit()?, open(), for_store))
    }

    /// Returns at least one of each. A connection for which there is no descriptor is refused when it arrives.
    fn of(limit: usize, open: usize, for_store: usize) -> Self {
        let left = limit.saturating_sub(open).saturating_sub(for_store).saturating_sub(RESERVE);
        let operator = (left / 8).clamp(2, MAX_FOR_OPERATOR);
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

/// Returns how many are open. Where the system does not show it, assumes the number of an idle server.
fn open() -> usize {
    const IDLE: usize = 32;
    std::fs::read_dir("/dev/fd").map_or(IDLE, Iterator::count)
}

/// A descriptor in reserve. When no other is left, it is closed, so that the server can accept and close a
/// connection. Otherwise the connection waits in the kernel's queue, and neither its peer nor any peer behind it
/// learns why.
pub(super) struct Spare(Option<File>);

impl Spare {
    pub(super) fn new() -> Self {
        Self(File::open("/dev/null").ok())
    }

    /// Closes the connection that could not be accepted for lack of descriptors. Returns `false` if that was not the
    /// reason, or if there is no reserve.
    pub(super) fn refuse(&mut self, socket: &TcpListener, error: &io::Error) -> bool {
        if !is_out_of_descriptors(error) || self.0.take().is_none() {
            *self = Self::new();
            return false;
        }
        drop(socket.accept().now_or_never());
        *self = Self::new();
        true
    }
}

#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;

    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
const fn is_out_of_descriptors(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_get_a_share_of_the_remaining_descriptors() {
        for (limit, open, for_store, public, operator) in [
            (1_048_576, 20, 0, 838_790, 64),
            (1_024, 20, 16, 736, 64),
            (64, 20, 0, 28, 5),
            (32, 20, 0, 4, 2),
            (20, 20, 0, 1, 2),
            (64, 20, 100, 1, 2),
        ] {
            assert_eq!(
                ConnectionShares::of(limit, open, for_store),
                ConnectionShares { public, operator },
                "{limit} {open} {for_store}"
            );
        }
    }
}

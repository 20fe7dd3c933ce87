//! The file descriptors that connections may use, and a spare one.

use std::{fs::File, io};

use futures_util::FutureExt;

use super::socket::Bound;

/// The percentage of the descriptors that public connections may use, out of those that are neither open nor reserved.
/// The rest are for short-lived files.
const SHARE_PERCENT: usize = 80;
/// The number of descriptors that are reserved for the listeners' spares and for short-lived files.
const RESERVE: usize = 4;
/// The maximum number of descriptors that are subtracted for further listeners. Most of their connections are unused.
const MAX_RESERVED: usize = 64;

/// The maximum number of connections for each listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionShares {
    pub(crate) public: usize,
    /// The share of each further listener. It is separate, so that monitoring can still connect when the public
    /// listener has used up its share.
    pub(crate) further: usize,
}

impl ConnectionShares {
    /// Computes the shares from the number of unused descriptors, minus the number that the store will open later.
    /// Returns `None` if there is no limit.
    pub(crate) fn now(for_store: usize) -> Option<Self> {
        Some(Self::of(limit()?, open(), for_store))
    }

    /// Computes the shares, each at least 1. If descriptors still run out, the listener refuses new connections.
    fn of(limit: usize, open: usize, for_store: usize) -> Self {
        let left = limit.saturating_sub(open).saturating_sub(for_store).saturating_sub(RESERVE);
        let further = (left / 8).max(2);
        Self { public: (left.saturating_sub(further.min(MAX_RESERVED)) * SHARE_PERCENT / 100).max(1), further }
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

/// Returns how many descriptors are open. If the system does not report this number, assumes the number that an idle
/// server uses.
fn open() -> usize {
    const IDLE: usize = 32;
    std::fs::read_dir("/dev/fd").map_or(IDLE, Iterator::count)
}

/// A spare descriptor. When no other is left, the server releases it to accept and immediately close a connection.
/// Otherwise, that connection and all those queued behind it in the kernel would hang.
pub(super) struct Spare(Option<File>);

impl Spare {
    pub(super) fn new() -> Self {
        Self(File::open("/dev/null").ok())
    }

    /// Closes the connection that could not be accepted for lack of descriptors. Returns `false` if `error` has another
    /// cause or there is no spare descriptor.
    pub(super) fn refuse(&mut self, socket: &Bound, error: &io::Error) -> bool {
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
        for (limit, open, for_store, public, further) in [
            (1_048_576, 20, 0, 838_790, 131_069),
            (1_024, 20, 16, 736, 123),
            (64, 20, 0, 28, 5),
            (32, 20, 0, 4, 2),
            (20, 20, 0, 1, 2),
            (64, 20, 100, 1, 2),
        ] {
            assert_eq!(
                ConnectionShares::of(limit, open, for_store),
                ConnectionShares { public, further },
                "{limit} {open} {for_store}"
            );
        }
    }
}

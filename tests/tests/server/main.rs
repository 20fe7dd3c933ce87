//! Tests the listener on real sockets: its limits, timeouts and shutdown.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod backlog;
#[cfg(target_os = "linux")]
mod descriptors;
mod head;
mod host;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod http2;
mod limits;
mod listeners;
mod locks;
mod order;
mod ready;
mod slow;
#[cfg(target_os = "linux")]
mod smuggling;
mod stop;
#[cfg(target_os = "linux")]
mod stops;
#[cfg(target_os = "linux")]
mod strangers;
mod tls;
mod unread_bodies;

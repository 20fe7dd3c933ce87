//! Hostile peers, the legitimate traffic that they must not disturb, and the process under attack.
//!
//! `tests/server` runs small attacks in each test run; `examples/hostile` runs them at full scale and prints measurements.
//! The attacks observe the process through `/proc`, so they work only on Linux.

pub mod floods;
mod frames;
mod good;
mod peers;
pub mod smuggling;
pub mod stops;
pub mod strangers;
mod target;

pub use good::{Good, Report};
pub use peers::{Cut, PeerKind, attack};
pub use target::Target;

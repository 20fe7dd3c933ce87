//! Peers that mean harm, the good traffic that must not notice them, and the process under attack.
//!
//! `tests/server` attacks on a small scale in each run of the tests; `examples/hostile` does it in full and prints
//! figures. What it sees of a process it sees in `/proc`, so the attacks are for Linux.

pub mod floods;
mod frames;
mod good;
mod peers;
pub mod smuggling;
pub mod stops;
mod target;

pub use good::{Good, Report};
pub use peers::{Cut, Kind, attack};
pub use target::Target;

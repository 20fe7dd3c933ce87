//! Servers for the tests of programs that use the API (feature `testkit`).
//!
//! - [`mock`]: a server that answers what a test says, request by request, and whose test fails when what was said was
//!   not asked for, or something else was.
//!
//! It listens on a port of its own of `127.0.0.1`, so a program in any language can be pointed at it; and it has a
//! `client()` whose waits take no time.

pub mod mock;
mod serve;

pub use mock::MockLeadApi;

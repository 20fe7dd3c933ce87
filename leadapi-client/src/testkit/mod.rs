//! Servers for the tests of programs that use the API (feature `testkit`).
//!
//! - [`mock`]: a server that answers what a test says, request by request, and whose test fails when what was said was
//!   not asked for, or something else was.
//! - [`fake`]: the real service over a store in memory, with a clock that the test moves and faults on demand.
//!
//! Both listen on a port of their own of `127.0.0.1`, so a program in any language can be pointed at them; and both have a
//! `client()` whose waits take no time.

pub mod fake;
pub mod mock;
mod serve;

pub use fake::FakeLeadApi;
pub use mock::MockLeadApi;

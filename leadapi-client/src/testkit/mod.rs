//! What a test puts in the place of the service (feature `testkit`).
//!
//! - [`mock`]: a server that answers what a test says, request by request, and whose test fails when what was said was
//!   not asked for, or something else was.
//! - [`fake`]: the real service over a store in memory, with a clock that the test moves and faults on demand.
//! - [`cassette`]: a conversation with the real service, recorded as HAR and replayed, over a socket or without one.
//! - [`conformance`]: whether another implementation keeps the contract, sentence by sentence.
//!
//! The servers listen on a port of their own of `127.0.0.1`, so a program in any language can be pointed at them; and each
//! has a `client()` whose waits take no time.

pub mod cassette;
pub mod conformance;
pub mod fake;
pub mod mock;
mod serve;

pub use fake::FakeLeadApi;
pub use mock::MockLeadApi;

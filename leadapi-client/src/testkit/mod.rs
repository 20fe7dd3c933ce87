#![doc = include_str!("README.md")]

pub mod cassette;
pub mod conformance;
pub mod fake;
pub mod mock;
mod serve;

pub use fake::FakeLeadApi;
pub use mock::MockLeadApi;

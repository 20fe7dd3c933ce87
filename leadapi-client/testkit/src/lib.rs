#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod cassette;
pub mod conformance;
pub mod fake;
pub mod mock;
mod serve;

pub use fake::FakeLeadApi;
pub use leadapi_client::timer::ManualTimer;
pub use mock::MockLeadApi;

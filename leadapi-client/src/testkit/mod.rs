//! What a test puts in the place of the service.

pub mod cassette;

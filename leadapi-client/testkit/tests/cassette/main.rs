//! Tests that record and replay traffic with the real service.

// `cfg(test)` tells clippy that these modules are tests.
#[cfg(test)]
mod cost;
#[cfg(test)]
mod modes;
#[cfg(test)]
mod other_languages;
#[cfg(test)]
mod recording;
#[cfg(test)]
mod secrets;
#[cfg(test)]
#[path = "../../../tests/client/support.rs"]
#[allow(dead_code, reason = "not every test program uses all helpers")]
mod support;
#[cfg(test)]
mod third_party_files;
#[cfg(test)]
mod traffic;
#[cfg(test)]
mod verification;

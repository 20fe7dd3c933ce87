//! Tests of the mock and the fake over real sockets: with this crate's client, raw requests, curl and Python.

// `cfg(test)` tells clippy that these modules are tests.
#[cfg(test)]
mod answers;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod like_the_service;
#[cfg(test)]
mod other_languages;
#[cfg(test)]
mod raw;

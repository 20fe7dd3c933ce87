//! Tests of the mock and the fake over real sockets: with our client, with raw requests, with curl and with Python.
#![cfg(feature = "testkit")]

// Marked as tests, so that clippy treats them as tests.
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

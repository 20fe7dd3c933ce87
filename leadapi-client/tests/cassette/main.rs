//! Conversations with the real service, recorded and replayed.
#![cfg(feature = "testkit")]

// They say that they are tests, so that clippy sees it.
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod cost;
#[cfg(test)]
mod faithful;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod modes;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod recording;
#[cfg(test)]
mod secrets;
#[cfg(test)]
#[path = "../client/support.rs"]
#[allow(dead_code, reason = "not every test uses all of it")]
mod support;

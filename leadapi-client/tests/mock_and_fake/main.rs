//! The mock and the fake, asked over real sockets: by our client, by hand, by curl and by Python.
#![cfg(feature = "testkit")]

// They say that they are tests, so that clippy sees it.
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
mod raw;
#[cfg(test)]
mod strangers;

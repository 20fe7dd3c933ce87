//! Waits for a condition.
//!
//! The harness of `leadapi-tests` includes this file by its path. It is not in that crate, because the tests of a
//! published crate cannot depend on an unpublished crate.

#![allow(clippy::missing_errors_doc, unreachable_pub, reason = "the harness exports these items")]

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

/// The timeout of a wait, after which the test fails. Every condition in the tests should be met sooner, even on a busy
/// machine.
pub const TIMEOUT: Duration = Duration::from_secs(120);
/// The pause between two checks of a condition.
pub const INTERVAL: Duration = Duration::from_millis(5);

/// The outcome of checking a condition. `true`, `Some` and `Ok` end the wait.
pub trait Condition {
    /// The result of the wait.
    type Value;

    /// Returns the result of the wait, or the state if the condition is not met yet.
    fn met(self) -> Result<Self::Value, String>;
}

impl Condition for bool {
    type Value = ();

    fn met(self) -> Result<(), String> {
        self.then_some(()).met()
    }
}

impl<T> Condition for Option<T> {
    type Value = T;

    fn met(self) -> Result<T, String> {
        self.ok_or_else(|| "not yet".to_owned())
    }
}

impl<T, E: Debug> Condition for Result<T, E> {
    type Value = T;

    fn met(self) -> Result<T, String> {
        self.map_err(|state| format!("{state:?}"))
    }
}

/// Returns an error with the state if it differs from the expected value.
pub fn equals<T: PartialEq<E>, E: ?Sized>(state: T, expected: &E) -> Result<(), T> {
    if state == *expected { Ok(()) } else { Err(state) }
}

/// Blocks until a condition is met, and returns the result of the last check.
///
/// # Panics
///
/// Panics if the condition is not met within [`TIMEOUT`]. The message contains the last state.
#[track_caller]
pub fn wait_until<C: Condition>(what: &str, mut check: impl FnMut() -> C) -> C::Value {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match check().met() {
            Ok(value) => return value,
            Err(state) => assert!(Instant::now() < deadline, "{what}: not within {TIMEOUT:?}: {state}"),
        }
        std::thread::sleep(INTERVAL);
    }
}

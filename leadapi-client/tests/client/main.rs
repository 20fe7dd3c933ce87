//! The client against the real service, against mock servers, and against services that misbehave.

// They say that they are tests, so that clippy sees it.
#[cfg(test)]
mod bulk;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod failures;
#[cfg(test)]
mod in_process;
#[cfg(test)]
mod refused_before_the_wire;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod secrets;
#[cfg(test)]
mod seven_operations;
#[cfg(test)]
mod support;

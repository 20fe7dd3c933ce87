//! Tests of the client against the real service, mock servers, and misbehaving services.

// `cfg(test)` tells clippy that these modules are tests.
#[cfg(test)]
#[cfg(feature = "blocking")]
mod blocking;
#[cfg(test)]
mod bulk;
#[cfg(test)]
mod cancellation;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod connecting;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod failures;
#[cfg(test)]
mod in_process;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod informational;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod known_sdk_defects;
#[cfg(test)]
mod local_validation;
#[cfg(test)]
mod pacing;
#[cfg(test)]
mod pager;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod proxies;
#[cfg(test)]
mod retries;
#[cfg(test)]
mod scripted;
#[cfg(test)]
#[cfg(feature = "reqwest")]
mod secrets;
#[cfg(test)]
mod seven_operations;
#[cfg(test)]
mod statuses;
#[cfg(test)]
mod support;

//! The errors of the limiter.

use std::time::Duration;

/// The reason why the limiter could not start or could not handle a request. Messages contain no password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedisLimiterError {
    /// Redis or a Sentinel did not answer in time. If a request was sent, Redis may have counted it.
    #[error("Redis did not answer within {0:?}")]
    TimedOut(Duration),
    /// A limit is lower than the number of servers that would have to share it.
    #[error("a limit divided by the number of servers must be at least 1")]
    TooManyServers,
    /// No Sentinel named a master.
    #[error("no Sentinel knows the master of {0:?}")]
    NoMaster(String),
    /// Redis or a Sentinel cannot be reached, or returned an error.
    #[error("Redis: {0}")]
    Failed(String),
}

impl From<redis::RedisError> for RedisLimiterError {
    fn from(error: redis::RedisError) -> Self {
        Self::Failed(error.to_string())
    }
}

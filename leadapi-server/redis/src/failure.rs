//! The policy for requests while Redis does not respond.

use std::num::NonZeroU32;

use leadapi_core::rate_limit::Limits;

use super::RedisLimiterError;

/// The policy for requests while Redis does not respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimiterFailure {
    /// The limiter returns an error, and the service answers 500.
    Closed,
    /// Each server applies its own exact window, with the limit divided by the number of servers and rounded down.
    ///
    /// In any 60 s, Redis admits at most the limit, and the windows of all servers together admit at most the limit. A
    /// token therefore gets at most twice its limit, even if Redis fails repeatedly, unless a server restarts and so
    /// loses its window.
    Local {
        /// The maximum number of servers that run at the same time.
        servers: NonZeroU32,
    },
}

impl LimiterFailure {
    /// Returns the limits that each server applies while Redis does not respond, or `None` if the limiter fails closed.
    /// Fails if a limit is lower than the number of servers.
    pub(super) fn local_limits(self, limits: Limits) -> Result<Option<Limits>, RedisLimiterError> {
        let Self::Local { servers } = self else { return Ok(None) };
        let share = |limit: NonZeroU32| NonZeroU32::new(limit.get() / servers);
        match (share(limits.reads), share(limits.writes)) {
            (Some(reads), Some(writes)) => Ok(Some(Limits::new(reads, writes))),
            // A share of at least one for each server would exceed the limit.
            _ => Err(RedisLimiterError::TooManyServers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_servers_never_exceed_the_limit() {
        for servers in 1..=60 {
            let servers = NonZeroU32::new(servers).unwrap();
            let shares = LimiterFailure::Local { servers }.local_limits(Limits::default()).unwrap().unwrap();
            assert!(shares.reads.get() * servers.get() <= 600 && shares.reads.get() * servers.get() > 600 - 60);
            assert!(shares.writes.get() * servers.get() <= 60);
        }
        let servers = NonZeroU32::new(61).unwrap();
        let refused = LimiterFailure::Local { servers }.local_limits(Limits::default());
        assert_eq!(refused, Err(RedisLimiterError::TooManyServers));
        assert_eq!(LimiterFailure::Closed.local_limits(Limits::default()), Ok(None));
    }
}

//! The script that admits requests, and its keys.

use std::{sync::LazyLock, time::Duration};

use leadapi_core::{
    id::TokenId,
    port::{Admission, Class},
    rate_limit::AdmissionLog,
};
use redis::{RedisError, Script, aio::ConnectionLike};

static ADMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("admit.lua")));

/// The key that [`probe`] uses. It never collides with a token's key, because token ids are not empty.
const PROBE_KEY: &str = "leadapi:rate:{}:probe";

/// Returns the key under which Redis stores the admissions for a token and class. The braces are a hash tag, which puts
/// all of a token's keys into one slot of a Redis Cluster.
pub(super) fn key(token: &TokenId, class: Class) -> String {
    let class = match class {
        Class::Read => "read",
        Class::Write => "write",
    };
    format!("leadapi:rate:{{{token}}}:{class}")
}

/// Admits and counts a request in one atomic step, or refuses it.
pub(super) async fn admit(
    connection: &mut impl ConnectionLike,
    key: &str,
    limit: u32,
) -> Result<Admission, RedisError> {
    Ok(match run(connection, key, limit, AdmissionLog::WINDOW).await? {
        Duration::ZERO => Admission::Admitted,
        retry_after => Admission::Refused { retry_after },
    })
}

/// Runs the script on a separate key, to check whether it can admit requests. With a window of zero, every call writes,
/// so the check fails on a read-only replica.
pub(super) async fn probe(connection: &mut impl ConnectionLike) -> Result<(), RedisError> {
    run(connection, PROBE_KEY, 1, Duration::ZERO).await.map(drop)
}

/// Runs the script by its hash, and loads it if Redis does not know it. No other failure is retried, because Redis may
/// already have counted the request.
async fn run(
    connection: &mut impl ConnectionLike,
    key: &str,
    limit: u32,
    window: Duration,
) -> Result<Duration, RedisError> {
    let window = u64::try_from(window.as_micros()).unwrap_or(u64::MAX);
    let wait = ADMIT.key(key).arg(limit).arg(window).invoke_async(connection).await?;
    Ok(Duration::from_micros(wait))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_and_class_has_its_own_key() {
        let token = |id: &str| TokenId::parse(id).unwrap();
        assert_eq!(key(&token("t1"), Class::Read), "leadapi:rate:{t1}:read");
        assert_eq!(key(&token("t1"), Class::Write), "leadapi:rate:{t1}:write");
        assert_ne!(key(&token("t1}:read"), Class::Read), key(&token("t1"), Class::Read));
    }
}

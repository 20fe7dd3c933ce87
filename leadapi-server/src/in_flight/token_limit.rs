//! A per-token limit on in-flight requests, so that one caller cannot exhaust the shared capacity.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{HeaderMap, header::AUTHORIZATION};

/// The length of the prefix before the token: the scheme and a space.
const SCHEME_BYTES: usize = "Bearer ".len();
/// The number of shards. Sharding reduces lock contention between requests with different tokens.
const SHARDS: usize = 16;

/// The in-flight requests per token. Tokens are identified by a hash, so that secrets are not kept in memory.
#[derive(Clone)]
pub(super) struct TokenLimit(Arc<Counts>);

struct Counts {
    limit: usize,
    hasher: RandomState,
    /// The number of requests per token. Tokens without requests are removed.
    shards: [Mutex<HashMap<u64, usize>>; SHARDS],
}

/// A permit for a token, released on drop.
pub(super) struct TokenPermit {
    counts: Arc<Counts>,
    token: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

impl TokenLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self(Arc::new(Counts { limit, hasher: RandomState::new(), shards: Default::default() }))
    }

    pub(super) fn limit(&self) -> usize {
        self.0.limit
    }

    /// Returns a permit for the token in these headers, whether or not the token is valid. Returns `None` if the
    /// request has no token and therefore needs no permit. Fails if the token is at its limit.
    pub(super) fn acquire(&self, headers: &HeaderMap) -> Result<Option<TokenPermit>, LimitReached> {
        let Some(token) = token(headers) else { return Ok(None) };
        let token = self.0.hasher.hash_one(token);
        match self.0.shard(token).ok_or(LimitReached)?.entry(token) {
            Entry::Occupied(mut count) if *count.get() < self.0.limit => *count.get_mut() += 1,
            Entry::Vacant(vacant) if self.0.limit > 0 => _ = vacant.insert(1),
            _ => return Err(LimitReached),
        }
        Ok(Some(TokenPermit { counts: self.0.clone(), token }))
    }
}

impl Counts {
    fn shard(&self, token: u64) -> Option<MutexGuard<'_, HashMap<u64, usize>>> {
        let [byte, ..] = token.to_le_bytes();
        let shard = self.shards.get(usize::from(byte) % SHARDS)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for TokenPermit {
    fn drop(&mut self) {
        let Some(mut shard) = self.counts.shard(self.token) else { return };
        if let Entry::Occupied(mut count) = shard.entry(self.token) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Returns the part of the header's value that follows the scheme. Checks neither the scheme nor the token. Like the
/// service, this function ignores the case of the scheme and the spaces around the token, so that a caller cannot evade
/// the limit by varying them.
fn token(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(AUTHORIZATION)?.as_bytes().get(SCHEME_BYTES..).map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(authorization: &'static str) -> HeaderMap {
        [(AUTHORIZATION, HeaderValue::from_static(authorization))].into_iter().collect()
    }

    #[test]
    fn the_limit_counts_all_spellings_of_a_token_together() {
        let limit = TokenLimit::new(2);
        let is_free = |authorization| limit.acquire(&headers(authorization)).is_ok();
        let first = limit.acquire(&headers("Bearer pak_a")).ok().flatten().unwrap();
        let second = limit.acquire(&headers("bearer  pak_a")).ok().flatten().unwrap();
        assert!(!is_free("BEARER pak_a") && is_free("Bearer pak_b"));
        drop(second);
        assert!(is_free("Bearer pak_a"));
        drop(first);
        assert!(limit.0.shards.iter().all(|shard| shard.lock().unwrap().is_empty()), "unused tokens are removed");
    }

    #[test]
    fn a_request_without_a_token_needs_no_permit() {
        let limit = TokenLimit::new(0);
        for (headers, needs) in [(HeaderMap::new(), false), (headers("Bear"), false), (headers("Bearer pak_a"), true)] {
            assert_eq!(limit.acquire(&headers).is_err(), needs);
        }
    }
}

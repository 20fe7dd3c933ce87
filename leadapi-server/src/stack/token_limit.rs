//! How many requests of one token may be in flight, so that one caller cannot take all of what all callers share.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{HeaderMap, header::AUTHORIZATION};

/// Requests of different tokens rarely wait for each other to count.
const SHARDS: usize = 16;
/// What stands before the token, and a blank.
const SCHEME_BYTES: usize = "Bearer ".len();

#[derive(Clone)]
pub(super) struct TokenLimit(Arc<Counts>);

struct Counts {
    limit: usize,
    hasher: RandomState,
    /// The requests in flight of each token that has any, by its hash: the secret itself is not kept.
    shards: [Mutex<HashMap<u64, usize>>; SHARDS],
}

/// A request in flight, until it is dropped.
pub(super) struct TokenPermit {
    counts: Arc<Counts>,
    token: u64,
}

impl TokenLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self(Arc::new(Counts { limit, hasher: RandomState::new(), shards: Default::default() }))
    }

    pub(super) fn limit(&self) -> usize {
        self.0.limit
    }

    /// A permit for the token of these headers, which need not be good; none is needed where there is no token.
    pub(super) fn acquire(&self, headers: &HeaderMap) -> Result<Option<TokenPermit>, LimitReached> {
        let Some(token) = token(headers) else { return Ok(None) };
        let token = self.0.hasher.hash_one(token);
        let Some(mut shard) = self.0.shard(token) else { return Ok(None) };
        let count = shard.entry(token).or_default();
        if *count >= self.0.limit {
            return Err(LimitReached);
        }
        *count += 1;
        Ok(Some(TokenPermit { counts: self.0.clone(), token }))
    }
}

/// The token has as many requests in flight as it may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

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
        let Entry::Occupied(mut count) = shard.entry(self.token) else { return };
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// As the service reads it, so that one token is not counted as several.
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
    fn a_token_has_at_most_its_limit_in_flight_however_it_is_written() {
        let limit = TokenLimit::new(2);
        let acquire = |authorization| limit.acquire(&headers(authorization));
        let first = acquire("Bearer pak_a").unwrap().unwrap();
        let _second = acquire("bearer  pak_a").unwrap().unwrap();
        assert!(acquire("BEARER pak_a").is_err());
        let _other = acquire("Bearer pak_b").unwrap().unwrap();
        drop(first);
        assert!(acquire("Bearer pak_a").is_ok());
    }

    #[test]
    fn a_request_without_a_token_needs_no_permit() {
        let limit = TokenLimit::new(0);
        assert!(limit.acquire(&HeaderMap::new()).unwrap().is_none());
        assert!(limit.acquire(&headers("Bear")).unwrap().is_none());
        assert!(limit.acquire(&headers("Bearer pak_a")).is_err());
    }

    #[test]
    fn a_token_without_requests_is_not_kept() {
        let limit = TokenLimit::new(1);
        drop(limit.acquire(&headers("Bearer pak_a")).unwrap());
        assert!(limit.0.shards.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }
}

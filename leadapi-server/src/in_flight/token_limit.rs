//! A per-token limit on in-flight requests, so that one caller cannot exhaust the shared capacity.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use http::{HeaderMap, header::AUTHORIZATION};

use crate::keyed_limit::{KeyedLimit, KeyedPermit};

/// The length of the prefix before the token: the scheme and a space.
const SCHEME_BYTES: usize = "Bearer ".len();

/// The in-flight requests per token. Tokens are identified by a hash, so that secrets are not kept in memory.
#[derive(Clone)]
pub(super) struct TokenLimit {
    limit: KeyedLimit<u64>,
    hasher: Arc<RandomState>,
}

pub(super) type TokenPermit = KeyedPermit<u64>;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

impl TokenLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: KeyedLimit::new(limit), hasher: Arc::new(RandomState::new()) }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.limit()
    }

    /// Returns a permit for the token in these headers, whether or not the token is valid. Returns `None` if the
    /// request has no token and therefore needs no permit. Fails if the token is at its limit.
    pub(super) fn acquire(&self, headers: &HeaderMap) -> Result<Option<TokenPermit>, LimitReached> {
        let Some(token) = token(headers) else { return Ok(None) };
        self.limit.acquire(self.hasher.hash_one(token)).map(Some).ok_or(LimitReached)
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
        let _first = limit.acquire(&headers("Bearer pak_a")).ok().flatten().unwrap();
        let second = limit.acquire(&headers("bearer  pak_a")).ok().flatten().unwrap();
        assert!(!is_free("BEARER pak_a") && is_free("Bearer pak_b"));
        drop(second);
        assert!(is_free("Bearer pak_a"));
    }

    #[test]
    fn a_request_without_a_token_needs_no_permit() {
        let limit = TokenLimit::new(0);
        for (headers, needs) in [(HeaderMap::new(), false), (headers("Bear"), false), (headers("Bearer pak_a"), true)] {
            assert_eq!(limit.acquire(&headers).is_err(), needs);
        }
    }
}

//! How many requests of one token may be in flight, so that one caller cannot take all of what all callers share.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use http::{HeaderMap, header::AUTHORIZATION};

use crate::keyed_limit::{KeyedLimit, KeyedPermit};

/// What stands before the token, and a blank.
const SCHEME_BYTES: usize = "Bearer ".len();

/// Counts tokens by a hash, so that no secret is kept.
#[derive(Clone)]
pub(super) struct TokenLimit {
    limit: KeyedLimit<u64>,
    hasher: Arc<RandomState>,
}

/// A request in flight, until it is dropped.
pub(super) type TokenPermit = KeyedPermit<u64>;

/// The token has as many requests in flight as it may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

impl TokenLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: KeyedLimit::new(limit), hasher: Arc::new(RandomState::new()) }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.limit()
    }

    /// A permit for the token of these headers, which need not be good; none is needed where there is no token.
    pub(super) fn acquire(&self, headers: &HeaderMap) -> Result<Option<TokenPermit>, LimitReached> {
        let Some(token) = token(headers) else { return Ok(None) };
        self.limit.acquire(self.hasher.hash_one(token)).map(Some).ok_or(LimitReached)
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

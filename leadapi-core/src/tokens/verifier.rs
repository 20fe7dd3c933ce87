//! A token verifier backed by a token store.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    cache::{Cache, FRESH},
    uses::TokenUses,
};
use crate::{
    BoxError,
    auth::{Author, BearerToken, Caller},
    port::{Clock, FoundToken, StoreError, TokenState, TokenStore, TokenVerifier, VERIFIED_FOR, Verdict},
};

/// A [`TokenVerifier`] backed by a [`TokenStore`] (contract D8).
///
/// A token with a wrong checksum is rejected without a lookup, so mistyped and random tokens put no load on the store.
/// Every other token is looked up on every request, unless the verifier is [`cached`](Self::cached).
pub struct StoredTokens {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
    cache: Option<Cache>,
    uses: Option<Arc<TokenUses>>,
    checked_by_store: bool,
}

impl StoredTokens {
    /// Creates a verifier for the tokens in `store`. It reads the current time from `clock`.
    pub fn new(store: impl TokenStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock), cache: None, uses: None, checked_by_store: false }
    }

    /// Caches each token for 1 s, or for 2 s if the tokens are [checked by the store](Self::checked_by_store). Use a
    /// cache for stores with expensive lookups.
    ///
    /// A request is rejected, on any machine, if it arrives 2 s or more after its token was revoked or deleted, or if
    /// it is a write whose body arrives that late. The service relies on a verification for up to 1 s while a body
    /// arrives. Without a check by the store, only 1 s of the 2 s therefore remains for the cache. The delay also
    /// applies on the machine that made the change, because [`Tokens`](super::Tokens) does not notify the verifier. A
    /// token expires without delay, because every request checks the expiry in the cached record. If a rotation changes
    /// the expiry, the change takes effect within 2 s.
    ///
    /// Only tokens that exist in the store are cached, so unknown tokens can neither evict valid tokens nor exhaust
    /// memory. Each request with an unknown token causes at most one lookup. Concurrent requests with the same token
    /// may each cause a lookup. A token that was found in the last five minutes does not count as
    /// [unknown](TokenVerifier::needs_lookup).
    ///
    /// The cache uses the system's monotonic clock. On platforms without one, use
    /// [`cached_with_time`](Self::cached_with_time).
    ///
    /// ```
    /// use leadapi_core::{memory::{MemoryTokens, SystemClock}, tokens::StoredTokens};
    ///
    /// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock).cached();
    /// assert_eq!(verifier.cached_tokens(), 0);
    /// ```
    #[must_use]
    pub fn cached(self) -> Self {
        Self { cache: Some(Cache::new()), ..self }
    }

    /// Caches tokens like [`cached`](Self::cached), but with a custom time source, which can count from any instant but
    /// must never step backwards.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use leadapi_core::{memory::{ManualClock, MemoryTokens}, port::Clock, tokens::StoredTokens};
    ///
    /// let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse()?));
    /// let (now, elapsed) = (clock.clone(), clock.clone());
    /// let tokens = StoredTokens::new(MemoryTokens::default(), move || now.now());
    /// let verifier = tokens.cached_with_time(move || elapsed.elapsed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cached_with_time(self, time: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { cache: Some(Cache::with_time(time)), ..self }
    }

    /// Collects the uses of valid tokens in `uses`. Without this setting, uses are not recorded.
    #[must_use]
    pub fn record_uses(self, uses: Arc<TokenUses>) -> Self {
        Self { uses: Some(uses), ..self }
    }

    /// States that the lead store of the service contains these tokens, as `leadapi-sql`'s `SqlStore` does. The
    /// store then checks the token of each write again, in the transaction of the write, so no write takes effect after
    /// its token was revoked or deleted, or has expired.
    ///
    /// Do not use this setting with a lead store that does not contain the tokens: a store that cannot find the token
    /// of a write rejects the write.
    ///
    /// ```
    /// use leadapi_core::{memory::{MemoryTokens, SystemClock}, tokens::StoredTokens};
    ///
    /// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock).cached().checked_by_store();
    /// ```
    #[must_use]
    pub fn checked_by_store(self) -> Self {
        Self { checked_by_store: true, ..self }
    }

    /// Returns the number of cached tokens, for a host's metrics. Without a cache, the number is 0.
    pub fn cached_tokens(&self) -> usize {
        self.cache.as_ref().map_or(0, Cache::len)
    }

    async fn find(&self, token: &BearerToken) -> Result<Option<Arc<FoundToken>>, StoreError> {
        match &self.cache {
            Some(cache) => {
                let fresh = if self.checked_by_store { FRESH } else { FRESH.saturating_sub(VERIFIED_FOR) };
                cache.find(&self.store, token, fresh).await
            }
            None if token.has_good_checksum() => self.store.find(&token.hash()).await,
            None => Ok(None),
        }
    }
}

impl fmt::Debug for StoredTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredTokens").finish_non_exhaustive()
    }
}

#[async_trait]
impl TokenVerifier for StoredTokens {
    async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError> {
        let Some(found) = self.find(token).await? else { return Ok(Verdict::Unknown) };
        let FoundToken { business, record } = &*found;
        let now = self.clock.now();
        Ok(match record.state(now) {
            TokenState::Revoked => Verdict::Revoked,
            TokenState::Expired => Verdict::Expired,
            TokenState::Good => {
                if let Some(uses) = &self.uses {
                    uses.collect(&found, now);
                }
                let mut caller = Caller::new(business.clone(), record.id.clone(), record.scopes);
                if self.checked_by_store {
                    caller.author = Author::Token(record.id.clone());
                }
                Verdict::Good(caller)
            }
        })
    }

    fn needs_lookup(&self, token: &BearerToken) -> bool {
        self.cache.as_ref().is_some_and(|cache| !cache.knows(token)) && token.has_good_checksum()
    }
}

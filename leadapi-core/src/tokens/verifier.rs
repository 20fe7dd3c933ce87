//! Whether a token is good, asked of a store of tokens.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;

use super::cache::Cache;
use crate::{
    BoxError,
    auth::{BearerToken, Caller},
    model::Timestamp,
    port::{Clock, FoundToken, TokenStore, TokenVerifier, Verdict},
};

/// The [`TokenVerifier`] over a [`TokenStore`] (contract D8).
///
/// A token whose checksum is wrong is refused without a look-up, so that garbage costs the store nothing. Every other
/// one is looked up for every request, unless the verifier is [`cached`](Self::cached).
pub struct StoredTokens {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
    cache: Option<Cache>,
}

impl StoredTokens {
    /// Over this store and this clock.
    pub fn new(store: impl TokenStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock), cache: None }
    }

    /// Looks a token up at most once in 2 s, for stores where a look-up is dear.
    ///
    /// A token that was revoked or deleted is refused by every request that comes 2 s later: on this machine and on any
    /// other, for [`Tokens`](super::Tokens) does not tell the verifier. Expiry is exact: what is kept is the record, and
    /// it is asked for every request. Only tokens that the store knows are kept, so that whoever makes up tokens can
    /// neither push a good one out nor fill the memory; what they cost is a look-up each. Requests with one token that
    /// come at once may each look it up.
    ///
    /// Time is that of the system's monotonic clock; where there is none, [`cached_with_time`](Self::cached_with_time)
    /// takes another.
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

    /// As [`cached`](Self::cached), over another time, which counts from any moment and must never step back.
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

    /// How many tokens it holds in memory, for a host's metrics; 0 where nothing is cached.
    pub fn cached_tokens(&self) -> usize {
        self.cache.as_ref().map_or(0, Cache::len)
    }

    async fn find(&self, token: &BearerToken) -> Result<Option<FoundToken>, BoxError> {
        // What the pointer points to is asked, and not the pointer, which makes a future of its own for that.
        let store = &*self.store;
        match &self.cache {
            Some(cache) => cache.find(store, token).await,
            None if token.has_good_checksum() => store.find(&token.hash()).await,
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
        let (business, record) = &*found;
        // A moment of revocation that is yet to come is another machine's clock, and no reason to wait for it.
        Ok(if record.revoked_at.is_some() {
            Verdict::Revoked
        } else if record.expires_at.is_some_and(|at| at <= Timestamp::from(self.clock.now())) {
            Verdict::Expired
        } else {
            Verdict::Good(Caller { business: business.clone(), token: record.id.clone(), scopes: record.scopes })
        })
    }
}

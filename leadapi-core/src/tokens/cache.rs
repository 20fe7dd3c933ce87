//! A cache of recently found tokens, so that most requests need no lookup in the store.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use foldhash::HashMap;

use crate::{
    auth::{BearerToken, TokenHash},
    port::{FoundToken, StoreError, TokenStore},
};

/// The longest lifetime of a cache entry, measured from the start of the store query. A request that arrives this long
/// after a revocation, or later, is rejected, even if the store is slow.
pub(super) const FRESH: Duration = Duration::from_secs(2);

/// The time for which a found token stays known, measured like `FRESH`. Looking up a known token again does not compete
/// with lookups of unknown tokens, which anyone can cause.
const KNOWN: Duration = Duration::from_secs(5 * 60);

/// A cache with at most this number of entries is not swept, because it uses little memory.
const FEW: usize = 64;

/// The records of recently found tokens.
///
/// Unknown tokens are not cached, so they use no memory and cannot evict other tokens.
pub(super) struct Cache {
    time: Box<dyn Fn() -> Duration + Send + Sync>,
    held: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    entries: HashMap<TokenHash, Entry>,
    /// The number of entries after the last sweep.
    left: usize,
}

struct Entry {
    since: Duration,
    found: Arc<FoundToken>,
}

impl Cache {
    /// Creates a cache that uses the system's monotonic clock.
    pub(super) fn new() -> Self {
        let start = Instant::now();
        Self::with_time(move || start.elapsed())
    }

    pub(super) fn with_time(time: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { time: Box::new(time), held: RwLock::default() }
    }

    /// Returns the token if its entry is younger than `fresh`, or queries the store. Returns `None` without a query if
    /// the checksum is wrong. Caches neither a missing token nor a failure.
    pub(super) async fn find(
        &self,
        store: &impl TokenStore,
        token: &BearerToken,
        fresh: Duration,
    ) -> Result<Option<Arc<FoundToken>>, StoreError> {
        // The time is read before the query, because the result may reflect the state of the store at any instant since
        // then.
        let (hash, since) = (token.hash(), (self.time)());
        if let Some(found) = self.recall(&hash, since, fresh) {
            return Ok(Some(found));
        }
        // A cached token has already passed this check.
        if !token.has_good_checksum() {
            return Ok(None);
        }
        let found = store.find(&hash).await?;
        match &found {
            Some(found) => self.remember(hash, Entry { since, found: found.clone() }),
            None => self.forget(&hash, since),
        }
        Ok(found)
    }

    /// Returns whether the token was found recently, even if its entry is no longer fresh.
    pub(super) fn knows(&self, token: &BearerToken) -> bool {
        let now = (self.time)();
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.entries.get(&token.hash()).is_some_and(|entry| entry.is_younger(now, KNOWN))
    }

    /// Returns the number of entries, including stale ones.
    pub(super) fn len(&self) -> usize {
        // No code panics while it holds the lock, so poisoning can be ignored.
        self.held.read().unwrap_or_else(PoisonError::into_inner).entries.len()
    }

    fn recall(&self, hash: &TokenHash, now: Duration, fresh: Duration) -> Option<Arc<FoundToken>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.entries.get(hash).filter(|entry| entry.is_younger(now, fresh)).map(|entry| entry.found.clone())
    }

    /// Removes a token that no longer exists, unless a later lookup has found it.
    fn forget(&self, hash: &TokenHash, since: Duration) {
        let is_older = |entries: &Entries| entries.entries.get(hash).is_some_and(|entry| entry.since <= since);
        if is_older(&self.held.read().unwrap_or_else(PoisonError::into_inner)) {
            let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
            if is_older(&held) {
                held.entries.remove(hash);
            }
        }
    }

    fn remember(&self, hash: TokenHash, entry: Entry) {
        let now = (self.time)();
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        // Of two concurrent lookups, the cache keeps the result of the one that started later, because it may be newer.
        if held.entries.get(&hash).is_none_or(|other| other.since <= entry.since) {
            held.entries.insert(hash, entry);
        }
        held.sweep(now);
    }
}

impl Entries {
    /// Once the cache has more than twice as many entries as after the last sweep, drops the entries of tokens that are
    /// no longer known. The threshold amortizes the cost of sweeps and limits the cache to about twice the number of
    /// known tokens.
    fn sweep(&mut self, now: Duration) {
        if self.entries.len() > FEW.max(self.left * 2) {
            self.entries.retain(|_, entry| entry.is_younger(now, KNOWN));
            self.left = self.entries.len();
        }
    }
}

impl Entry {
    /// The subtraction saturates, so an entry whose lookup started after `now` was read counts as new.
    fn is_younger(&self, now: Duration, age: Duration) -> bool {
        now.saturating_sub(self.since) < age
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{auth::Scopes, id::BusinessId, port::TokenRecord};

    /// A token that was seen as revoked must not become valid again.
    #[test]
    fn a_slow_lookup_does_not_replace_a_newer_result() {
        let secret = BearerToken::generate().unwrap();
        let at = "2026-05-04T12:00:00Z".parse().unwrap();
        let good = TokenRecord::new(&secret, "t", Scopes::Read, at);
        let revoked = TokenRecord { revoked_at: Some(at), ..good.clone() };
        let cache = Cache::with_time(|| Duration::from_secs(1));
        let entry = |since, record: TokenRecord| Entry {
            since: Duration::from_millis(since),
            found: Arc::new(FoundToken::new(BusinessId::parse("b1").unwrap(), record)),
        };
        cache.remember(secret.hash(), entry(900, revoked.clone()));
        cache.remember(secret.hash(), entry(800, good));
        let found = cache.recall(&secret.hash(), Duration::from_secs(1), FRESH).unwrap();
        assert_eq!(found.record, revoked);
    }
}

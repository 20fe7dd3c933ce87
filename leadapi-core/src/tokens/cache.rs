//! Tokens that were found a moment ago, so that not every request costs a look-up.

use std::{
    sync::{PoisonError, RwLock},
    time::{Duration, Instant},
};

use foldhash::HashMap;

use crate::{
    BoxError,
    auth::{BearerToken, TokenHash},
    port::{FoundToken, TokenStore},
};

/// What a store says of a token is used for less than this, counted from before the store was asked. So whatever was
/// done to the token is seen by every request that comes this much later, however slow the store was.
const FRESH: Duration = Duration::from_secs(2);

/// Below this, old entries are not worth a sweep.
const FEW: usize = 64;

/// The records of tokens that were found a moment ago.
///
/// It holds what is there and nothing else: a token that nobody knows takes no room, and so cannot take another's.
pub(super) struct Cache {
    time: Box<dyn Fn() -> Duration + Send + Sync>,
    held: RwLock<Held>,
}

#[derive(Default)]
struct Held {
    entries: HashMap<TokenHash, Entry>,
    /// How many entries the last sweep left.
    left: usize,
}

struct Entry {
    since: Duration,
    found: FoundToken,
}

impl Cache {
    /// Over the monotonic clock of the system.
    pub(super) fn new() -> Self {
        let start = Instant::now();
        Self::with_time(move || start.elapsed())
    }

    pub(super) fn with_time(time: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { time: Box::new(time), held: RwLock::default() }
    }

    /// What the store says now, or has said a moment ago. A failure is not remembered.
    pub(super) async fn find(
        &self,
        store: &dyn TokenStore,
        token: &BearerToken,
    ) -> Result<Option<FoundToken>, BoxError> {
        // Read before the store is asked: what it answers may be as old as this.
        let (hash, since) = (token.hash(), (self.time)());
        if let Some(found) = self.recall(&hash, since) {
            return Ok(Some(found));
        }
        // What is held has a good one.
        if !token.has_good_checksum() {
            return Ok(None);
        }
        let found = store.find(&hash).await?;
        if let Some(found) = &found {
            self.remember(hash, Entry { since, found: found.clone() });
        }
        Ok(found)
    }

    /// How many entries it holds, old ones among them.
    pub(super) fn len(&self) -> usize {
        // Nothing panics while it holds the lock, so what a poisoned lock guards is whole.
        self.held.read().unwrap_or_else(PoisonError::into_inner).entries.len()
    }

    fn recall(&self, hash: &TokenHash, now: Duration) -> Option<FoundToken> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.entries.get(hash).filter(|entry| entry.is_fresh(now)).map(|entry| entry.found.clone())
    }

    fn remember(&self, hash: TokenHash, entry: Entry) {
        let now = (self.time)();
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        // Of two look-ups at once, the one that began later may have seen more, whichever ends first.
        if held.entries.get(&hash).is_none_or(|other| other.since <= entry.since) {
            held.entries.insert(hash, entry);
        }
        held.sweep(now);
    }
}

impl Held {
    /// Drops the old entries once there are twice as many as the last sweep left: so its cost is shared out evenly, and
    /// no more room is taken than twice what was of use.
    fn sweep(&mut self, now: Duration) {
        if self.entries.len() > FEW.max(self.left * 2) {
            self.entries.retain(|_, entry| entry.is_fresh(now));
            self.left = self.entries.len();
        }
    }
}

impl Entry {
    fn is_fresh(&self, now: Duration) -> bool {
        // One that was begun after `now` was read is as fresh as can be.
        now.saturating_sub(self.since) < FRESH
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{auth::Scopes, id::BusinessId, port::TokenRecord};

    /// A token must not be good again after it was seen to be revoked.
    #[test]
    fn a_look_up_that_ends_late_does_not_bring_back_what_it_saw() {
        let secret = BearerToken::generate().unwrap();
        let at = "2026-05-04T12:00:00Z".parse().unwrap();
        let good = TokenRecord::new(&secret, "t", Scopes::Read, at);
        let revoked = TokenRecord { revoked_at: Some(at), ..good.clone() };
        let cache = Cache::with_time(|| Duration::from_secs(1));
        let entry = |since, record: TokenRecord| Entry {
            since: Duration::from_millis(since),
            found: Arc::new((BusinessId::named("b1"), record)),
        };
        cache.remember(secret.hash(), entry(900, revoked.clone()));
        cache.remember(secret.hash(), entry(800, good));
        let found = cache.recall(&secret.hash(), Duration::from_secs(1)).unwrap();
        assert_eq!(found.1, revoked);
    }
}

//! The in-memory token store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use async_trait::async_trait;
use foldhash::HashMap;

use crate::{
    auth::TokenHash,
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::{FoundToken, StoreError, TokenRecord, TokenStore, TokenUse},
};

/// The number of shards: enough that two threads rarely contend for the same lock.
const SHARDS: usize = 64;

/// An in-memory [`TokenStore`]. Its tokens are lost when the process exits.
#[derive(Debug)]
pub struct MemoryTokens {
    /// The tokens, sharded by the first byte of the hash. Every request looks up its token, and even concurrent readers
    /// would contend for a single lock.
    shards: [RwLock<ByHash>; SHARDS],
    /// The hash of each token, by token id. `insert`, `delete` and `list` hold this lock until they return.
    hashes: Mutex<HashMap<TokenId, TokenHash>>,
}

type ByHash = HashMap<TokenHash, Arc<FoundToken>>;

impl Default for MemoryTokens {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()), hashes: Mutex::default() }
    }
}

impl MemoryTokens {
    // No code panics while it holds a lock, so poisoning can be ignored.

    fn shard(&self, hash: &TokenHash) -> &RwLock<ByHash> {
        let [first, ..] = hash.to_bytes();
        let [zeroth, ..] = &self.shards;
        self.shards.get(usize::from(first) % SHARDS).unwrap_or(zeroth)
    }

    fn read<T>(&self, hash: &TokenHash, work: impl FnOnce(&ByHash) -> T) -> T {
        work(&self.shard(hash).read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, hash: &TokenHash, work: impl FnOnce(&mut ByHash) -> T) -> T {
        work(&mut self.shard(hash).write().unwrap_or_else(PoisonError::into_inner))
    }

    fn hashes(&self) -> MutexGuard<'_, HashMap<TokenId, TokenHash>> {
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryTokens {
    /// Revokes a token, unless it is already revoked. Returns `false` if the business has no token with this id.
    ///
    /// ```
    /// use leadapi_core::{auth::*, memory::MemoryTokens, port::*};
    ///
    /// # futures_executor::block_on(async {
    /// let (tokens, business) = (MemoryTokens::default(), "b1".parse()?);
    /// let at = "2026-05-04T12:00:00Z".parse()?;
    /// let token = TokenRecord::new(&BearerToken::generate()?, "website", Scopes::Write, at);
    /// tokens.insert(&business, token.clone()).await?;
    /// assert!(tokens.revoke(&business, &token.id, at));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> bool {
        self.update(business, id, |record| {
            record.revoked_at.get_or_insert(at);
        })
    }

    /// Deletes a token. Returns `false` if the business has no token with this id.
    pub fn delete(&self, business: &BusinessId, id: &TokenId) -> bool {
        let mut hashes = self.hashes();
        let Some(hash) = hashes.get(id).copied() else { return false };
        let is_own = self.read(&hash, |held| held.get(&hash).is_some_and(|found| found.business == *business));
        if is_own {
            self.write(&hash, |held| held.remove(&hash));
            hashes.remove(id);
        }
        is_own
    }

    /// Changes a token's record. Returns `false` if the business has no token with this id.
    pub(super) fn update(&self, business: &BusinessId, id: &TokenId, change: impl FnOnce(&mut TokenRecord)) -> bool {
        let Some(hash) = self.hashes().get(id).copied() else { return false };
        self.write(&hash, |held| {
            let own = held.get_mut(&hash).filter(|found| found.business == *business);
            own.map(|found| change(&mut Arc::make_mut(found).record)).is_some()
        })
    }

    pub(super) fn add(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        let mut hashes = self.hashes();
        let hash = token.hash;
        if hashes.contains_key(&token.id) || self.read(&hash, |held| held.contains_key(&hash)) {
            return Err(StoreError::AlreadyExists(format!("token {}", token.id).into()));
        }
        hashes.insert(token.id.clone(), hash);
        let found = Arc::new(FoundToken::new(business.clone(), token));
        self.write(&hash, |held| held.insert(hash, found));
        Ok(())
    }

    pub(super) fn record(&self, uses: &[TokenUse]) {
        for used in uses {
            self.update(&used.business, &used.token, |record| {
                if used.is_recorded(record.last_used_at) {
                    record.last_used_at = Some(used.at);
                }
            });
        }
    }

    pub(super) fn look_up(&self, hash: &TokenHash) -> Option<Arc<FoundToken>> {
        self.read(hash, |held| held.get(hash).cloned())
    }

    pub(super) fn of(&self, business: &BusinessId) -> Vec<TokenRecord> {
        let hashes = self.hashes();
        let found = hashes.values().filter_map(|hash| {
            self.read(hash, |held| {
                held.get(hash).filter(|found| found.business == *business).map(|found| found.record.clone())
            })
        });
        let mut tokens: Vec<TokenRecord> = found.collect();
        tokens.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        tokens
    }
}

#[async_trait]
impl TokenStore for MemoryTokens {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        self.add(business, token)
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        Ok(self.of(business))
    }

    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
        self.record(uses);
        Ok(())
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        Ok(self.look_up(hash))
    }
}

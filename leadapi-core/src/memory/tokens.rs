//! The in-memory token store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use async_trait::async_trait;
use foldhash::HashMap;

use crate::{
    auth::TokenHash,
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::{FoundToken, StoreError, TokenRecord, TokenStore},
};

/// The number of shards. With this many, two threads rarely contend for the same lock.
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
    // No code panics while it holds a lock, so the data behind a poisoned lock is consistent.

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

#[async_trait]
impl TokenStore for MemoryTokens {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
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

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        let hashes = self.hashes();
        let found = hashes.values().filter_map(|hash| {
            self.read(hash, |held| {
                held.get(hash).filter(|found| found.business == *business).map(|found| found.record.clone())
            })
        });
        let mut tokens: Vec<TokenRecord> = found.collect();
        tokens.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(tokens)
    }

    async fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let Some(hash) = self.hashes().get(id).copied() else { return Ok(false) };
        Ok(self.write(&hash, |held| {
            let own = held.get_mut(&hash).filter(|found| found.business == *business);
            own.map(|found| Arc::make_mut(found).record.revoked_at.get_or_insert(at)).is_some()
        }))
    }

    async fn delete(&self, business: &BusinessId, id: &TokenId) -> Result<bool, StoreError> {
        let mut hashes = self.hashes();
        let Some(hash) = hashes.get(id).copied() else { return Ok(false) };
        let is_own = self.read(&hash, |held| held.get(&hash).is_some_and(|found| found.business == *business));
        if is_own {
            self.write(&hash, |held| held.remove(&hash));
            hashes.remove(id);
        }
        Ok(is_own)
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        Ok(self.read(hash, |held| held.get(hash).cloned()))
    }
}

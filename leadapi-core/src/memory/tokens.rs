//! The in-memory token store.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

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
    /// Every method holds this lock until it returns if it finds tokens by anything other than their hashes.
    index: Mutex<Index>,
}

type ByHash = HashMap<TokenHash, Arc<FoundToken>>;

/// Finds tokens by id, name or validity, so that the cost of a change does not grow with the number of tokens.
#[derive(Debug, Default)]
struct Index {
    hashes: HashMap<TokenId, TokenHash>,
    not_revoked: HashMap<BusinessId, ByExpiry>,
    not_revoked_by_name: HashMap<(BusinessId, String), ByExpiry>,
}

/// The expiry, in milliseconds since the Unix epoch, and the hash of each token. A token that never expires sorts last.
type ByExpiry = BTreeSet<(i64, TokenHash)>;

fn by_expiry(token: &TokenRecord) -> (i64, TokenHash) {
    (token.expires_at.map_or(i64::MAX, Timestamp::unix_millis), token.hash)
}

impl Index {
    fn add(&mut self, business: &BusinessId, token: &TokenRecord) {
        self.hashes.insert(token.id.clone(), token.hash);
        if token.revoked_at.is_none() {
            let entry = by_expiry(token);
            self.not_revoked.entry(business.clone()).or_default().insert(entry);
            self.not_revoked_by_name.entry((business.clone(), token.name.clone())).or_default().insert(entry);
        }
    }

    fn remove(&mut self, business: &BusinessId, token: &TokenRecord) {
        self.hashes.remove(&token.id);
        let entry = by_expiry(token);
        if let Some(tokens) = self.not_revoked.get_mut(business) {
            tokens.remove(&entry);
        }
        let name = (business.clone(), token.name.clone());
        if let Some(tokens) = self.not_revoked_by_name.get_mut(&name) {
            tokens.remove(&entry);
            if tokens.is_empty() {
                self.not_revoked_by_name.remove(&name);
            }
        }
    }
}

/// Returns the tokens that are still valid.
fn valid(tokens: Option<&ByExpiry>, now: Timestamp) -> impl Iterator<Item = TokenHash> {
    let now = now.unix_millis();
    let is_valid = move |(expiry, _): &&(i64, TokenHash)| *expiry > now;
    tokens.into_iter().flat_map(move |tokens| tokens.iter().rev().take_while(is_valid)).map(|(_, hash)| *hash)
}

impl Default for MemoryTokens {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()), index: Mutex::default() }
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

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut index = self.index();
        let Some(found) = self.own(&index, business, id) else { return false };
        self.write(&found.record.hash, |held| held.remove(&found.record.hash));
        index.remove(business, &found.record);
        true
    }

    /// Changes a token's record. Returns `false` if the business has no token with this id.
    pub(super) fn update(&self, business: &BusinessId, id: &TokenId, change: impl FnOnce(&mut TokenRecord)) -> bool {
        let mut index = self.index();
        let Some(mut found) = self.own(&index, business, id) else { return false };
        index.remove(business, &found.record);
        change(&mut Arc::make_mut(&mut found).record);
        index.add(business, &found.record);
        self.write(&found.record.hash, |held| held.insert(found.record.hash, found.clone()));
        true
    }

    pub(super) fn add(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        let mut index = self.index();
        let hash = token.hash;
        if index.hashes.contains_key(&token.id) || self.read(&hash, |held| held.contains_key(&hash)) {
            return Err(StoreError::AlreadyExists(format!("token {}", token.id).into()));
        }
        index.add(business, &token);
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

    /// Returns the token with this id.
    pub(super) fn get(&self, business: &BusinessId, id: &TokenId) -> Option<TokenRecord> {
        self.own(&self.index(), business, id).map(|found| found.record.clone())
    }

    /// Returns the newest valid token with this name.
    pub(super) fn namesake(&self, business: &BusinessId, name: &str, now: Timestamp) -> Option<TokenRecord> {
        let index = self.index();
        let namesakes = valid(index.not_revoked_by_name.get(&(business.clone(), name.to_owned())), now);
        let newest = namesakes.filter_map(|hash| self.look_up(&hash));
        newest.max_by_key(|found| (found.record.created_at, found.record.id.clone())).map(|found| found.record.clone())
    }

    /// Counts the valid tokens, up to a limit.
    pub(super) fn count_valid(&self, business: &BusinessId, now: Timestamp, limit: u32) -> u32 {
        let count = valid(self.index().not_revoked.get(business), now).take(limit as usize).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    pub(super) fn of(&self, business: &BusinessId) -> Vec<TokenRecord> {
        let index = self.index();
        let found = index.hashes.values().filter_map(|hash| self.look_up(hash));
        let own = found.filter(|found| found.business == *business);
        let mut tokens: Vec<TokenRecord> = own.map(|found| found.record.clone()).collect();
        tokens.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        tokens
    }

    fn own(&self, index: &Index, business: &BusinessId, id: &TokenId) -> Option<Arc<FoundToken>> {
        self.look_up(index.hashes.get(id)?).filter(|found| found.business == *business)
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

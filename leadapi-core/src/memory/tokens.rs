//! Tokens in memory.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use async_trait::async_trait;

use crate::{
    BoxError,
    auth::TokenHash,
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::{TokenRecord, TokenStore},
};

/// A [`TokenStore`] in memory: what it holds is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryTokens(RwLock<Held>);

#[derive(Debug, Default)]
struct Held {
    by_hash: HashMap<TokenHash, (BusinessId, TokenRecord)>,
    hashes: HashMap<TokenId, TokenHash>,
}

impl MemoryTokens {
    // Nothing panics while it holds the lock, so what a poisoned lock guards is whole.

    fn read<T>(&self, work: impl FnOnce(&Held) -> T) -> T {
        work(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, work: impl FnOnce(&mut Held) -> T) -> T {
        work(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl TokenStore for MemoryTokens {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), BoxError> {
        self.write(|held| {
            if held.by_hash.contains_key(&token.hash) || held.hashes.contains_key(&token.id) {
                return Err("the token is kept already".into());
            }
            held.hashes.insert(token.id.clone(), token.hash);
            held.by_hash.insert(token.hash, (business.clone(), token));
            Ok(())
        })
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, BoxError> {
        let mut tokens: Vec<TokenRecord> = self.read(|held| {
            let own = held.by_hash.values().filter(|(owner, _)| owner == business);
            own.map(|(_, token)| token.clone()).collect()
        });
        tokens.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(tokens)
    }

    async fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> Result<bool, BoxError> {
        Ok(self.write(|held| {
            let token = held.hashes.get(id).and_then(|hash| held.by_hash.get_mut(hash));
            let own = token.filter(|(owner, _)| owner == business);
            own.map(|(_, token)| token.revoked_at.get_or_insert(at)).is_some()
        }))
    }

    async fn delete(&self, business: &BusinessId, id: &TokenId) -> Result<bool, BoxError> {
        Ok(self.write(|held| {
            let hash = held.hashes.get(id).copied();
            let own = hash.filter(|hash| held.by_hash.get(hash).is_some_and(|(owner, _)| owner == business));
            own.and_then(|hash| held.by_hash.remove(&hash)).and_then(|_| held.hashes.remove(id)).is_some()
        }))
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<(BusinessId, TokenRecord)>, BoxError> {
        Ok(self.read(|held| held.by_hash.get(hash).cloned()))
    }
}

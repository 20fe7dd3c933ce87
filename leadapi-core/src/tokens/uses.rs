//! The times at which tokens were last used, collected for the store.

use std::sync::{PoisonError, RwLock};

use foldhash::HashMap;

use crate::{
    id::TokenId,
    model::Timestamp,
    port::{FoundToken, StoreError, TokenStore, TokenUse},
};

/// Collects the uses of tokens, so that a host can store them in batches, for example once a minute.
///
/// A use is collected only if the token's record contains no use in the preceding [15 minutes](TokenUse::INTERVAL), so
/// most requests cost only a comparison.
///
/// ```
/// use std::sync::Arc;
/// use leadapi_core::{auth::*, clock::SystemClock, port::*, tokens::*};
/// use leadapi_memory::MemoryTokens;
///
/// # futures_executor::block_on(async {
/// let (store, uses) = (Arc::new(MemoryTokens::default()), Arc::new(TokenUses::default()));
/// let (owner, secret) = ("b1".parse()?, BearerToken::generate()?);
/// store.insert(&owner, TokenRecord::new(&secret, "website", Scopes::Write, SystemClock.now())).await?;
///
/// let verifier = StoredTokens::new(store.clone(), SystemClock).record_uses(uses.clone());
/// verifier.verify(&secret).await?;
/// uses.flush(&store).await?;
/// assert!(store.list(&owner).await?.iter().all(|token| token.last_used_at.is_some()));
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Default)]
pub struct TokenUses {
    pending: RwLock<HashMap<TokenId, TokenUse>>,
}

impl TokenUses {
    /// Collects the use of a valid token, unless a recent use is already stored or collected.
    pub(super) fn collect(&self, found: &FoundToken, now: Timestamp) {
        let FoundToken { business, record } = found;
        if record.last_used_at.is_some_and(|last| now.saturating_duration_since(last) < TokenUse::INTERVAL) {
            return;
        }
        // No code panics while it holds the lock, so poisoning can be ignored.
        if self.pending.read().unwrap_or_else(PoisonError::into_inner).contains_key(&record.id) {
            return;
        }
        let used = TokenUse::new(business.clone(), record.id.clone(), now);
        self.pending.write().unwrap_or_else(PoisonError::into_inner).insert(record.id.clone(), used);
    }

    /// Stores the collected uses.
    ///
    /// # Errors
    ///
    /// Returns the store's error. The uses are then kept for the next call.
    pub async fn flush(&self, store: &impl TokenStore) -> Result<(), StoreError> {
        let mut uses: Vec<TokenUse> =
            self.pending.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        if uses.is_empty() {
            return Ok(());
        }
        // Sorts the uses, so that two servers that store uses of the same tokens cannot deadlock.
        uses.sort_by(|a, b| (&a.business, &a.token).cmp(&(&b.business, &b.token)));
        store.record_uses(&uses).await?;
        // Removes the uses only after they are stored, so that no request collects another use of a token while its
        // previous use is being stored.
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        for used in &uses {
            pending.remove(&used.token);
        }
        Ok(())
    }
}

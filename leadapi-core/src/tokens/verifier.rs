//! Whether a token is good, asked of a store of tokens.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    BoxError,
    auth::{BearerToken, Caller},
    model::Timestamp,
    port::{Clock, TokenStore, TokenVerifier, Verdict},
};

/// The [`TokenVerifier`] over a [`TokenStore`] (contract D8).
///
/// A token whose checksum is wrong is refused without a look-up, so that garbage costs the store nothing.
pub struct StoredTokens {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
}

impl StoredTokens {
    /// Over this store and this clock.
    pub fn new(store: impl TokenStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock) }
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
        if !token.has_good_checksum() {
            return Ok(Verdict::Unknown);
        }
        let Some((business, record)) = self.store.find(&token.hash()).await? else { return Ok(Verdict::Unknown) };
        let now = Timestamp::from(self.clock.now());
        // A moment of revocation that is yet to come is another machine's clock, and no reason to wait for it.
        Ok(if record.revoked_at.is_some() {
            Verdict::Revoked
        } else if record.expires_at.is_some_and(|at| at <= now) {
            Verdict::Expired
        } else {
            Verdict::Good(Caller { business, token: record.id, scopes: record.scopes })
        })
    }
}

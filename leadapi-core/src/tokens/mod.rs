//! Token management for owners and admins, and token verification for the service (contract 5 and D8).

mod cache;
mod import;
mod verifier;

use std::{fmt, sync::Arc};

use crate::{
    auth::{BearerToken, NoRandomness, Scopes, TokenAdmin},
    id::TokenId,
    model::Timestamp,
    port::{Clock, StoreError, TokenRecord, TokenStore},
    validate::{InvalidName, check_token_name},
};

pub use import::{IssuedToken, Records, import, records};
pub use verifier::StoredTokens;

/// The input for a new token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewToken {
    /// The name of the token: 1 to 100 characters after trimming, without control characters.
    pub name: String,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The time at which the token expires, if any. It must be in the future.
    pub expires_at: Option<Timestamp>,
}

impl NewToken {
    /// Creates the input for a token that does not expire.
    ///
    /// ```
    /// # use leadapi_core::{auth::Scopes, tokens::NewToken};
    /// assert_eq!(NewToken::new("website", Scopes::Write).expires_at, None);
    /// ```
    pub fn new(name: impl Into<String>, scopes: Scopes) -> Self {
        Self { name: name.into(), scopes, expires_at: None }
    }

    /// Sets the time at which the token expires.
    ///
    /// ```
    /// # use leadapi_core::{auth::Scopes, tokens::NewToken};
    /// let new = NewToken::new("website", Scopes::Write).expires_at("2030-01-01T00:00:00Z".parse()?);
    /// assert!(new.expires_at.is_some());
    /// # Ok::<(), leadapi_core::model::InvalidTimestamp>(())
    /// ```
    #[must_use]
    pub const fn expires_at(mut self, at: Timestamp) -> Self {
        self.expires_at = Some(at);
        self
    }
}

/// The reason why a token could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateTokenError {
    /// The name is empty or too long, or it contains control characters.
    #[error("name {0}")]
    Name(InvalidName),
    /// The expiry time is not in the future.
    #[error("expires_at must be in the future")]
    Expired,
    /// The store failed.
    #[error("the token could not be stored")]
    Store(#[from] StoreError),
    /// The system's random number generator failed. Nothing was created.
    #[error("the token could not be generated")]
    NoRandomness(#[from] NoRandomness),
}

/// Creates, lists, revokes and deletes tokens for owners and admins (contract D8).
///
/// ```
/// use std::sync::Arc;
/// use leadapi_core::{auth::*, id::BusinessId, memory::*, port::{TokenVerifier, Verdict}, tokens::*};
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(MemoryTokens::default());
/// let tokens = Tokens::new(store.clone(), SystemClock);
/// let owner = Member::new(BusinessId::parse("b1")?, Role::Owner);
/// let admin = owner.token_admin()?;
///
/// let new = NewToken::new("website", Scopes::Write);
/// let (record, secret) = tokens.create(&admin, new).await?;
/// println!("shown once: {}", secret.expose());
///
/// let verifier = StoredTokens::new(store, SystemClock);
/// assert!(matches!(verifier.verify(&secret).await?, Verdict::Good(_)));
/// tokens.revoke(&admin, &record.id).await?;
/// assert_eq!(verifier.verify(&secret).await?, Verdict::Revoked);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
pub struct Tokens {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
}

impl Tokens {
    /// Creates a manager for the tokens in `store`. It reads the current time from `clock`.
    pub fn new(store: impl TokenStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock) }
    }

    /// Creates a token. The returned secret is not stored, so it can be shown only once (contract 5.3).
    ///
    /// # Errors
    ///
    /// Returns a [`CreateTokenError`]. No token was created, unless the store reports an [unknown
    /// outcome](StoreError::UnknownOutcome).
    pub async fn create(
        &self,
        admin: &TokenAdmin,
        new: NewToken,
    ) -> Result<(TokenRecord, BearerToken), CreateTokenError> {
        let now = self.clock.now();
        let name = new.name.trim();
        check_token_name(name).map_err(CreateTokenError::Name)?;
        if new.expires_at.is_some_and(|at| at <= now) {
            return Err(CreateTokenError::Expired);
        }
        let secret = BearerToken::generate()?;
        let record = TokenRecord { expires_at: new.expires_at, ..TokenRecord::new(&secret, name, new.scopes, now) };
        self.store.insert(admin.business(), record.clone()).await?;
        Ok((record, secret))
    }

    /// Lists the business's tokens, oldest first.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn list(&self, admin: &TokenAdmin) -> Result<Vec<TokenRecord>, StoreError> {
        self.store.list(admin.business()).await
    }

    /// Revokes a token. Returns `false` if the business has no such token. Revoking a token again has no effect.
    ///
    /// A [cached](StoredTokens::cached) verifier may accept the token for up to 2 s longer, even in the same process.
    ///
    /// # Errors
    ///
    /// Returns the store's error. The token may still be valid.
    pub async fn revoke(&self, admin: &TokenAdmin, id: &TokenId) -> Result<bool, StoreError> {
        self.store.revoke(admin.business(), id, self.clock.now()).await
    }

    /// Deletes a token, which makes it unknown to the verifier. Returns `false` if the business has no such token.
    ///
    /// A [cached](StoredTokens::cached) verifier may accept the token for up to 2 s longer, even in the same process.
    ///
    /// # Errors
    ///
    /// Returns the store's error. The token may still be valid.
    pub async fn delete(&self, admin: &TokenAdmin, id: &TokenId) -> Result<bool, StoreError> {
        self.store.delete(admin.business(), id).await
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}

//! Token management and sign-in for owners and admins, and token verification for the service (contract 5 and D8).

mod cache;
mod import;
mod sessions;
mod uses;
mod verifier;

use std::{fmt, sync::Arc, time::Duration};

use uuid::Uuid;

use crate::{
    auth::{BearerToken, NoRandomness, Scopes, TokenAdmin},
    id::TokenId,
    model::{Page, Timestamp, Window},
    port::{
        AuditEntry, Clock, Replacement, SettingsStore, StoreError, TokenAction, TokenChange, TokenChanged, TokenRecord,
        TokenRefusal,
    },
    validate::{InvalidName, check_token_name},
};

pub use import::{IssuedToken, Records, import, records};
pub use sessions::{Sessions, SignInError, SignedIn};
pub use uses::TokenUses;
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

/// The settings for a token rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotation {
    /// The time for which both tokens are valid. The old token expires afterwards, or at its own expiry if that is
    /// earlier.
    pub overlap: Duration,
    /// The time at which the new token expires, if any. It must be in the future.
    pub expires_at: Option<Timestamp>,
}

impl Rotation {
    /// Creates the settings for a new token that does not expire.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_core::tokens::Rotation;
    ///
    /// assert_eq!(Rotation::new(Duration::from_secs(7 * 24 * 60 * 60)).expires_at, None);
    /// ```
    pub const fn new(overlap: Duration) -> Self {
        Self { overlap, expires_at: None }
    }

    /// Sets the time at which the new token expires.
    #[must_use]
    pub const fn expires_at(mut self, at: Timestamp) -> Self {
        self.expires_at = Some(at);
        self
    }
}

/// The reason why a change to the tokens of a business failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The name is empty or too long, or it contains control characters.
    #[error("name {0}")]
    Name(InvalidName),
    /// The expiry time is not in the future.
    #[error("expires_at must be in the future")]
    Expired,
    /// The overlap of a rotation ends after the year 9999.
    #[error("overlap must end before the year 10000")]
    Overlap,
    /// The change is not allowed.
    #[error(transparent)]
    Refused(#[from] TokenRefusal),
    /// The store failed.
    #[error("the token could not be stored")]
    Store(#[from] StoreError),
    /// The system's random number generator failed.
    #[error("the token could not be generated")]
    NoRandomness(#[from] NoRandomness),
}

/// Creates, lists, rotates, revokes and deletes tokens for owners and admins (contract D8), and lists the audit log.
///
/// Every change confirms the [`Authority`](crate::auth::Authority) of the person who makes it, in the same transaction.
/// A business may have 100 valid tokens, or 200 while rotated tokens overlap with their replacements. It may get 60 new
/// tokens in any minute.
///
/// Every change adds its entries to the audit log in the same transaction. If the store reports an
/// [unknown outcome](StoreError::UnknownOutcome), a failed change may have taken effect. Any other failed change has
/// had no effect. A [cached](StoredTokens::cached) verifier may accept a token for up to 2 s after its revocation or
/// deletion, even in the same process.
///
/// ```
/// use std::sync::Arc;
/// use leadapi_core::{auth::*, clock::SystemClock, id::BusinessId, port::{TokenVerifier, Verdict}, tokens::*};
/// use leadapi_memory::MemorySettings;
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(MemorySettings::default());
/// let tokens = Tokens::new(store.clone(), SystemClock);
/// let owner = Member::new(BusinessId::parse("b1")?, "ann@sol.example", Role::Owner);
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
    store: Arc<dyn SettingsStore>,
    clock: Arc<dyn Clock>,
}

impl Tokens {
    /// Creates a manager for the tokens in `store`. It reads the current time from `clock`.
    pub fn new(store: impl SettingsStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock) }
    }

    /// Creates a token. The returned secret is not stored, so it can be shown only once (contract 5.3).
    ///
    /// # Errors
    ///
    /// Returns a [`TokenError`] if the name is invalid or belongs to another valid token, or if the expiry is not in
    /// the future. Also returns an error if the person may no longer manage tokens, if the business has too many
    /// tokens, or if the store or the system's random number generator fails.
    pub async fn create(&self, admin: &TokenAdmin, new: NewToken) -> Result<(TokenRecord, BearerToken), TokenError> {
        let now = self.clock.now();
        let name = new.name.trim();
        check_token_name(name).map_err(TokenError::Name)?;
        check_expiry(new.expires_at, now)?;
        let secret = BearerToken::generate()?;
        let record = TokenRecord {
            expires_at: new.expires_at,
            created_by: Some(admin.actor().email.clone()),
            ..TokenRecord::new(&secret, name, new.scopes, now)
        };
        Ok((self.change(admin, now, TokenAction::Create(record)).await?, secret))
    }

    /// Replaces a token with a new one of the same name and scopes. Unless one of the tokens expires earlier, both are
    /// valid until the end of the overlap, so that integrations can switch to the new secret without interruption.
    ///
    /// # Errors
    ///
    /// Returns a [`TokenError`] if the business has no such token, or if the token is not valid or was already
    /// [replaced](TokenRefusal::Replaced). Also returns an error if the new expiry is not in the future, the overlap
    /// ends after the year 9999, or the store or the system's random number generator fails.
    pub async fn rotate(
        &self,
        admin: &TokenAdmin,
        id: &TokenId,
        rotation: Rotation,
    ) -> Result<(TokenRecord, BearerToken), TokenError> {
        let now = self.clock.now();
        check_expiry(rotation.expires_at, now)?;
        let secret = BearerToken::generate()?;
        let replacement =
            Replacement::new(TokenId::from(Uuid::now_v7()), secret.hint(), secret.hash(), rotation.expires_at);
        let overlap_end = now.checked_add(rotation.overlap).ok_or(TokenError::Overlap)?;
        let action = TokenAction::Rotate { id: id.clone(), replacement, overlap_end };
        Ok((self.change(admin, now, action).await?, secret))
    }

    /// Lists all tokens of the business, oldest first. [`page`](Self::page) lists them in pages.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn list(&self, admin: &TokenAdmin) -> Result<Vec<TokenRecord>, StoreError> {
        self.store.list(admin.business()).await
    }

    /// Lists the tokens of the business on a page, newest first.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn page(&self, admin: &TokenAdmin, window: Window) -> Result<Page<TokenRecord>, StoreError> {
        self.store.tokens(admin.business(), window).await
    }

    /// Returns the token with this id, or `None` if the business has no such token.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn get(&self, admin: &TokenAdmin, id: &TokenId) -> Result<Option<TokenRecord>, StoreError> {
        self.store.token(admin.business(), id).await
    }

    /// Revokes a token, and returns it.
    ///
    /// # Errors
    ///
    /// Returns a [`TokenError`] if the business has no such token, if the token was
    /// [already revoked](TokenRefusal::AlreadyRevoked), or if the store fails. If the store fails, the token may still
    /// be valid.
    pub async fn revoke(&self, admin: &TokenAdmin, id: &TokenId) -> Result<TokenRecord, TokenError> {
        self.change(admin, self.clock.now(), TokenAction::Revoke(id.clone())).await
    }

    /// Deletes a revoked or expired token, and returns it.
    ///
    /// # Errors
    ///
    /// Returns a [`TokenError`] if the business has no such token, if the token is
    /// [still valid](TokenRefusal::StillValid), or if the store fails.
    pub async fn delete(&self, admin: &TokenAdmin, id: &TokenId) -> Result<TokenRecord, TokenError> {
        self.change(admin, self.clock.now(), TokenAction::Delete(id.clone())).await
    }

    /// Lists the audit log of the business, newest first.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn audit(&self, admin: &TokenAdmin, window: Window) -> Result<Page<AuditEntry>, StoreError> {
        self.store.audit(admin.business(), window).await
    }

    async fn change(&self, admin: &TokenAdmin, at: Timestamp, action: TokenAction) -> Result<TokenRecord, TokenError> {
        let change = TokenChange::new(action, at, admin.actor().clone());
        match self.store.change(admin.business(), &change).await? {
            TokenChanged::Done(token) => Ok(token),
            TokenChanged::Refused(refusal) => Err(refusal.into()),
        }
    }
}

fn check_expiry(expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), TokenError> {
    if expires_at.is_some_and(|at| at <= now) { Err(TokenError::Expired) } else { Ok(()) }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}

//! The ports for storing and verifying tokens (contract 5 and D8).

use std::{fmt, sync::Arc, time::Duration};

use super::StoreError;
use crate::{
    BoxError,
    auth::{BearerToken, Caller, Scopes, TokenHash},
    id::{BusinessId, TokenId},
    model::Timestamp,
};
use async_trait::async_trait;

/// The stored form of a token, which contains everything except its secret (contract D8).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenRecord {
    /// Identifier of the record.
    pub id: TokenId,
    /// The name of the token, chosen by a person.
    pub name: String,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The first characters of the secret, so that people can recognize the token.
    pub hint: String,
    /// The hash of the secret. The service looks up a request's token by this hash.
    pub hash: TokenHash,
    /// The time at which the token was created.
    pub created_at: Timestamp,
    /// The time at which the token expires, if any.
    pub expires_at: Option<Timestamp>,
    /// The time at which the token was revoked, if any.
    pub revoked_at: Option<Timestamp>,
    /// The email address of the person who created the token, if known.
    pub created_by: Option<String>,
    /// The time of the last use, if any. It is updated at most once every [15 minutes](TokenUse::INTERVAL).
    pub last_used_at: Option<Timestamp>,
}

/// The state of a token, which determines whether it is accepted.
///
/// ```
/// assert_eq!(leadapi_core::port::TokenState::Revoked.to_string(), "revoked");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenState {
    /// The token is accepted.
    Good,
    /// The token has expired.
    Expired,
    /// The token was revoked, whether or not it has also expired.
    Revoked,
}

impl fmt::Display for TokenState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "good",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        })
    }
}

impl TokenRecord {
    /// Returns the state of the token. A revocation takes effect immediately, even if its time is in the future,
    /// because the clock of the machine that recorded it may be ahead.
    ///
    /// ```
    /// use leadapi_core::{auth::{BearerToken, Scopes}, port::{TokenRecord, TokenState}};
    ///
    /// let at = "2026-05-04T07:58:12.004Z".parse()?;
    /// let mut record = TokenRecord::new(&BearerToken::generate()?, "website", Scopes::Write, at);
    /// assert_eq!(record.state(at), TokenState::Good);
    /// record.expires_at = Some(at);
    /// assert_eq!(record.state(at), TokenState::Expired);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state(&self, now: Timestamp) -> TokenState {
        if self.revoked_at.is_some() {
            TokenState::Revoked
        } else if self.expires_at.is_some_and(|at| at <= now) {
            TokenState::Expired
        } else {
            TokenState::Good
        }
    }

    /// Creates a record with a new id for this secret. The token does not expire and is not revoked.
    ///
    /// ```
    /// use leadapi_core::{auth::{BearerToken, Scopes}, port::TokenRecord};
    ///
    /// let secret = BearerToken::generate()?;
    /// let record = TokenRecord::new(&secret, "website", Scopes::Write, "2026-05-04T07:58:12.004Z".parse()?);
    /// assert_eq!(record.hash, secret.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(secret: &BearerToken, name: impl Into<String>, scopes: Scopes, created_at: Timestamp) -> Self {
        Self {
            id: TokenId::from(uuid::Uuid::now_v7()),
            name: name.into(),
            scopes,
            hint: secret.hint().to_owned(),
            hash: secret.hash(),
            created_at,
            expires_at: None,
            revoked_at: None,
            created_by: None,
            last_used_at: None,
        }
    }

    /// Creates a record from the columns of a database row. The store must then set the optional fields, which are
    /// `None` by default.
    ///
    /// ```
    /// use leadapi_core::{auth::{Scopes, TokenHash}, port::TokenRecord};
    ///
    /// let created_at = "2026-05-04T07:58:12.004Z".parse()?;
    /// let hash = TokenHash::from_bytes([7; 32]);
    /// let mut record = TokenRecord::stored("t1".parse()?, "website", Scopes::Write, "pak_AbCd", hash, created_at);
    /// record.revoked_at = Some("2026-06-01T00:00:00Z".parse()?);
    /// assert_eq!(record.hint, "pak_AbCd");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stored(
        id: TokenId,
        name: impl Into<String>,
        scopes: Scopes,
        hint: impl Into<String>,
        hash: TokenHash,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            name: name.into(),
            scopes,
            hint: hint.into(),
            hash,
            created_at,
            expires_at: None,
            revoked_at: None,
            created_by: None,
            last_used_at: None,
        }
    }
}

/// The result of looking up a token by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundToken {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The token.
    pub record: TokenRecord,
}

impl FoundToken {
    /// Creates the result of a lookup.
    pub const fn new(business: BusinessId, record: TokenRecord) -> Self {
        Self { business, record }
    }
}

/// A use of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUse {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The token.
    pub token: TokenId,
    /// The time of the use.
    pub at: Timestamp,
}

impl TokenUse {
    /// The minimum time between two recorded uses of a token.
    pub const INTERVAL: Duration = Duration::from_secs(15 * 60);

    /// Creates a use.
    pub const fn new(business: BusinessId, token: TokenId, at: Timestamp) -> Self {
        Self { business, token, at }
    }

    /// Returns whether a store records this use, given the last use that it has recorded.
    ///
    /// ```
    /// use leadapi_core::port::TokenUse;
    ///
    /// let used = TokenUse::new("b1".parse()?, "t1".parse()?, "2026-05-04T12:15:00Z".parse()?);
    /// assert!(used.is_recorded(None));
    /// assert!(used.is_recorded(Some("2026-05-04T12:00:00Z".parse()?)));
    /// assert!(!used.is_recorded(Some("2026-05-04T12:00:01Z".parse()?)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_recorded(&self, last: Option<Timestamp>) -> bool {
        last.is_none_or(|last| self.at.saturating_duration_since(last) >= Self::INTERVAL)
    }
}

/// A store of tokens for many businesses.
///
/// Implement this trait to choose where tokens are stored. [`StoredTokens`](crate::tokens::StoredTokens) verifies
/// tokens with it. To let people manage tokens, also implement [`SettingsStore`](super::SettingsStore). Every method is
/// atomic: it takes effect completely or not at all. If the storage fails, the method must return an error.
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Stores a new token.
    ///
    /// Fails with [`StoreError::AlreadyExists`] if a token of any business already has the id or the hash. Ids must be
    /// unique across businesses because the rate limiter identifies a token by its id alone.
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError>;

    /// Lists the business's tokens, oldest first, then by id.
    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError>;

    /// Records the last use of each of these tokens, if it [should be recorded](TokenUse::is_recorded). Ignores tokens
    /// that do not exist.
    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError>;

    /// Returns the token with this hash and the business that owns it, or `None` if there is no such token.
    ///
    /// This method has no business argument, because its result determines the business of a request. The result is an
    /// `Arc`, so that a store can avoid copying the token for every request.
    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError>;
}

/// The result of verifying a token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The token is valid and identifies this caller.
    Good(Caller),
    /// The token is unknown, or its checksum is wrong.
    Unknown,
    /// The token has expired.
    Expired,
    /// The token was revoked.
    Revoked,
}

/// A token verifier, which also identifies the caller.
///
/// The service calls the verifier for each request that matches an operation and has a well-formed token. For a write,
/// the service calls it again if a second or more has passed by the time the body has arrived. A host can implement this
/// trait to accept its own tokens, or use [`StoredTokens`](crate::tokens::StoredTokens).
///
/// An error means that the verifier could not check the token. The service then responds with 500 instead of 401,
/// because a client that receives 401 may discard a valid token.
#[async_trait]
pub trait TokenVerifier: Send + Sync {
    /// Verifies a token.
    async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError>;

    /// Returns whether verifying this token would query a store for a token that was not found recently. Anyone can
    /// make up such tokens, so a server can limit these queries. The default is `false`, which limits nothing.
    fn needs_lookup(&self, _token: &BearerToken) -> bool {
        false
    }
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: TokenVerifier + ?Sized> TokenVerifier for $pointer<T> {
            async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError> {
                (**self).verify(token).await
            }

            fn needs_lookup(&self, token: &BearerToken) -> bool {
                (**self).needs_lookup(token)
            }
        }

        #[async_trait]
        impl<T: TokenStore + ?Sized> TokenStore for $pointer<T> {
            async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
                (**self).insert(business, token).await
            }

            async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
                (**self).list(business).await
            }

            async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
                (**self).record_uses(uses).await
            }

            async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
                (**self).find(hash).await
            }
        }
    )*};
}

by_pointer! { Arc Box }

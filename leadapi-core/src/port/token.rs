//! Where tokens are kept, and who says whether one is good (contract 5 and D8).

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    BoxError,
    auth::{BearerToken, Caller, Scopes, TokenHash},
    id::{BusinessId, TokenId},
    model::Timestamp,
};

/// A token as it is kept: everything but its secret (contract D8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Identifier of the record.
    pub id: TokenId,
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// The first characters of the secret, for people to recognise it by.
    pub hint: String,
    /// What is looked up when a request comes with the secret.
    pub hash: TokenHash,
    /// When it was created.
    pub created_at: Timestamp,
    /// From this moment on it is no longer good.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl TokenRecord {
    /// A record with a new id for this secret, neither expiring nor revoked.
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
            id: TokenId::named(Uuid::now_v7().hyphenated().encode_lower(&mut Uuid::encode_buffer())),
            name: name.into(),
            scopes,
            hint: secret.hint().to_owned(),
            hash: secret.hash(),
            created_at,
            expires_at: None,
            revoked_at: None,
        }
    }
}

/// A token as a store has found it, and the business that owns it; shared, because every request asks for one.
pub type FoundToken = Arc<(BusinessId, TokenRecord)>;

/// Keeps the tokens of many businesses.
///
/// [`Tokens`](crate::tokens::Tokens) and [`StoredTokens`](crate::tokens::StoredTokens) call it, which know the rules. A
/// host implements it to keep tokens where it likes. Every method is one atomic unit of work, and an error says that it
/// could not be done.
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Keeps a new token. An id or a hash that is there already, in whatever business, is an error: requests are counted
    /// by the id alone.
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), BoxError>;

    /// The business's tokens, oldest first, then by id.
    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, BoxError>;

    /// Marks a token as revoked, unless it is already; `false` when the business has no such token.
    async fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> Result<bool, BoxError>;

    /// Forgets a token; `false` when the business has no such token.
    async fn delete(&self, business: &BusinessId, id: &TokenId) -> Result<bool, BoxError>;

    /// The token of this hash and the business that owns it.
    ///
    /// It is the one call without a business, because it is the one that finds out which business a request is for.
    async fn find(&self, hash: &TokenHash) -> Result<Option<FoundToken>, BoxError>;
}

/// What a verifier says of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is good, and stands for this caller.
    Good(Caller),
    /// Nobody knows it, or its checksum is wrong.
    Unknown,
    /// It was good until it expired.
    Expired,
    /// It was good until it was revoked.
    Revoked,
}

/// Says whether a token is good, and whom it stands for.
///
/// The service calls it once for each request on a known path. A host implements it to accept tokens of its own; ours
/// is [`StoredTokens`](crate::tokens::StoredTokens).
///
/// An error says that the token could not be checked, which is answered with 500 and never with 401: a client that is
/// told 401 throws a good token away.
#[async_trait]
pub trait TokenVerifier: Send + Sync {
    /// Looks a token up.
    async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError>;
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: TokenVerifier + ?Sized> TokenVerifier for $pointer<T> {
            async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError> {
                (**self).verify(token).await
            }
        }

        #[async_trait]
        impl<T: TokenStore + ?Sized> TokenStore for $pointer<T> {
            async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), BoxError> {
                (**self).insert(business, token).await
            }

            async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, BoxError> {
                (**self).list(business).await
            }

            async fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> Result<bool, BoxError> {
                (**self).revoke(business, id, at).await
            }

            async fn delete(&self, business: &BusinessId, id: &TokenId) -> Result<bool, BoxError> {
                (**self).delete(business, id).await
            }

            async fn find(&self, hash: &TokenHash) -> Result<Option<FoundToken>, BoxError> {
                (**self).find(hash).await
            }
        }
    )*};
}

by_pointer! { Arc Box }

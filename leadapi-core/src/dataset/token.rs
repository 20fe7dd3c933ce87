//! The tokens of a data set, and the record that each becomes.

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::{
    auth::{BearerToken, Scopes, TokenHash},
    id::TokenId,
    model::Timestamp,
    port::TokenRecord,
};

/// A token of a business.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenSeed {
    /// What people call it: 1 to 100 characters.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// From this moment on it is no longer good.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Where its secret is.
    pub origin: TokenOrigin,
}

/// Where the secret of a token in a data set is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenOrigin {
    /// There is none yet: it has to be made, and shown once.
    Open,
    /// It stands in the data set, with a right checksum.
    Given(BearerToken),
    /// Whoever was shown it has it. A store has kept the token, and this is what it knows of it.
    Kept {
        /// Identifier of the record.
        id: TokenId,
        /// When it was created.
        created_at: Timestamp,
        /// What is looked up when a request comes with the secret.
        hash: TokenHash,
        /// The first characters of the secret: `prefix` in a file.
        hint: String,
    },
}

impl TokenSeed {
    /// A token that neither expires nor is revoked; the other fields are public, to be set after. Nothing is checked.
    ///
    /// ```
    /// use leadapi_core::{auth::Scopes, dataset::{TokenOrigin, TokenSeed}};
    ///
    /// let seed = TokenSeed::new("website", Scopes::Write, TokenOrigin::Open);
    /// assert_eq!(seed.expires_at, None);
    /// ```
    pub fn new(name: impl Into<String>, scopes: Scopes, origin: TokenOrigin) -> Self {
        Self { name: name.into(), scopes, expires_at: None, revoked_at: None, origin }
    }

    /// The record that the token is kept as; `None` while its secret is still to be made.
    ///
    /// One that was kept before stays as it is. One whose secret is given is created at the moment that is named, with an
    /// id that follows from the secret: processes that are started with the same data set count its requests under the
    /// same id, where they share a limiter.
    ///
    /// ```
    /// use leadapi_core::{auth::{BearerToken, Scopes}, dataset::{TokenOrigin, TokenSeed}};
    ///
    /// let secret = BearerToken::generate()?;
    /// let seed = TokenSeed::new("website", Scopes::Write, TokenOrigin::Given(secret.clone()));
    /// let record = seed.record("2026-05-04T07:58:12.004Z".parse()?).ok_or("it is open")?;
    /// assert_eq!(record.hash, secret.hash());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn record(&self, now: Timestamp) -> Option<TokenRecord> {
        let (id, created_at, hash, hint) = match &self.origin {
            TokenOrigin::Open => return None,
            TokenOrigin::Given(secret) => (id_of(secret), now, secret.hash(), secret.hint()),
            TokenOrigin::Kept { id, created_at, hash, hint } => (id.clone(), *created_at, *hash, hint.as_str()),
        };
        Some(TokenRecord {
            id,
            name: self.name.clone(),
            scopes: self.scopes,
            hint: hint.to_owned(),
            hash,
            created_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
        })
    }
}

/// A UUID of the secret. It is hashed once more than the secret is for look-ups: ids are logged, hashes are not.
fn id_of(secret: &BearerToken) -> TokenId {
    let digest: [u8; 32] = Sha256::digest(secret.hash().to_bytes()).into();
    let bytes = digest.first_chunk().copied().unwrap_or_default();
    let id = Builder::from_custom_bytes(bytes).into_uuid();
    TokenId::named(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
}

impl From<TokenRecord> for TokenSeed {
    /// The token as a store has kept it, for a data set that holds what the store holds.
    fn from(record: TokenRecord) -> Self {
        let TokenRecord { id, name, scopes, hint, hash, created_at, expires_at, revoked_at } = record;
        Self { name, scopes, expires_at, revoked_at, origin: TokenOrigin::Kept { id, created_at, hash, hint } }
    }
}

//! The tokens of a data set, and their conversion into records.

use sha2::{Digest, Sha256};
use uuid::Builder;

use crate::{
    auth::{BearerToken, Scopes, TokenHash},
    id::TokenId,
    model::Timestamp,
    port::TokenRecord,
};

/// A token in a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenSeed {
    /// The name of the token: 1 to 100 characters.
    pub name: String,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The time at which the token expires, if any.
    pub expires_at: Option<Timestamp>,
    /// The time at which the token was revoked, if any.
    pub revoked_at: Option<Timestamp>,
    /// The origin of the token's secret.
    pub origin: TokenOrigin,
}

/// The origin of a token's secret in a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenOrigin {
    /// The token has no secret yet. An import generates the secret and returns it, so that it can be shown once.
    Open,
    /// The data set contains the secret itself. In a parsed data set, the checksum of the secret is correct.
    Given(BearerToken),
    /// The token was exported from a store, which keeps only the hash of the secret.
    Kept {
        /// The id of the token's record.
        id: TokenId,
        /// The time at which the token was created.
        created_at: Timestamp,
        /// The hash of the secret. The service looks up a request's token by this hash.
        hash: TokenHash,
        /// The first characters of the secret, called `prefix` in a file.
        hint: String,
        /// The email address of the person who created the token, if known.
        created_by: Option<String>,
        /// The time of the last use, if any.
        last_used_at: Option<Timestamp>,
    },
}

impl TokenSeed {
    /// Creates a token that neither expires nor is revoked. The other fields are public and can be set afterwards.
    /// Nothing is validated.
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

    /// Returns the record for a store, or `None` if the secret has not been generated yet.
    ///
    /// A token that was exported from a store stays unchanged. A token whose secret the data set supplies gets the
    /// creation time `now` and an id derived from the secret. All processes that load the same data set therefore use
    /// the same id, so a shared limiter counts the token's requests together.
    ///
    /// ```
    /// use leadapi_core::{auth::{BearerToken, Scopes}, dataset::{TokenOrigin, TokenSeed}};
    ///
    /// let secret = BearerToken::generate()?;
    /// let seed = TokenSeed::new("website", Scopes::Write, TokenOrigin::Given(secret.clone()));
    /// let record = seed.record("2026-05-04T07:58:12.004Z".parse()?).ok_or("no secret yet")?;
    /// assert_eq!(record.hash, secret.hash());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn record(&self, now: Timestamp) -> Option<TokenRecord> {
        let record = |id: TokenId, hint: &str, hash, created_at| {
            let mut record = TokenRecord::stored(id, &*self.name, self.scopes, hint, hash, created_at);
            (record.expires_at, record.revoked_at) = (self.expires_at, self.revoked_at);
            record
        };
        match &self.origin {
            TokenOrigin::Open => None,
            TokenOrigin::Given(secret) => Some(record(id_of(secret), secret.hint(), secret.hash(), now)),
            TokenOrigin::Kept { id, created_at, hash, hint, created_by, last_used_at } => Some(TokenRecord {
                created_by: created_by.clone(),
                last_used_at: *last_used_at,
                ..record(id.clone(), hint, *hash, *created_at)
            }),
        }
    }
}

/// Derives a UUID from the secret. The id is a hash of the lookup hash, because ids appear in logs and lookup hashes
/// must not.
fn id_of(secret: &BearerToken) -> TokenId {
    let digest: [u8; 32] = Sha256::digest(secret.hash().to_bytes()).into();
    let bytes = digest.first_chunk().copied().unwrap_or_default();
    Builder::from_custom_bytes(bytes).into_uuid().into()
}

impl From<TokenRecord> for TokenSeed {
    /// Converts a store's record into a seed without losing any field.
    fn from(record: TokenRecord) -> Self {
        let TokenRecord { id, name, scopes, hint, hash, created_at, expires_at, revoked_at, created_by, last_used_at } =
            record;
        let origin = TokenOrigin::Kept { id, created_at, hash, hint, created_by, last_used_at };
        Self { name, scopes, expires_at, revoked_at, origin }
    }
}

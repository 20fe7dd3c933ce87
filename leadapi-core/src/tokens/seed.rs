//! The tokens of a data set, put into a store.

use crate::{
    BoxError,
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    model::Timestamp,
    port::{TokenRecord, TokenStore},
};

/// A token whose secret a data set left open and which has been made, to be shown once (contract 5.3).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Minted {
    /// The name of the business that owns it.
    pub business: String,
    /// The token's name.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// The secret.
    pub secret: BearerToken,
}

/// Keeps the tokens of a data set, as created at this moment, and makes the secrets that it leaves open.
///
/// ```
/// use leadapi_core::{dataset::Dataset, memory::MemoryTokens, tokens};
///
/// # futures_executor::block_on(async {
/// let dataset = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "tokens": [{"name": "website", "scopes": ["write"]}]}]}"#)?;
/// let store = MemoryTokens::default();
/// let minted = tokens::seed(&store, &dataset, "2026-05-04T12:00:00Z".parse()?).await?;
/// assert_eq!(minted.first().map(|token| token.name.as_str()), Some("website"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// The store's, or the system has no random generator to give; some of the tokens may be kept then.
pub async fn seed(store: &impl TokenStore, dataset: &Dataset, now: Timestamp) -> Result<Vec<Minted>, BoxError> {
    let mut minted = Vec::new();
    for business in &dataset.businesses {
        for token in &business.tokens {
            let secret = match &token.secret {
                Some(secret) => secret.clone(),
                None => BearerToken::generate()?,
            };
            let mut record = TokenRecord::new(&secret, &token.name, token.scopes, now);
            (record.expires_at, record.revoked_at) = (token.expires_at, token.revoked_at);
            store.insert(&business.id, record).await?;
            if token.secret.is_none() {
                let (business, name) = (business.name.clone(), token.name.clone());
                minted.push(Minted { business, name, scopes: token.scopes, secret });
            }
        }
    }
    Ok(minted)
}

//! Import of tokens from a data set into a store.

use crate::{
    BoxError,
    auth::{BearerToken, NoRandomness, Scopes},
    dataset::Dataset,
    id::BusinessId,
    model::Timestamp,
    port::{TokenRecord, TokenStore},
};

/// A token whose secret was generated, because the data set contains neither the secret nor its hash. The secret can be
/// shown only once, because a store keeps only its hash (contract 5.3).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IssuedToken {
    /// The business that owns the token.
    pub business_id: BusinessId,
    /// The name of the business that owns the token.
    pub business: String,
    /// The token's name.
    pub name: String,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The secret.
    pub secret: BearerToken,
}

/// The tokens of a data set as records for a store.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Records {
    /// Every token, with the business that owns it.
    pub records: Vec<(BusinessId, TokenRecord)>,
    /// The tokens whose secrets were generated.
    pub issued: Vec<IssuedToken>,
}

/// Creates store records for the tokens of a data set. Generates a secret for each token for which the data set
/// contains neither a secret nor a hash.
///
/// Tokens that were exported from a store stay unchanged. All other tokens get the creation time `now`. Use this
/// function if the store can insert all records in one transaction. [`import`] inserts them one by one into any store.
///
/// ```
/// use leadapi_core::{dataset::Dataset, tokens};
///
/// let dataset = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "tokens": [{"name": "website", "scopes": ["write"]}]}]}"#)?;
/// let made = tokens::records(&dataset, "2026-05-04T12:00:00Z".parse()?)?;
/// let hash = made.issued.first().map(|token| token.secret.hash());
/// assert_eq!(made.records.first().map(|(_, record)| record.hash), hash);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
///
/// # Errors
///
/// [`NoRandomness`] when the system's random number generator fails.
pub fn records(dataset: &Dataset, now: Timestamp) -> Result<Records, NoRandomness> {
    let (mut records, mut issued) = (Vec::new(), Vec::new());
    for business in &dataset.businesses {
        for token in &business.tokens {
            let record = if let Some(record) = token.record(now) {
                record
            } else {
                let secret = BearerToken::generate()?;
                let mut record = TokenRecord::new(&secret, &token.name, token.scopes, now);
                (record.expires_at, record.revoked_at) = (token.expires_at, token.revoked_at);
                issued.push(IssuedToken {
                    business_id: business.id.clone(),
                    business: business.name.clone(),
                    name: token.name.clone(),
                    scopes: token.scopes,
                    secret,
                });
                record
            };
            records.push((business.id.clone(), record));
        }
    }
    Ok(Records { records, issued })
}

/// Inserts the [`records`] of a data set into a store, and returns the tokens whose secrets were generated.
///
/// ```
/// use leadapi_core::{dataset::Dataset, tokens};
/// use leadapi_memory::MemoryTokens;
///
/// # futures_executor::block_on(async {
/// let dataset = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "tokens": [{"name": "website", "scopes": ["write"]}]}]}"#)?;
/// let store = MemoryTokens::default();
/// let issued = tokens::import(&store, &dataset, "2026-05-04T12:00:00Z".parse()?).await?;
/// assert_eq!(issued.first().map(|token| token.name.as_str()), Some("website"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error from the store or from the system's random number generator. Some tokens may already have been
/// inserted.
pub async fn import(store: &impl TokenStore, dataset: &Dataset, now: Timestamp) -> Result<Vec<IssuedToken>, BoxError> {
    let Records { records, issued } = records(dataset, now)?;
    for (business, record) in records {
        store.insert(&business, record).await?;
    }
    Ok(issued)
}

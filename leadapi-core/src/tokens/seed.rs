//! The tokens of a data set, put into a store.

use crate::{
    BoxError,
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    id::BusinessId,
    model::Timestamp,
    port::{TokenRecord, TokenStore},
};

/// A token whose secret a data set left open and which has been made, to be shown once (contract 5.3).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Minted {
    /// The business that owns it.
    pub business_id: BusinessId,
    /// The name of that business.
    pub business: String,
    /// The token's name.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// The secret.
    pub secret: BearerToken,
}

/// The tokens of a data set as a store is to keep them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Records {
    /// Every token, with the business that owns it.
    pub records: Vec<(BusinessId, TokenRecord)>,
    /// Those among them whose secrets were open and have been made.
    pub minted: Vec<Minted>,
}

/// Makes the records of the tokens of a data set, and the secrets that it leaves open.
///
/// Tokens that were kept before stay as they are; the others are created at this moment. It is for stores that keep all
/// of them in a transaction of their own; [`seed`] hands them to any store.
///
/// ```
/// use leadapi_core::{dataset::Dataset, tokens};
///
/// let dataset = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "tokens": [{"name": "website", "scopes": ["write"]}]}]}"#)?;
/// let made = tokens::records(&dataset, "2026-05-04T12:00:00Z".parse()?)?;
/// let hash = made.minted.first().map(|token| token.secret.hash());
/// assert_eq!(made.records.first().map(|(_, record)| record.hash), hash);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
///
/// # Errors
///
/// The system has no random generator to give.
pub fn records(dataset: &Dataset, now: Timestamp) -> Result<Records, getrandom::Error> {
    let (mut records, mut minted) = (Vec::new(), Vec::new());
    for business in &dataset.businesses {
        for token in &business.tokens {
            let record = if let Some(record) = token.record(now) {
                record
            } else {
                let secret = BearerToken::generate()?;
                let mut record = TokenRecord::new(&secret, &token.name, token.scopes, now);
                (record.expires_at, record.revoked_at) = (token.expires_at, token.revoked_at);
                minted.push(Minted {
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
    Ok(Records { records, minted })
}

/// Keeps the tokens of a data set, and answers those whose secrets it left open and which have been made: the
/// [`records`], put into a store.
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
    let Records { records, minted } = records(dataset, now)?;
    for (business, record) in records {
        store.insert(&business, record).await?;
    }
    Ok(minted)
}

//! From a data set to stores that can be served.

use chrono::Utc;
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    memory::{MemoryStore, MemoryTokens},
    port::{TokenRecord, TokenStore},
};

/// The sample data set: one agency with 4 client accounts, 3 pipelines and 40 leads, and a second business beside it.
///
/// Its people, companies and addresses are invented.
pub const SAMPLE: &str = include_str!("../data/sample.json");

/// What a data set becomes in memory.
#[derive(Debug)]
#[non_exhaustive]
pub struct Seeded {
    /// Its client accounts, pipelines, leads and forms.
    pub store: MemoryStore,
    /// Its tokens.
    pub tokens: MemoryTokens,
    /// Its tokens whose secret was not in the data set and has been made.
    pub minted: Vec<Minted>,
}

/// A token whose secret was made, to be shown once.
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

impl Seeded {
    /// Fills stores in memory with a data set, and makes the secrets that it leaves open.
    ///
    /// # Errors
    ///
    /// The system has no random generator to give.
    pub async fn new(dataset: Dataset) -> Result<Self, BoxError> {
        let (tokens, mut minted) = (MemoryTokens::default(), Vec::new());
        for business in &dataset.businesses {
            for seed in &business.tokens {
                let secret = match &seed.secret {
                    Some(secret) => secret.clone(),
                    None => BearerToken::generate()?,
                };
                let mut record = TokenRecord::new(&secret, &seed.name, seed.scopes, Utc::now().into());
                (record.expires_at, record.revoked_at) = (seed.expires_at, seed.revoked_at);
                tokens.insert(&business.id, record).await?;
                if seed.secret.is_none() {
                    let (business, name) = (business.name.clone(), seed.name.clone());
                    minted.push(Minted { business, name, scopes: seed.scopes, secret });
                }
            }
        }
        Ok(Self { store: MemoryStore::new(dataset), tokens, minted })
    }
}

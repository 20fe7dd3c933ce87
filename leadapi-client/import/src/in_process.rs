//! A client that calls the API on a store without a server.

use async_trait::async_trait;
use leadapi_client::{Client, Pacing};
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Caller, Scopes},
    http::LeadService,
    id::{BusinessId, TokenId},
    port::{Admission, Class, Clock, RateLimiter, Store, TokenVerifier, Verdict},
};

/// Returns a client that calls the API on a store in this process on behalf of a business. The client has both scopes
/// and no rate limits. A host uses it to import leads into its own store.
///
/// ```
/// use leadapi_core::{dataset::Dataset, memory::{MemoryStore, SystemClock}};
///
/// # futures_executor::block_on(async {
/// let data = r#"{"businesses": [{"id": "sol", "name": "Sol", "created_at": "2026-01-12T09:00:00Z"}]}"#;
/// let store = MemoryStore::new(Dataset::parse(data)?);
/// let client = leadapi_import::in_process(store, SystemClock, "sol".parse()?)?;
/// assert_eq!(client.leads().list(&Default::default()).await?.total, 0);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error if the system's random number generator fails.
pub fn in_process(
    store: impl Store + 'static,
    clock: impl Clock + 'static,
    business: BusinessId,
) -> Result<Client, BoxError> {
    let operator = Caller::new(business, TokenId::parse("operator")?, Scopes::Both);
    let service = LeadService::builder(store, Operator(operator)).limiter(Unlimited).clock(clock).build()?;
    let client = Client::builder("http://in-process", BearerToken::generate()?);
    Ok(client.in_process(service).pacing(Pacing::off()).build()?)
}

/// A verifier that accepts every token, because the operator, who has access to the store, is the only caller.
struct Operator(Caller);

#[async_trait]
impl TokenVerifier for Operator {
    async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
        Ok(Verdict::Good(self.0.clone()))
    }
}

/// A limiter that admits every request, because there is no server to protect.
struct Unlimited;

#[async_trait]
impl RateLimiter for Unlimited {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        Ok(Admission::Admitted)
    }
}

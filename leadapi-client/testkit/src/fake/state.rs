//! Access to a fake's tokens, records, service and clock.

use std::{sync::Arc, time::Duration};

use leadapi_core::{
    auth::{BearerToken, Scopes},
    http::LeadService,
    id::BusinessId,
    model::Timestamp,
    port::{Clock, TokenRecord, TokenStore},
};
use leadapi_memory::{MemoryStore, MemoryTokens};

use super::{FakeLeadApi, faulty_service::poll_once};

impl FakeLeadApi {
    /// Creates a token for a business.
    ///
    /// # Panics
    ///
    /// Panics if the system's random number generator fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{auth::Scopes, model::{NewLead, Window}};
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let writer = api.client_with(&api.issue_token(&"sol".parse()?, Scopes::Write));
    /// assert!(writer.client_accounts().list(Window::default()).await.unwrap_err().lacks_scope());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn issue_token(&self, business: &BusinessId, scopes: Scopes) -> BearerToken {
        issue_token(&self.tokens, business, scopes, self.now())
    }

    /// Returns the token store, for listing, revoking or expiring tokens.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::model::Window;
    /// use leadapi_testkit::FakeLeadApi;
    /// use leadapi_core::port::TokenStore;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let business = "sol".parse()?;
    /// for token in api.tokens().list(&business).await? {
    ///     api.tokens().revoke(&business, &token.id, api.now());
    /// }
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.message(), "Authorization: token revoked");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn tokens(&self) -> &Arc<MemoryTokens> {
        &self.tokens
    }

    /// Returns the store, for inspecting or changing records without going through the API.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::id::LeadId;
    /// use leadapi_testkit::FakeLeadApi;
    /// use leadapi_core::port::Store;
    ///
    /// let (api, id) = (FakeLeadApi::start().await, LeadId::parse("lead-1")?);
    /// api.client().leads().delete(&id).await?;
    /// assert_eq!(api.store().get(&"sol".parse()?, &id).await?, None);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn store(&self) -> &Arc<MemoryStore> {
        &self.store
    }

    /// Returns the service itself, for calling it without a socket and without injected faults.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{Client, model::LeadQuery};
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let client = Client::builder("http://in-process/v1", api.token()).in_process(api.service().clone()).build()?;
    /// assert_eq!(client.leads().list(&LeadQuery::new()).await?.total, 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn service(&self) -> &LeadService {
        &self.service
    }

    /// Returns the current time of the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// assert_eq!(FakeLeadApi::start().await.now().to_string(), "2026-05-04T12:00:00.000Z");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Advances the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// api.advance(Duration::from_secs(90));
    /// assert_eq!(api.now().to_string(), "2026-05-04T12:01:30.000Z");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn advance(&self, by: Duration) -> &Self {
        self.clock.advance(by);
        self
    }
}

#[expect(clippy::expect_used, reason = "a test cannot run without a random number generator")]
pub(super) fn issue_token(tokens: &MemoryTokens, business: &BusinessId, scopes: Scopes, now: Timestamp) -> BearerToken {
    let token = BearerToken::generate().expect("a working random number generator");
    let record = TokenRecord::new(&token, "testkit", scopes, now);
    let stored = poll_once(tokens.insert(business, record)).expect("a store that does not wait");
    stored.expect("a new token");
    token
}

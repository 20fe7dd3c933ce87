//! The real service over an in-memory store. The test controls its clock and can inject faults.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use std::time::Duration;
//! use leadapi_client::model::{LeadQuery, NewLead};
//! use leadapi_testkit::FakeLeadApi;
//!
//! let api = FakeLeadApi::start().await;
//! let client = api.client();
//! // The next two requests fail, and the response to the third is lost.
//! api.fail_nth(1).fail_nth(2).drop_nth_response(3);
//! let (lead, meta) = client.leads().create(&NewLead::new(&"casa-verde".parse()?, "Øyvind")).with_meta().await?;
//! assert!(meta.is_replayed());
//!
//! let before = lead.created_at;
//! api.advance(Duration::from_secs(3_600));
//! let later = client.leads().create(&NewLead::new(&"casa-verde".parse()?, "Ann")).await?;
//! assert!(later.created_at > before);
//! assert_eq!(client.leads().list(&LeadQuery::new()).await?.total, 5);
//! # Ok::<(), leadapi_core::BoxError>(())
//! # }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! - **Responses** equal the service's responses byte for byte. Unlike a server, the fake does not add `X-Request-Id`.
//!   Its base path is `/v1`. It normalizes URLs as browsers do: it resolves `.` and `..` in paths and treats a
//!   backslash as a slash.
//! - **Time** stands still until the test calls [`advance`](FakeLeadApi::advance) or the fake's client waits. Token
//!   expiry, idempotency keys and rate limits use this clock, so by default each token is allowed 600 reads and 60
//!   writes in any 60 s of this clock.
//! - **Faults** for the n-th request start counting at the call that injects the fault. A request that is answered with
//!   500 is not executed, but a request whose response is dropped is executed.

mod builder;
mod fault_injection;
mod faults;
mod faulty_service;
mod ids;
mod limiter;
mod state;

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use leadapi_core::{auth::BearerToken, clock::ManualClock, http::LeadService, id::BusinessId};
use leadapi_memory::{MemoryStore, MemoryTokens};

pub use self::builder::FakeBuilder;
use self::{faults::Faults, limiter::Limiter};
use super::serve::{self, Server};
use leadapi_client::{Client, ClientBuilder};

/// The real service on `127.0.0.1`, on a free port. It runs until the fake is dropped. See the [module](self)
/// documentation.
pub struct FakeLeadApi {
    server: Server,
    service: LeadService,
    store: Arc<MemoryStore>,
    tokens: Arc<MemoryTokens>,
    clock: Arc<ManualClock>,
    limiter: Arc<Limiter>,
    faults: Arc<Mutex<Faults>>,
    business: BusinessId,
    token: BearerToken,
}

impl FakeLeadApi {
    /// Starts a fake with a small data set. The business `sol` has the client accounts `casa-verde` and `villa-azul`,
    /// the pipeline `sales` with the stages `new` and `won`, and the leads `lead-1` to `lead-3`. The clock starts at
    /// noon on 2026-05-04.
    ///
    /// # Panics
    ///
    /// Panics if no port is free or the system's random number generator fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::model::LeadQuery;
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// assert_eq!(api.client().leads().list(&LeadQuery::new()).await?.total, 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Returns a builder for setting the data, the start time, the id seed or the rate limits.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::builder().at("2027-01-01T00:00:00Z".parse()?).seed(7).start().await;
    /// assert_eq!(api.now().to_string(), "2027-01-01T00:00:00.000Z");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn builder() -> FakeBuilder {
        FakeBuilder::default()
    }

    /// Creates a client for the fake, with a read and write token for its first business. The client has the default
    /// retry policy and no rate limiting, and ignores proxy environment variables.
    ///
    /// The client's waits advance the fake's clock instead of taking real time. The client therefore retries a
    /// rate-limited request immediately, and the fake's clock shows how long the client would have waited.
    ///
    /// # Panics
    ///
    /// Panics if the system's TLS cannot be set up.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::model::NewLead;
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let (client, noon, ann) = (api.client(), api.now(), NewLead::new(&"casa-verde".parse()?, "Ann"));
    /// for _ in 0..61 {
    ///     client.leads().create(&ann).await?;
    /// }
    /// assert!(api.now().to_string() > "2026-05-04T12:01:00".to_owned());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn client(&self) -> Client {
        self.client_with(&self.token)
    }

    /// Same as [`client`](Self::client), but with a different token.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{auth::Scopes, id::LeadId};
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let reader = api.client_with(&api.issue_token(&"sol".parse()?, Scopes::Read));
    /// let id = LeadId::parse("lead-1")?;
    /// assert_eq!(reader.leads().get(&id).await?.name, "Ann");
    /// assert!(reader.leads().delete(&id).await.unwrap_err().lacks_scope());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn client_with(&self, token: &BearerToken) -> Client {
        let clock = self.clock.clone();
        serve::client(&self.url(), token, move |wait| clock.advance(wait))
    }

    /// Returns a client builder with the fake's URL and token, and otherwise the production defaults. The client's
    /// waits take real time and do not advance the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::RetryPolicy;
    /// use leadapi_testkit::FakeLeadApi;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let client = api.client_builder().retry(RetryPolicy::none()).build()?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn client_builder(&self) -> ClientBuilder {
        Client::builder(self.url(), &self.token)
    }

    /// Returns the base URL, such as `http://127.0.0.1:49152/v1`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// assert!(FakeLeadApi::start().await.url().ends_with("/v1"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns a token with both scopes for the first business in the data.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// assert!(FakeLeadApi::start().await.token().has_good_checksum());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn token(&self) -> &BearerToken {
        &self.token
    }

    /// Returns the id of the default token's business. It is the first business in the data.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// assert_eq!(FakeLeadApi::start().await.business().as_str(), "sol");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn business(&self) -> &BusinessId {
        &self.business
    }
}

impl fmt::Debug for FakeLeadApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeLeadApi").field("url", &self.url()).field("now", &self.now()).finish_non_exhaustive()
    }
}

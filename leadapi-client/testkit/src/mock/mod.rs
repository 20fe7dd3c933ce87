//! A mock server with stubbed responses.
//!
//! A stub states in one line which requests it matches and how it answers them, using the API's types:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use leadapi_client::{id::{ClientId, LeadId}, model::{Lead, NewLead}};
//! use leadapi_testkit::MockLeadApi;
//!
//! let api = MockLeadApi::start().await;
//! let ann = Lead::new(LeadId::parse("lead-1")?, ClientId::parse("casa-verde")?, "Ann", "2026-05-04T12:00:00Z".parse()?);
//! api.on_create().with_name("Ann").server_error().times(2).then().returns(ann.clone());
//!
//! let lead = api.client().leads().create(&NewLead::new(&ann.client_id, "Ann")).await?;
//! assert_eq!(lead, ann);
//! api.verify().await;
//! # Ok::<(), leadapi_core::BoxError>(())
//! # }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! - **Which stub answers.** The mock uses the first stub, in order of definition, that matches the request and has an
//!   answer left. Define specific stubs before general ones. A stub matches only requests that carry the mock's token,
//!   unless it answers 401.
//! - **How often.** An answer must be used at least once, unless [`times`](Stub::times) or
//!   [`any_times`](Stub::any_times) says otherwise. An answer that is followed by [`then`](Stub::then) is used once by
//!   default.
//! - **Unexpected requests.** The mock answers them with 501 and an error object. The error names the request, the
//!   nearest stub, and the reason why that stub does not match.
//! - **Failing the test.** If a stub is unmet or a request was unexpected, [`verify`](MockLeadApi::verify) panics and
//!   lists them. Dropping the mock makes the same check. Neither panics if the test is already panicking.
//!
//! A predicate must not call the mock. It runs while the mock's lock is held, so such a call could deadlock.
//!
//! A stub answers any matching request, valid or not. To enforce the API's rules, use the [`fake`](super::fake)
//! instead. HEAD requests are always unexpected.

mod condition;
mod count;
mod expectation;
mod on;
mod operation;
mod registry;
mod request;
mod stub;
mod stub_answer;
mod stubbing;

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use leadapi_core::auth::BearerToken;

use self::registry::StubRegistry;
pub use self::{
    on::{First, Next, On},
    operation::{Clients, Create, Delete, Get, List, Pipelines, Stubbed, Update},
    stub::Stub,
    stub_answer::Forbidden,
};
use super::serve::{self, Handler, Reply, Server};
use leadapi_client::{Client, ClientBuilder};

/// A mock server that answers from stubs and fails the test if the requests differ from its expectations. See the
/// [module](self) documentation.
#[derive(Debug)]
pub struct MockLeadApi {
    registry: Arc<StubRegistry>,
    server: Server,
}

impl MockLeadApi {
    /// Starts a server on `127.0.0.1`, on a free port, with a random token. The server runs until the mock is dropped.
    ///
    /// # Panics
    ///
    /// Panics if no port is free or the system's random number generator fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_testkit::MockLeadApi;
    ///
    /// let api = MockLeadApi::start().await;
    /// assert!(api.url().starts_with("http://127.0.0.1:"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::expect_used, reason = "a test cannot run without a random number generator")]
    pub async fn start() -> Self {
        let token = BearerToken::generate().expect("a working random number generator");
        let registry = Arc::new(StubRegistry::new(token));
        let server = Server::start(RegistryHandler(registry.clone())).await;
        Self { registry, server }
    }

    /// Creates a client for the mock, with the default retry policy and no rate limiting. The client ignores proxy
    /// environment variables.
    ///
    /// The client retries as in production, so a stub for a transient error receives five requests (see
    /// [`times`](Stub::times)). Waits between attempts, including `Retry-After`, take no real time. Pass
    /// `RetryPolicy::none()` to a call to turn off its retries.
    ///
    /// # Panics
    ///
    /// Panics if the system's TLS cannot be set up.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{RetryPolicy, id::LeadId};
    /// use leadapi_testkit::MockLeadApi;
    ///
    /// let (api, id) = (MockLeadApi::start().await, LeadId::parse("lead-1")?);
    /// api.on_get(&id).server_error().times(6);
    ///
    /// let error = api.client().leads().get(&id).await.unwrap_err();
    /// assert_eq!(error.attempts(), 5);
    /// let error = api.client().leads().get(&id).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert_eq!(error.attempts(), 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn client(&self) -> Client {
        serve::client(&self.url(), self.token(), |_| {})
    }

    /// Returns a client builder with the mock's URL and token, and otherwise the production defaults.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::Pacing;
    /// use leadapi_testkit::MockLeadApi;
    ///
    /// let api = MockLeadApi::start().await;
    /// let client = api.client_builder().pacing(Pacing::off()).application("tour/1.0").build()?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn client_builder(&self) -> ClientBuilder {
        Client::builder(self.url(), self.token())
    }

    /// Returns the base URL, such as `http://127.0.0.1:49152/v1`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::MockLeadApi;
    /// assert!(MockLeadApi::start().await.url().ends_with("/v1"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the token that the mock accepts.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::MockLeadApi;
    /// assert!(MockLeadApi::start().await.token().expose().starts_with("pak_"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn token(&self) -> &BearerToken {
        self.registry.token()
    }

    /// Returns all requests received so far, each as a line such as `GET /v1/leads?limit=50&offset=0`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::id::LeadId;
    /// use leadapi_testkit::MockLeadApi;
    ///
    /// let api = MockLeadApi::start().await;
    /// api.on_delete(&LeadId::parse("lead-1")?).returns(());
    /// api.client().leads().delete(&LeadId::parse("lead-1")?).await?;
    /// assert_eq!(api.requests(), ["DELETE /v1/leads/lead-1"]);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn requests(&self) -> Vec<String> {
        self.registry.requests()
    }

    /// Panics unless every stub was used the expected number of times and every request matched a stub. Dropping the
    /// mock makes the same check, unless the test is already panicking.
    ///
    /// # Panics
    ///
    /// Panics if a stub is unmet or a request was unexpected.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error();
    /// api.verify().await;
    /// # });
    /// ```
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error().any_times();
    /// api.verify().await;
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::unused_async, reason = "as in wiremock, and a later version may need it")]
    pub async fn verify(&self) {
        self.fail_if_unmet();
    }

    /// Returns the panic message of [`verify`](Self::verify), or `None` if `verify` would succeed.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::id::LeadId;
    /// use leadapi_testkit::MockLeadApi;
    ///
    /// let (api, id) = (MockLeadApi::start().await, LeadId::parse("lead-1")?);
    /// api.on_get(&id).not_found();
    /// assert!(api.unmet().is_some_and(|text| text.contains("GET /leads/lead-1: 404, at least once: never met")));
    /// api.client().leads().get(&id).await.unwrap_err();
    /// assert_eq!(api.unmet(), None);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn unmet(&self) -> Option<String> {
        self.registry.unmet()
    }

    #[expect(clippy::panic, reason = "a panic fails the test")]
    fn fail_if_unmet(&self) {
        if let Some(unmet) = self.registry.take_unmet_report()
            && !std::thread::panicking()
        {
            panic!("{unmet}");
        }
    }
}

impl Drop for MockLeadApi {
    fn drop(&mut self) {
        self.fail_if_unmet();
    }
}

struct RegistryHandler(Arc<StubRegistry>);

impl Handler for RegistryHandler {
    fn handle(&self, request: Request<Bytes>) -> Reply {
        self.0.answer(request)
    }
}

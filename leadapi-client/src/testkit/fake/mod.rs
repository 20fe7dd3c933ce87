//! The real service over an in-memory store, with a clock that the test moves and faults on demand.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use std::time::Duration;
//! use leadapi_client::{model::{LeadQuery, NewLead}, testkit::FakeLeadApi};
//!
//! let api = FakeLeadApi::start().await;
//! let client = api.client();
//! // The next two requests find a server in trouble, and the answer to the one after them is lost.
//! api.fail_nth(1).fail_nth(2).lose_answer_of_nth(3);
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
//! - **Responses** are those of the service, byte for byte. A server adds `X-Request-Id`; the fake does not. It
//!   listens under `/v1`. It normalizes URLs as browsers do: it resolves `.` and `..` in a path, and treats a
//!   backslash as a slash.
//! - **Time** stands still until [`advance`](FakeLeadApi::advance) or a wait of a fake's client moves it. Token
//!   expiry, idempotency keys and rate limits use this clock: exactly 600 reads and 60 writes in any 60 s for each
//!   token.
//! - **Faults** for the n-th request count all requests after the call. A failed request is not executed; one whose
//!   response is lost is.

mod builder;
mod faults;
mod ids;
mod limiter;

use std::{
    fmt,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use leadapi_core::{
    auth::{BearerToken, Scopes},
    http::LeadService,
    id::BusinessId,
    memory::{ManualClock, MemoryStore, MemoryTokens},
    model::Timestamp,
    port::{Clock, TokenRecord, TokenStore},
};
use tower_service::Service;

pub use self::builder::FakeBuilder;
use self::{
    faults::{Deed, Faults},
    limiter::Limiter,
};
use super::serve::{self, Answers, Cut, Reply, Server, refusal};
use crate::{Client, ClientBuilder};

/// The real service on a port of `127.0.0.1`, until it is dropped: see the [module](self).
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
    /// Starts a fake with a small data set: the business `sol` with the client accounts `casa-verde` and
    /// `villa-azul`, the pipeline `sales` with the stages `new` and `won`, and the leads `lead-1` to `lead-3`. The
    /// time is 2026-05-04, noon.
    ///
    /// # Panics
    ///
    /// If there is no free port or no random generator.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{model::LeadQuery, testkit::FakeLeadApi};
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

    /// Returns a builder, to set the data, the time or the ids.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::testkit::FakeLeadApi;
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

    /// Creates a client of the fake, with a token of both scopes for its first business. It has the default retry
    /// policy, no client-side rate limiting, and ignores the proxies of the environment.
    ///
    /// Its waits take no real time: they advance the fake's clock instead. So a rate-limited request is admitted
    /// immediately, and the fake's clock shows how long it would have taken.
    ///
    /// # Panics
    ///
    /// If the system's TLS cannot be set up.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{model::NewLead, testkit::FakeLeadApi};
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

    /// Creates the same client with another token.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{auth::Scopes, id::LeadId, testkit::FakeLeadApi};
    ///
    /// let api = FakeLeadApi::start().await;
    /// let reader = api.client_with(&api.mint(&"sol".parse()?, Scopes::Read));
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

    /// Returns a client builder with the fake's URL and token, and otherwise the production defaults. Its waits take
    /// real time, and the fake's clock stands still meanwhile.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{RetryPolicy, testkit::FakeLeadApi};
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
    /// # use leadapi_client::testkit::FakeLeadApi;
    /// assert!(FakeLeadApi::start().await.url().ends_with("/v1"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns a token with both scopes for the first business of the data.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::testkit::FakeLeadApi;
    /// assert!(FakeLeadApi::start().await.token().has_good_checksum());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn token(&self) -> &BearerToken {
        &self.token
    }

    /// Returns the business of that token: the first one of the data.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::testkit::FakeLeadApi;
    /// assert_eq!(FakeLeadApi::start().await.business().as_str(), "sol");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn business(&self) -> &BusinessId {
        &self.business
    }

    /// Creates a new token.
    ///
    /// # Panics
    ///
    /// If there is no random generator.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{auth::Scopes, model::{NewLead, Window}, testkit::FakeLeadApi};
    ///
    /// let api = FakeLeadApi::start().await;
    /// let writer = api.client_with(&api.mint(&"sol".parse()?, Scopes::Write));
    /// assert!(writer.client_accounts().list(Window::default()).await.unwrap_err().lacks_scope());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn mint(&self, business: &BusinessId, scopes: Scopes) -> BearerToken {
        mint(&self.tokens, business, scopes, self.now())
    }

    /// Returns the token store, to list, revoke or expire tokens.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{model::Window, testkit::FakeLeadApi};
    /// use leadapi_core::port::TokenStore;
    ///
    /// let api = FakeLeadApi::start().await;
    /// let business = "sol".parse()?;
    /// for token in api.tokens().list(&business).await? {
    ///     api.tokens().revoke(&business, &token.id, api.now()).await?;
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

    /// Returns the store, to inspect or change its records without the API.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{id::LeadId, testkit::FakeLeadApi};
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

    /// Returns the service itself, to call it without a socket and without the faults.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{Client, model::LeadQuery, testkit::FakeLeadApi};
    ///
    /// let api = FakeLeadApi::start().await;
    /// let client = Client::builder("http://in-process/v1", api.token()).in_process(api.service().clone())?;
    /// assert_eq!(client.leads().list(&LeadQuery::new()).await?.total, 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn service(&self) -> &LeadService {
        &self.service
    }

    /// Returns the time of the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::testkit::FakeLeadApi;
    /// assert_eq!(FakeLeadApi::start().await.now().to_string(), "2026-05-04T12:00:00.000Z");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn now(&self) -> Timestamp {
        self.clock.now().into()
    }

    /// Advances the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::testkit::FakeLeadApi;
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

    /// Answers the n-th request from now, counted from 1, with 500, without executing it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.fail_nth(1).fail_nth(2);
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_nth(&self, n: u64) -> &Self {
        self.plan(|faults| faults.fail_nth(n))
    }

    /// Answers this fraction of the later requests with 500, without executing them; 0.1 means one in ten. The same
    /// seed selects the same requests; a fraction of 0 turns it off.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// let (client, mut failed) = (api.client(), 0);
    /// api.fail_fraction(0.5, 7);
    /// for _ in 0..100 {
    ///     let call = client.client_accounts().list(Window::default()).retry(RetryPolicy::none());
    ///     failed += u32::from(call.await.is_err());
    /// }
    /// assert!((30..70).contains(&failed));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_fraction(&self, fraction: f64, seed: u64) -> &Self {
        self.plan(|faults| faults.fraction = (fraction, seed))
    }

    /// Delays each later response by this much real time, after its request was executed. Zero turns it off.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.latency(Duration::from_secs(600));
    /// let (client, patience) = (api.client(), Duration::from_millis(50));
    /// let call = client.client_accounts().list(Window::default()).attempt_timeout(patience);
    /// assert!(call.retry(RetryPolicy::none()).await.unwrap_err().is_timeout());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn latency(&self, latency: Duration) -> &Self {
        self.plan(|faults| faults.latency = latency)
    }

    /// Rate-limits every request with a valid token until the fake's clock reaches this time, with a `Retry-After` of
    /// at most a minute. A time in the past turns it off.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.rate_limited_until("2026-05-04T12:03:00Z".parse()?);
    /// // The client waits as often and as long as it is told to.
    /// api.client().client_accounts().list(Window::default()).await?;
    /// assert!(api.now().to_string() >= "2026-05-04T12:03:00.000Z".to_owned());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rate_limited_until(&self, until: Timestamp) -> &Self {
        self.limiter.close_until(until);
        self
    }

    /// Executes the n-th request from now, counted from 1, but closes the connection instead of responding.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::LeadId, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.lose_answer_of_nth(1);
    /// // What is gone when the client asks again was deleted by the request whose answer was lost.
    /// let (_, meta) = api.client().leads().delete(&LeadId::parse("lead-1")?).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn lose_answer_of_nth(&self, n: u64) -> &Self {
        self.plan(|faults| faults.lose_nth(n))
    }

    fn plan(&self, change: impl FnOnce(&mut Faults)) -> &Self {
        change(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner));
        self
    }
}

impl fmt::Debug for FakeLeadApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeLeadApi").field("url", &self.url()).field("now", &self.now()).finish_non_exhaustive()
    }
}

/// The service with its faults.
struct Faulty {
    service: LeadService,
    faults: Arc<Mutex<Faults>>,
}

impl Answers for Faulty {
    fn answer(&self, request: Request<Bytes>) -> Reply {
        let (deed, delay) = self.faults.lock().unwrap_or_else(PoisonError::into_inner).next();
        let response = match deed {
            Deed::Fail => refusal::server_error(),
            Deed::Serve | Deed::Lose => serve(&self.service, request),
        };
        let cut = (deed == Deed::Lose).then_some(Cut::Whole);
        Reply { response, delay, cut }
    }
}

/// Returns the service's response. No part of a fake ever waits, so the future is ready after one poll.
fn serve(service: &LeadService, request: Request<Bytes>) -> Response<Bytes> {
    let answered = at_once(async {
        let Ok(response) = service.clone().call(request.map(Full::new)).await;
        let (head, body) = response.into_parts();
        body.collect().await.map(|body| Response::from_parts(head, body.to_bytes()))
    });
    match answered {
        Some(Ok(response)) => response,
        // Unreachable today; if it ever happens, the test receives an error instead of hanging.
        None | Some(Err(_)) => refusal::refuse(StatusCode::INTERNAL_SERVER_ERROR, "the fake's service had to wait"),
    }
}

/// Returns the output of a future that is ready on the first poll.
fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

#[expect(clippy::expect_used, reason = "without a random generator there is nothing that a test could do")]
fn mint(tokens: &MemoryTokens, business: &BusinessId, scopes: Scopes, now: Timestamp) -> BearerToken {
    let token = BearerToken::generate().expect("a random generator");
    let record = TokenRecord::new(&token, "testkit", scopes, now);
    let kept = at_once(tokens.insert(business, record)).expect("a store that does not wait");
    kept.expect("a token that is not there yet");
    token
}

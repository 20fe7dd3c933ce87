//! The real service over a store in memory, with a time that the test moves and faults on demand.
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
//! - **What it answers** is what the service answers, byte for byte; a server adds `X-Request-Id`, the fake does not. It
//!   listens under `/v1`. It reads URLs as browsers do: `.` and `..` are gone from a path, and a backslash is a slash.
//! - **Time** stands still until it is moved by [`advance`](FakeLeadApi::advance), or by what a client of the fake waits
//!   for. Tokens expire, keys are forgotten and requests are counted by it: 600 reads and 60 writes in any 60 s for each
//!   token, exactly.
//! - **Faults** count requests from the moment when they are asked for, whatever those are. A request that fails is not
//!   done; one whose answer is lost is.

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

pub use self::builder::Builder;
use self::{
    faults::{Deed, Faults},
    limiter::Limiter,
};
use super::serve::{self, Answers, Cut, Reply, Server, refusal};
use crate::{Builder as ClientBuilder, Client};

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
    /// A fake with a small data set: the business `sol` with the client accounts `casa-verde` and `villa-azul`, the
    /// pipeline `sales` of the stages `new` and `won`, and the leads `lead-1` to `lead-3`. It is 2026-05-04, noon.
    ///
    /// # Panics
    ///
    /// Where there is no port or no random generator to be had.
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

    /// A fake with data, a time or ids of one's own.
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
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A client of the fake, with a token of both scopes for its first business: with the default policy on repetitions,
    /// without a pace, and past the proxies of the environment.
    ///
    /// What it waits for takes no time: it moves the fake's time on instead. So what is refused for the rate is admitted
    /// a moment later, and the fake's time says how long it would have taken.
    ///
    /// # Panics
    ///
    /// Where the system's TLS cannot be set up.
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

    /// The same with another token.
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

    /// The beginning of a client of one's own: with the fake's URL and token, and all else as in production. What it waits
    /// for takes its time, and the fake's stands still meanwhile.
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

    /// The base URL, such as `http://127.0.0.1:49152/v1`.
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

    /// A token of both scopes for the first business of the data.
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

    /// The business of that token: the first one of the data.
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

    /// A new token.
    ///
    /// # Panics
    ///
    /// Where there is no random generator to be had.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::{auth::Scopes, model::{NewLead, Window}, testkit::FakeLeadApi};
    ///
    /// let api = FakeLeadApi::start().await;
    /// let writer = api.client_with(&api.mint(&"sol".parse()?, Scopes::Write));
    /// assert!(writer.clients().list(Window::default()).await.unwrap_err().lacks_scope());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn mint(&self, business: &BusinessId, scopes: Scopes) -> BearerToken {
        mint(&self.tokens, business, scopes, self.now())
    }

    /// The tokens, to be listed, revoked or given an end.
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
    /// let error = api.client().clients().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.message(), "Authorization: token revoked");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn tokens(&self) -> &Arc<MemoryTokens> {
        &self.tokens
    }

    /// The store, to look at what is there or to put something there behind the back of the API.
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

    /// The service itself, to be called without a socket and past the faults.
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

    /// What time it is there.
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

    /// Moves its time on.
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

    /// The n-th request from now, counted from 1, is answered 500, and nothing is done.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.fail_nth(1).fail_nth(2);
    /// let (_, meta) = api.client().clients().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_nth(&self, n: u64) -> &Self {
        self.plan(|faults| faults.fail_nth(n))
    }

    /// From now on so many of the requests are answered 500, 0.1 being one in ten, and nothing is done. Which ones is the
    /// same for the same seed; 0 ends it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// let (client, mut failed) = (api.client(), 0);
    /// api.fail_fraction(0.5, 7);
    /// for _ in 0..100 {
    ///     let call = client.clients().list(Window::default()).retry(RetryPolicy::none());
    ///     failed += u32::from(call.await.is_err());
    /// }
    /// assert!((30..70).contains(&failed));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_fraction(&self, fraction: f64, seed: u64) -> &Self {
        self.plan(|faults| faults.fraction = (fraction, seed))
    }

    /// From now on each answer is held back for so long of the system's time, after its request was done; none ends it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.latency(Duration::from_secs(600));
    /// let (client, patience) = (api.client(), Duration::from_millis(50));
    /// let call = client.clients().list(Window::default()).attempt_timeout(patience);
    /// assert!(call.retry(RetryPolicy::none()).await.unwrap_err().is_timeout());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn latency(&self, latency: Duration) -> &Self {
        self.plan(|faults| faults.latency = latency)
    }

    /// Until its time is this, whatever comes with a good token is refused for the rate, with a `Retry-After` of at most
    /// a minute; a moment that has passed ends it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::FakeLeadApi};
    /// let api = FakeLeadApi::start().await;
    /// api.rate_limited_until("2026-05-04T12:03:00Z".parse()?);
    /// // The client waits as often and as long as it is told to.
    /// api.client().clients().list(Window::default()).await?;
    /// assert!(api.now().to_string() >= "2026-05-04T12:03:00.000Z".to_owned());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rate_limited_until(&self, until: Timestamp) -> &Self {
        self.limiter.close_until(until);
        self
    }

    /// The n-th request from now, counted from 1, is done, but its connection is cut instead of the answer.
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

/// What the service answers. Nothing that a fake is made of waits for anything, so it is done when it is polled once.
fn serve(service: &LeadService, request: Request<Bytes>) -> Response<Bytes> {
    let answered = at_once(async {
        let Ok(response) = service.clone().call(request.map(Full::new)).await;
        let (head, body) = response.into_parts();
        body.collect().await.map(|body| Response::from_parts(head, body.to_bytes()))
    });
    match answered {
        Some(Ok(response)) => response,
        // It cannot be; and if it should be one day, the test is told rather than left to wait.
        None | Some(Err(_)) => refusal::refuse(StatusCode::INTERNAL_SERVER_ERROR, "the fake's service had to wait"),
    }
}

/// What comes of work that waits for nothing.
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

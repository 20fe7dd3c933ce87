//! The builder for clients.

mod build;

use std::{env, fmt, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_model::BoxError;
use tower_service::Service;

use crate::{
    client::Client,
    config_error::ConfigError,
    context::{CallOptions, OnWait, Wait},
    credential::Credential,
    rate_limit::Pacing,
    retry::RetryPolicy,
    timer::Timer,
    transport::{InProcess, Transport},
};

impl Client {
    /// Returns a builder for a base URL and a token. The base URL includes the base path, such as
    /// `http://127.0.0.1:8080/v1`. [`ClientBuilder::build`] validates both.
    ///
    /// The client sends the token only to the base URL's origin. Over `http://`, anyone on the network path can read
    /// the token.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() -> Result<(), leadapi_client::ConfigError> {
    /// # let (service, token) = service();
    /// let client = Client::builder("http://in-process/v1", token).in_process(service.clone()).build()?;
    /// assert_eq!(format!("{client:?}"), r#"Client { base_url: "http://in-process/v1", .. }"#);
    ///
    /// let wrong = Client::builder("example.com", "pak_0123456789").in_process(service).build().unwrap_err();
    /// assert_eq!(wrong.to_string(), "the base URL must start with http:// or https://");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(base_url: impl Into<String>, token: impl Into<Credential>) -> ClientBuilder {
        ClientBuilder::new(base_url.into(), token.into())
    }

    /// Returns a builder with the base URL from `LEADAPI_URL` and the token from `LEADAPI_TOKEN`.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// match Client::from_env() {
    ///     Ok(builder) => drop(builder),
    ///     Err(error) => assert!(error.to_string().starts_with("the environment variable LEADAPI_")),
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Variable`] if one of these environment variables is not set or is not UTF-8.
    pub fn from_env() -> Result<ClientBuilder, ConfigError> {
        let variable = |name| env::var(name).map_err(|_| ConfigError::Variable { name });
        Ok(Self::builder(variable("LEADAPI_URL")?.trim(), variable("LEADAPI_TOKEN")?))
    }
}

/// A builder for a [`Client`].
#[must_use = "a builder does nothing until it is built"]
pub struct ClientBuilder {
    base_url: String,
    token: Credential,
    application: Option<String>,
    transport: Option<Box<dyn Transport>>,
    options: CallOptions,
    pacing: Pacing,
    timer: Option<Box<dyn Timer>>,
    on_wait: Option<OnWait>,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String, token: Credential) -> Self {
        const TIMEOUT: Duration = Duration::from_secs(300);
        const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
        const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);
        let options = CallOptions {
            retry: RetryPolicy::default(),
            timeout: Some(TIMEOUT),
            attempt_timeout: Some(ATTEMPT_TIMEOUT),
            max_retry_after: MAX_RETRY_AFTER,
        };
        Self {
            base_url,
            token,
            application: None,
            transport: None,
            options,
            pacing: Pacing::default(),
            timer: None,
            on_wait: None,
        }
    }

    /// Sends all requests to a service in the same process, without a socket or a runtime.
    ///
    /// The base URL's host is never resolved, but its path must be the service's base path.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// use leadapi_core::{clock::SystemClock, dataset::Dataset, http::LeadService, tokens::StoredTokens};
    /// use leadapi_memory::{MemoryStore, MemoryTokens};
    ///
    /// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::new(Dataset::default()), verifier).base_path("/v1").build()?;
    /// let client = Client::builder("http://in-process/v1", "pak_0123").in_process(service).build()?;
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub fn in_process<S, B>(self, service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.transport(InProcess::new(service))
    }

    /// Sets the transport. The default is [`Reqwest`](crate::transport::Reqwest) if the `reqwest` feature is on.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use http::{Request, Response};
    /// use leadapi_client::{Client, RetryPolicy, model::Window, transport::{Transport, TransportError}};
    ///
    /// struct AlwaysDown;
    ///
    /// #[async_trait::async_trait]
    /// impl Transport for AlwaysDown {
    ///     async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
    ///         Err(TransportError::not_sent("unplugged").while_connecting())
    ///     }
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let client = Client::builder("http://nowhere/v1", "pak_0123").transport(AlwaysDown).build()?;
    /// let error = client.client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert!(error.is_connect());
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// # }).unwrap();
    /// ```
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Box::new(transport));
        self
    }

    /// Sets the retry policy: how many times the client retries a failed call, and how long it waits before each retry.
    ///
    /// ```
    /// use leadapi_client::{Client, RetryPolicy};
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").retry(RetryPolicy::default().attempts(3));
    /// # drop(builder);
    /// ```
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy;
        self
    }

    /// Sets the timeout for each call, including all attempts and waits, even waits for the rate limit. The default is
    /// 5 minutes.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").timeout(Duration::from_secs(30));
    /// # drop(builder);
    /// ```
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets the timeout for each attempt, from connecting to the last byte of the response. The default is 10 seconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").attempt_timeout(Duration::from_secs(3));
    /// # drop(builder);
    /// ```
    pub const fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.options.attempt_timeout = Some(timeout);
        self
    }

    /// Sets the longest `Retry-After` that the client honors. The default is 2 minutes.
    ///
    /// If a response requests a longer wait, the call fails immediately, and
    /// [`Error::retry_after`](crate::Error::retry_after) returns the requested wait. If that response is a 429, other
    /// calls of the same class (reads or writes) wait only one to two seconds, as after a 429 without `Retry-After`. A
    /// single absurd value, such as a day, therefore cannot stall the client. The service itself never requests more
    /// than 60 s.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::Client;
    ///
    /// let builder =
    ///     Client::builder("https://api.example.com/v1", "pak_0123").max_retry_after(Duration::from_secs(30));
    /// # drop(builder);
    /// ```
    pub const fn max_retry_after(mut self, max: Duration) -> Self {
        self.options.max_retry_after = max;
        self
    }

    /// Sets the client-side rate limit: how many reads and writes the client may send in any 60 s. The default is the
    /// contract's limit.
    ///
    /// ```
    /// use leadapi_client::{Client, Pacing};
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").pacing(Pacing::off());
    /// # drop(builder);
    /// ```
    pub const fn pacing(mut self, pacing: Pacing) -> Self {
        self.pacing = pacing;
        self
    }

    /// Sets the name of the calling program, such as `importer/1.2`. The client appends it to its `User-Agent`.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").application("importer/1.2");
    /// # drop(builder);
    /// ```
    pub fn application(mut self, name: impl Into<String>) -> Self {
        self.application = Some(name.into());
        self
    }

    /// Sets the clock for rate limiting, backoff and timeouts. The default is
    /// [`SystemTimer`](crate::timer::SystemTimer).
    ///
    /// ```
    /// use leadapi_client::{Client, timer::SystemTimer};
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").timer(SystemTimer::default());
    /// # drop(builder);
    /// ```
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Box::new(timer));
        self
    }

    /// Sets a callback that the client calls at the start of each wait: for pacing, after a 429, and before a retry.
    /// The callback must not block.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123")
    ///     .on_wait(|wait| println!("{:?}: waiting {:?} ({:?})", wait.operation, wait.duration, wait.reason));
    /// # drop(builder);
    /// ```
    pub fn on_wait(mut self, hook: impl Fn(&Wait) + Send + Sync + 'static) -> Self {
        self.on_wait = Some(Box::new(hook));
        self
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").finish_non_exhaustive()
    }
}

//! The builder's final methods, which validate the settings and create a client with the chosen transport.

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_core::{BoxError, auth::MalformedToken};
use tower_service::Service;

use super::ClientBuilder;
#[cfg(feature = "reqwest")]
use crate::transport::Reqwest;
use crate::{
    base_url::BaseUrl,
    client::Client,
    config_error::ConfigError,
    context::ClientContext,
    rate_limit::RateLimiters,
    request::{CLIENT_NAME, Origin},
    retry::RetryBudget,
    timer::SystemTimer,
    transport::{InProcess, Transport},
};

impl ClientBuilder {
    /// Creates a client that uses the network. Its calls work on any executor. See [`Reqwest`] for its I/O thread.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if a setting is invalid. The client does not connect yet, so an unreachable address is
    /// not an error.
    #[cfg(feature = "reqwest")]
    pub fn build(self) -> Result<Client, ConfigError> {
        self.transport(Reqwest::new()?)
    }

    /// Creates a client for a service in the same process, without a socket or a runtime.
    ///
    /// The base URL's host is never resolved, but its path must be the service's base path.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// use leadapi_core::{dataset::Dataset, http::LeadService, memory::*, tokens::StoredTokens};
    ///
    /// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::new(Dataset::default()), verifier).base_path("/v1").build()?;
    /// let client = Client::builder("http://in-process/v1", "pak_0123").in_process(service)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if the base URL or the token is invalid.
    pub fn in_process<S, B>(self, service: S) -> Result<Client, ConfigError>
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

    /// Creates a client with the given transport.
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
    /// let client = Client::builder("http://nowhere/v1", "pak_0123").transport(AlwaysDown)?;
    /// let error = client.client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert!(error.is_connect());
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if the base URL or the token is invalid.
    pub fn transport(self, transport: impl Transport) -> Result<Client, ConfigError> {
        let base = BaseUrl::parse(&self.base_url).map_err(|rule| ConfigError::BaseUrl { rule })?;
        let token = self.token.into_token().map_err(ConfigError::Token)?;
        let authorization = HeaderValue::try_from(format!("Bearer {}", token.expose()));
        let mut authorization = authorization.map_err(|_| ConfigError::Token(MalformedToken::Malformed))?;
        authorization.set_sensitive(true);
        let visible = |name: &String| name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !self.application.as_ref().is_none_or(visible) {
            return Err(ConfigError::UserAgent);
        }
        let application = self.application.map(|name| format!(" {name}")).unwrap_or_default();
        let user_agent = HeaderValue::try_from(format!("{CLIENT_NAME}{application}"));
        let user_agent = user_agent.map_err(|_| ConfigError::UserAgent)?;
        Ok(Client::new(ClientContext {
            origin: Origin { base, token, authorization, user_agent },
            transport: Box::new(transport),
            // The default timer is created only if it is needed, because it panics on platforms without a clock.
            timer: self.timer.unwrap_or_else(|| Box::new(SystemTimer::default())),
            rate_limiters: RateLimiters::new(self.pacing),
            budget: RetryBudget::default(),
            options: self.options,
            on_wait: self.on_wait,
        }))
    }
}

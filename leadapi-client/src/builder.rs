//! How a client is put together, and what can be wrong with its settings.

#[cfg(feature = "reqwest")]
use std::time::Duration;
use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_core::{BoxError, auth::MalformedToken};
use tower_service::Service;

#[cfg(feature = "reqwest")]
use crate::transport::Reqwest;
use crate::{
    base_url::BaseUrl,
    client::{Client, Inner},
    credential::Credential,
    transport::{InProcess, Transport},
};

/// What is wrong with a client's settings. It shows neither the token nor the base URL, in which a password may stand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The base URL is none that requests could go to.
    #[error("the base URL {rule}")]
    BaseUrl {
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The token does not have the form of one.
    #[error("the token must be pak_ and then visible ASCII characters, without Bearer before it")]
    Token(#[source] MalformedToken),
    /// The transport could not be set up.
    #[error("the transport could not be set up")]
    Transport(#[source] BoxError),
}

/// Puts a [`Client`] together; begun with [`Client::builder`], ended with one of `build`,
/// [`in_process`](Self::in_process) and [`transport`](Self::transport).
#[must_use = "it is no client yet"]
pub struct Builder {
    base_url: String,
    token: Credential,
    #[cfg(feature = "reqwest")]
    connect_timeout: Duration,
    #[cfg(feature = "reqwest")]
    timeout: Duration,
}

impl Builder {
    pub(crate) const fn new(base_url: String, token: Credential) -> Self {
        Self {
            base_url,
            token,
            #[cfg(feature = "reqwest")]
            connect_timeout: Reqwest::CONNECT_TIMEOUT,
            #[cfg(feature = "reqwest")]
            timeout: Reqwest::TIMEOUT,
        }
    }

    /// How long [`build`](Self::build)'s client waits for a connection; 3 seconds by default. Other transports have
    /// their own idea of time.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").connect_timeout(Duration::from_secs(1));
    /// # builder.build().unwrap();
    /// ```
    #[cfg(feature = "reqwest")]
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long [`build`](Self::build)'s client waits for a whole answer, connection included; 10 seconds by default.
    /// Other transports have their own idea of time.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::Client;
    ///
    /// let builder = Client::builder("https://api.example.com/v1", "pak_0123").timeout(Duration::from_secs(30));
    /// # builder.build().unwrap();
    /// ```
    #[cfg(feature = "reqwest")]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A client over the network. Its calls are made within a tokio runtime whose io and time are enabled, as
    /// `#[tokio::main]` makes it.
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
    /// [`ConfigError`]; nothing is sent yet, so an address at which nobody listens is none.
    #[cfg(feature = "reqwest")]
    pub fn build(self) -> Result<Client, ConfigError> {
        let transport = Reqwest::new(self.connect_timeout, self.timeout).map_err(ConfigError::Transport)?;
        self.transport(transport)
    }

    /// A client of a service in the same process: no socket, no runtime, no timeout.
    ///
    /// The base URL is one that nothing resolves; its path must be the one that the service answers under.
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
    /// [`ConfigError`] when the base URL or the token is none.
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

    /// A client over any transport.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use http::{Request, Response};
    /// use leadapi_client::{Client, model::Window, transport::{Transport, TransportError}};
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
    /// assert!(client.clients(Window::default()).await.unwrap_err().is_connect());
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError`] when the base URL or the token is none.
    pub fn transport(self, transport: impl Transport) -> Result<Client, ConfigError> {
        let base = BaseUrl::parse(&self.base_url).map_err(|rule| ConfigError::BaseUrl { rule })?;
        let token = self.token.into_token().map_err(ConfigError::Token)?;
        let authorization = HeaderValue::try_from(format!("Bearer {}", token.expose()));
        let mut authorization = authorization.map_err(|_| ConfigError::Token(MalformedToken::Malformed))?;
        authorization.set_sensitive(true);
        Ok(Client::new(Arc::new(Inner { base, token, authorization, transport: Box::new(transport) })))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").finish_non_exhaustive()
    }
}

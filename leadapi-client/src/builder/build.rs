//! The method that validates a builder's settings and creates the client.

use http::HeaderValue;
use leadapi_model::auth::MalformedToken;

use super::ClientBuilder;
use crate::{
    base_url::BaseUrl,
    client::Client,
    config_error::ConfigError,
    context::ClientContext,
    rate_limit::RateLimiters,
    request::{CLIENT_NAME, Origin},
    retry::RetryBudget,
    timer::SystemTimer,
    transport::Transport,
};

impl ClientBuilder {
    /// Creates the client.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// # #[cfg(feature = "reqwest")]
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if a setting is invalid, or if no transport is set and the `reqwest` feature is off. The
    /// client does not connect yet, so an unreachable address is not an error.
    pub fn build(self) -> Result<Client, ConfigError> {
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
            transport: self.transport.map_or_else(default_transport, Ok)?,
            // Create the default timer only if it is needed: this panics on platforms without a clock.
            timer: self.timer.unwrap_or_else(|| Box::new(SystemTimer::default())),
            rate_limiters: RateLimiters::new(self.pacing),
            budget: RetryBudget::default(),
            options: self.options,
            on_wait: self.on_wait,
        }))
    }
}

#[cfg(feature = "reqwest")]
fn default_transport() -> Result<Box<dyn Transport>, ConfigError> {
    Ok(Box::new(crate::transport::Reqwest::new()?))
}

#[cfg(not(feature = "reqwest"))]
fn default_transport() -> Result<Box<dyn Transport>, ConfigError> {
    Err(ConfigError::NoTransport)
}

//! How a client is put together, and what can be wrong with its settings.

mod build;

use std::{env, fmt, time::Duration};

use crate::{
    client::Client,
    config_error::ConfigError,
    credential::Credential,
    pace::Pacing,
    retry::RetryPolicy,
    shared::{OnWait, Options, Wait},
    timer::Timer,
};

impl Client {
    /// Begins to put a client together: the base URL with its base path, such as `http://127.0.0.1:8080/v1`, and the
    /// token, or a text that is to be one.
    ///
    /// The token goes to that origin and nowhere else. Over `http://` everyone on the way can read it.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() -> Result<(), leadapi_client::ConfigError> {
    /// # let (service, token) = service();
    /// let client = Client::builder("http://in-process/v1", token).in_process(service.clone())?;
    /// assert_eq!(format!("{client:?}"), r#"Client { base_url: "http://in-process/v1", .. }"#);
    ///
    /// let wrong = Client::builder("example.com", "pak_0123456789").in_process(service).unwrap_err();
    /// assert_eq!(wrong.to_string(), "the base URL must begin with http:// or https://");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(base_url: impl Into<String>, token: impl Into<Credential>) -> ClientBuilder {
        ClientBuilder::new(base_url.into(), token.into())
    }

    /// Begins to put a client together from the environment: the base URL in `LEADAPI_URL`, the token in `LEADAPI_TOKEN`.
    ///
    /// ```
    /// use leadapi_client::Client;
    ///
    /// match Client::from_env() {
    ///     Ok(builder) => drop(builder),
    ///     Err(error) => assert!(error.to_string().starts_with("the variable LEADAPI_")),
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::Variable`] when one of them is not set, or is not UTF-8.
    pub fn from_env() -> Result<ClientBuilder, ConfigError> {
        let variable = |name| env::var(name).map_err(|_| ConfigError::Variable { name });
        Ok(Self::builder(variable("LEADAPI_URL")?.trim(), variable("LEADAPI_TOKEN")?))
    }
}

/// Puts a [`Client`] together; begun with [`Client::builder`], ended with one of `build`,
/// [`in_process`](Self::in_process) and [`transport`](Self::transport).
#[must_use = "it is no client yet"]
pub struct ClientBuilder {
    base_url: String,
    token: Credential,
    application: Option<String>,
    options: Options,
    pacing: Pacing,
    timer: Option<Box<dyn Timer>>,
    on_wait: Option<OnWait>,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String, token: Credential) -> Self {
        const TIMEOUT: Duration = Duration::from_secs(300);
        const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
        const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);
        let options = Options {
            retry: RetryPolicy::default(),
            timeout: Some(TIMEOUT),
            attempt_timeout: Some(ATTEMPT_TIMEOUT),
            max_retry_after: MAX_RETRY_AFTER,
        };
        Self { base_url, token, application: None, options, pacing: Pacing::default(), timer: None, on_wait: None }
    }

    /// Which calls are made again when they fail, how often and after which waits.
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

    /// How long a call may take in all, with its attempts and its waits, those for the rate too; 5 minutes by default.
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

    /// How long an attempt may take, from connecting to the last byte of the answer; 10 seconds by default.
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

    /// Sets the longest `Retry-After` that the client waits for; 2 minutes by default.
    ///
    /// An answer that asks for more ends its call at once: the call fails with that answer, and
    /// [`Error::retry_after`](crate::Error::retry_after) says what it asked for. The value does not hold back other calls:
    /// after such a 429 they wait for a second, as after one without `Retry-After`, and then ask the service again. So one
    /// absurd value, such as a day, cannot stop a client. The service itself never asks for more than 60 s.
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

    /// How many requests are sent in any 60 s; what the contract allows by default.
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

    /// The name of the program that uses the client, such as `importer/1.2`: it stands in the `User-Agent` behind the
    /// client's own.
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

    /// Replaces the system clock.
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

    /// Is told of every wait as it begins: for the pace, for the rate, after a failure. It must not block.
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

//! The API client.

use std::{fmt, sync::Arc, time::Duration};

use leadapi_model::{auth::BearerToken, http::Operation};

use crate::{
    attempts::Read,
    call::Call,
    context::{CallOptions, ClientContext, Wait, WaitReason},
    redact::redact,
    request::{InvalidRequest, Prepared},
    timer::Timer,
    transport::Transport,
};

/// An API client for one token, and therefore for one business.
///
/// A client is cheap to clone. Clones share the connections, the rate limiter and the retry budget.
///
/// ```
/// use leadapi_client::{Client, model::NewLead};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # futures_executor::block_on(async {
/// # let (service, token) = service();
/// let client = Client::builder("http://in-process/v1", token).in_process(service).build()?;
/// let lead = client.leads().create(&NewLead::new(&casa_verde(), "Élodie Martin").value(450)).await?;
/// assert_eq!(client.leads().get(&lead.id).await?, lead);
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Client {
    context: Arc<ClientContext>,
}

impl Client {
    pub(crate) fn new(context: ClientContext) -> Self {
        Self { context: Arc::new(context) }
    }

    /// Returns the default call options.
    pub(crate) fn options(&self) -> CallOptions {
        self.context.options
    }

    pub(crate) fn call<T>(
        &self,
        operation: Operation,
        prepared: Result<Prepared, InvalidRequest>,
        read: Read<T>,
    ) -> Call<T> {
        Call::new(&self.context, operation, prepared, read)
    }
}

/// Access to the parts of a client, for requests that the client has no method for.
///
/// If a program sends a request through [`transport`](Self::transport), the client does not validate or retry it, and
/// does not count it towards the rate limit:
///
/// ```
/// use http::{Request, header::AUTHORIZATION};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # futures_executor::block_on(async {
/// let client = support::in_process();
/// let request = Request::get(format!("{}/openapi.json", client.base_url()))
///     .header(AUTHORIZATION, format!("Bearer {}", client.token().expose()))
///     .body(bytes::Bytes::new())?;
/// let response = client.transport().send(request).await?;
/// assert_eq!(response.status(), 404);
/// println!("{}", client.redact(&String::from_utf8_lossy(response.body()), 200));
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
impl Client {
    /// Returns the base URL, without a trailing slash.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// assert_eq!(support::in_process().base_url(), "http://in-process/v1");
    /// ```
    pub fn base_url(&self) -> &str {
        self.context.origin.base.as_str()
    }

    /// Returns the token that the client sends with each request.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    ///
    /// let (service, token) = support::service();
    /// let client = Client::builder("http://in-process/v1", &token).in_process(service).build()?;
    /// assert!(*client.token() == token);
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    pub fn token(&self) -> &BearerToken {
        &self.context.origin.token
    }

    /// Returns the transport that sends the client's requests.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// let response = support::in_process().transport().send(http::Request::default()).await?;
    /// assert_eq!(response.status(), 404);
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    pub fn transport(&self) -> &dyn Transport {
        &*self.context.transport
    }

    /// Returns the clock that the client uses for waits and timeouts.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// let client = support::in_process();
    /// let started_at = client.timer().now();
    /// assert!(client.timer().now() >= started_at);
    /// ```
    pub fn timer(&self) -> &dyn Timer {
        &*self.context.timer
    }

    /// Waits, for example before a request is sent again. The callback set with
    /// [`ClientBuilder::on_wait`](crate::ClientBuilder::on_wait) receives this wait with `failed_attempts` set to 0.
    ///
    /// ```
    /// use std::time::Duration;
    /// use leadapi_client::{Operation, WaitReason};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// let client = support::in_process();
    /// client.wait(Operation::ListLeads, WaitReason::RateLimited, Duration::from_millis(1)).await;
    /// # });
    /// ```
    pub async fn wait(&self, operation: Operation, reason: WaitReason, duration: Duration) {
        if let Some(on_wait) = &self.context.on_wait {
            on_wait(&Wait { operation, reason, duration, failed_attempts: 0 });
        }
        self.timer().sleep(duration).await;
    }

    /// Returns at most `max_chars` characters of a response as one line that is safe to log. Tokens are masked,
    /// including the client's own token in its common encodings. Control characters are replaced.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// let client = support::in_process();
    /// let echo = format!("bad header\r\nAuthorization: Bearer {}", client.token().expose());
    /// assert_eq!(client.redact(&echo, 200), "bad header Authorization: Bearer pak_[token]");
    /// ```
    pub fn redact(&self, text: &str, max_chars: usize) -> String {
        redact(text, self.token(), max_chars)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

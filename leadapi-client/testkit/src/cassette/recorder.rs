//! A transport that records its traffic.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderName, Request, Response};

use super::{Cassette, CassetteError, exchange::Exchange, har::Har, rules::Rules, writer};
use leadapi_client::transport::{Transport, TransportError};

/// A transport that wraps another transport and records its traffic as a [`Cassette`].
///
/// The name, email, phone, notes and business name of leads are redacted, unless
/// [`keep_personal_data`](Self::keep_personal_data) is set.
///
/// Clones record into the same cassette, so a test can give one clone to the client and keep another. Requests are
/// recorded in the order in which they were sent. The `Authorization` header is never stored, not even in memory.
///
/// ```
/// use leadapi_client::{Client, model::NewLead, transport::InProcess};
/// use leadapi_testkit::cassette::Recorder;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (service, token) = support::service();
///
/// let recorder = Recorder::new(InProcess::new(service));
/// let client = Client::builder("http://in-process/v1", token).transport(recorder.clone()).build()?;
/// client.leads().create(&NewLead::new(&support::casa_verde(), "Ann").email("ann@example.com")).await?;
///
/// let file = recorder.cassette()?.to_har()?;
/// assert!(file.contains("redacted-1") && !file.contains("ann@example.com"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<dyn Transport>,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    rules: Arc<Rules>,
}

impl Recorder {
    /// Creates a recorder around this transport.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// use leadapi_client::transport::InProcess;
    /// use leadapi_testkit::cassette::Recorder;
    ///
    /// let recorder = Recorder::new(InProcess::new(service));
    /// assert!(recorder.cassette()?.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn new(transport: impl Transport) -> Self {
        Self::with(transport, Rules::default())
    }

    pub(super) fn with(transport: impl Transport, rules: Rules) -> Self {
        Self { inner: Arc::new(transport), exchanges: Arc::default(), rules: Arc::new(rules) }
    }

    /// Redacts a field. A name such as `email` selects every field and query parameter with this name. A JSON pointer
    /// such as `/data/*/email` selects fields in a body, and `*` matches any key or index.
    ///
    /// Equal values get the same placeholder, such as `redacted-1`, in requests and responses. The [module](super)
    /// documentation describes how placeholders are replayed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::transport::InProcess;
    /// # use leadapi_testkit::cassette::Recorder;
    /// let recorder = Recorder::new(InProcess::new(service)).redact("email").redact("phone").redact("/data/*/name");
    /// ```
    #[must_use]
    pub fn redact(mut self, field: &str) -> Self {
        Arc::make_mut(&mut self.rules).redact(field);
        self
    }

    /// Turns off the default redaction of the name, email, phone, notes and business name of leads. Use this only if
    /// the data is fictitious.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::transport::InProcess;
    /// # use leadapi_testkit::cassette::Recorder;
    /// let recorder = Recorder::new(InProcess::new(service)).keep_personal_data();
    /// ```
    #[must_use]
    pub fn keep_personal_data(mut self) -> Self {
        Arc::make_mut(&mut self.rules).keep_personal_data = true;
        self
    }

    /// Keeps the real ids and creation times of created leads. Two recordings of the same traffic then differ.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::transport::InProcess;
    /// # use leadapi_testkit::cassette::Recorder;
    /// let recorder = Recorder::new(InProcess::new(service)).keep_ids();
    /// ```
    #[must_use]
    pub fn keep_ids(mut self) -> Self {
        Arc::make_mut(&mut self.rules).keep_ids = true;
        self
    }

    /// Records this header in addition to the default headers, with its value unchanged.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::transport::InProcess;
    /// # use leadapi_testkit::cassette::Recorder;
    /// use http::header;
    ///
    /// let recorder = Recorder::new(InProcess::new(service)).keep_header(header::CACHE_CONTROL)?;
    /// let refused = recorder.keep_header(header::AUTHORIZATION).unwrap_err();
    /// assert_eq!(refused.to_string(), "the header authorization contains credentials and is never recorded");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::SecretHeader`] for `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`.
    pub fn keep_header(mut self, name: HeaderName) -> Result<Self, CassetteError> {
        Arc::make_mut(&mut self.rules).keep_header(name)?;
        Ok(self)
    }

    /// Returns a cassette with the traffic recorded so far.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, token) = support::service();
    /// # use leadapi_client::{Client, transport::InProcess};
    /// # use leadapi_testkit::cassette::Recorder;
    /// let recorder = Recorder::new(InProcess::new(service));
    /// let client = Client::builder("http://in-process/v1", token).transport(recorder.clone()).build()?;
    /// client.client_accounts().list(Default::default()).await?;
    /// assert_eq!(recorder.cassette()?.len(), 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::NoResponse`] if a request failed, was cancelled or is still in flight. Returns
    /// [`CassetteError::Unredactable`] or [`CassetteError::Leak`] if a field cannot be redacted completely, and
    /// [`CassetteError::InvalidEntry`] if an entry could not be replayed.
    pub fn cassette(&self) -> Result<Cassette, CassetteError> {
        let entries = writer::entries(&self.exchanges(), &self.rules)?;
        Cassette::new("the recording".to_owned(), Har::new(entries))
    }

    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let nth = {
            let mut exchanges = self.exchanges();
            exchanges.push(Exchange::start(&request, &self.rules.headers));
            exchanges.len() - 1
        };
        let response = self.inner.send(request).await?;
        if let Some(exchange) = self.exchanges().get_mut(nth) {
            exchange.finish(&response, &self.rules.headers);
        }
        Ok(response)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("exchanges", &self.exchanges().len()).finish_non_exhaustive()
    }
}

//! A transport that remembers what passes through it.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderName, Request, Response};

use super::{Cassette, CassetteError, exchange::Exchange, har::Har, rules::Rules, writing};
use crate::transport::{Transport, TransportError};

/// A transport around another one, that makes a [`Cassette`] of what passes through it.
///
/// The name, email, phone, notes and business name of leads are redacted, unless [`keep_personal_data`](Self::keep_personal_data)
/// says otherwise.
///
/// Clones record into the same cassette, so that a test keeps one and gives the client another. Requests stand in it in
/// the order in which they were sent. The token is not even kept in memory.
///
/// ```
/// use leadapi_client::{Client, model::NewLead, testkit::cassette::Recorder, transport::InProcess};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (service, token) = support::service();
///
/// let recorder = Recorder::new(InProcess::new(service));
/// let client = Client::builder("http://in-process/v1", token).transport(recorder.clone())?;
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
    /// Records what passes through this transport.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// use leadapi_client::{testkit::cassette::Recorder, transport::InProcess};
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

    /// Keeps the texts of a field out of the cassette: `email` is a field of this name wherever it stands, also in a
    /// query; `/data/*/email` is a JSON pointer into a body, with `*` for any key or index.
    ///
    /// The same text becomes the same name, `redacted-1` and so on, in requests and in answers. See
    /// [the module](super) for how it is replayed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::{testkit::cassette::Recorder, transport::InProcess};
    /// let recorder = Recorder::new(InProcess::new(service)).redact("email").redact("phone").redact("/data/*/name");
    /// ```
    #[must_use]
    pub fn redact(mut self, field: &str) -> Self {
        Arc::make_mut(&mut self.rules).redact(field);
        self
    }

    /// Keeps what says who a lead is. Without it the name, email, phone, notes and business name of leads are redacted as
    /// by [`redact`](Self::redact), in what is sent and in what is answered; it is for data that somebody has made up.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::{testkit::cassette::Recorder, transport::InProcess};
    /// let recorder = Recorder::new(InProcess::new(service)).keep_personal_data();
    /// ```
    #[must_use]
    pub fn keep_personal_data(mut self) -> Self {
        Arc::make_mut(&mut self.rules).keep_personal_data = true;
        self
    }

    /// Leaves the ids and the moments of leads that are created as they are. Two recordings then differ in them.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::{testkit::cassette::Recorder, transport::InProcess};
    /// let recorder = Recorder::new(InProcess::new(service)).keep_ids();
    /// ```
    #[must_use]
    pub fn keep_ids(mut self) -> Self {
        Arc::make_mut(&mut self.rules).keep_ids = true;
        self
    }

    /// Records a header that is not on the list of those that are, as it comes.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// # use leadapi_client::{testkit::cassette::Recorder, transport::InProcess};
    /// use http::header;
    ///
    /// let recorder = Recorder::new(InProcess::new(service)).keep_header(header::CACHE_CONTROL)?;
    /// let refused = recorder.keep_header(header::AUTHORIZATION).unwrap_err();
    /// assert_eq!(refused.to_string(), "the header authorization is never recorded");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CassetteError::SecretHeader`] for `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`.
    pub fn keep_header(mut self, name: HeaderName) -> Result<Self, CassetteError> {
        Arc::make_mut(&mut self.rules).keep_header(name)?;
        Ok(self)
    }

    /// What has passed so far.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, token) = support::service();
    /// # use leadapi_client::{Client, testkit::cassette::Recorder, transport::InProcess};
    /// let recorder = Recorder::new(InProcess::new(service));
    /// let client = Client::builder("http://in-process/v1", token).transport(recorder.clone())?;
    /// client.client_accounts().list(Default::default()).await?;
    /// assert_eq!(recorder.cassette()?.len(), 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CassetteError::NoAnswer`] when a request failed on its way, was given up or is still on it,
    /// [`CassetteError::Unredactable`] and [`CassetteError::Leak`] when the cassette would hold what it must not.
    pub fn cassette(&self) -> Result<Cassette, CassetteError> {
        let entries = writing::entries(&self.exchanges(), &self.rules)?;
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
            exchanges.push(Exchange::begun(&request, &self.rules.headers));
            exchanges.len() - 1
        };
        let response = self.inner.send(request).await?;
        if let Some(exchange) = self.exchanges().get_mut(nth) {
            exchange.end(&response, &self.rules.headers);
        }
        Ok(response)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("exchanges", &self.exchanges().len()).finish_non_exhaustive()
    }
}

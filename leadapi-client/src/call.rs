//! API calls as values: the request and its options. Awaiting a call sends it.

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use leadapi_core::{
    http::Operation,
    model::{IdempotencyKey, Lead},
};

use crate::{
    attempts::{Attempts, Read},
    error::{Cause, Error},
    meta::Meta,
    request::{Prepared, Refusal},
    retry::RetryPolicy,
    shared::{Options, Shared},
};

/// The future of a [`Call`].
pub type CallFuture<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// An API call that has not been sent. Awaiting it sends it.
///
/// Set options before the `.await`. A call owns a handle to its client, so it can move to another task
/// (`tokio::spawn(call.into_future())`).
///
/// Dropping the call or its future is safe at any time and leaves the client consistent. A request that was already
/// sent may or may not have been executed.
///
/// ```
/// use std::time::Duration;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (client, id) = (support::in_process(), "lead-1".parse()?);
///
/// let lead = client.leads().get(&id).timeout(Duration::from_secs(2)).await?;
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[must_use = "a call is made when it is awaited"]
pub struct Call<T> {
    shared: Arc<Shared>,
    operation: Operation,
    prepared: Result<Prepared, Refusal>,
    options: Options,
    read: Read<T>,
}

/// A [`Call`] that also returns the metadata of the response.
#[must_use = "a call is made when it is awaited"]
pub struct WithMeta<T>(Call<T>);

/// A [`Call`] that creates a lead. By default it carries an idempotency key.
///
/// The key is generated with the call, and all its attempts carry it. The service creates one lead for all of them
/// (contract D10), so a create is as safe to retry as a read. To survive a crash of the process, store the
/// [key](Self::key) first and repeat the call with the same key within 24 hours.
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let client = support::in_process();
/// # let (mut journal, new) = (Vec::new(), NewLead::new(&support::casa_verde(), "Øyvind"));
///
/// let create = client.leads().create(&new);
/// journal.push(create.key().cloned());
/// let lead = create.await?;
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[must_use = "a call is made when it is awaited"]
pub struct CreateLead(Call<Lead>);

impl<T> Call<T> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        operation: Operation,
        prepared: Result<Prepared, Refusal>,
        read: Read<T>,
    ) -> Self {
        Self { shared: shared.clone(), operation, prepared, options: shared.options, read }
    }

    /// Also returns the metadata of the response: status, headers, request id and number of attempts.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::LeadQuery;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let (page, meta) = client.leads().list(&LeadQuery::new()).with_meta().await?;
    /// assert_eq!(meta.headers["content-type"], "application/json");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn with_meta(self) -> WithMeta<T> {
        WithMeta(self)
    }

    /// Makes the call.
    async fn run(self) -> Result<(T, Meta), Error> {
        let refused = |refusal| Error::new(self.operation, Cause::Refusal(refusal));
        let prepared = self.prepared.map_err(refused)?;
        Attempts::new(&self.shared, &prepared, self.options).run(self.read).await
    }
}

impl CreateLead {
    pub(crate) const fn new(call: Call<Lead>) -> Self {
        Self(call)
    }

    /// Returns the idempotency key, if any. A call that the client refuses to send has none.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # let new = leadapi_client::model::NewLead::new(&support::casa_verde(), "Øyvind");
    /// let create = client.leads().create(&new);
    /// println!("about to create under {:?}", create.key());
    /// # assert!(create.key().is_some());
    /// # });
    /// ```
    pub fn key(&self) -> Option<&IdempotencyKey> {
        self.0.prepared.as_ref().ok()?.key.as_ref()
    }

    /// Sets the idempotency key: one that was stored by an earlier run, or one that identifies the lead at its
    /// source, such as a row of an import.
    ///
    /// ```
    /// use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let key = IdempotencyKey::parse("import-7/row-12")?;
    /// let first = client.leads().create(&new).idempotency_key(key.clone()).await?;
    /// let again = client.leads().create(&new).idempotency_key(key).await?;
    /// assert_eq!(first.id, again.id);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn idempotency_key(mut self, key: IdempotencyKey) -> Self {
        self.set_key(Some(key));
        self
    }

    /// Removes the idempotency key. Each execution then creates a new lead. The client therefore retries an attempt
    /// only if nothing was sent, or if the service rejected it because of the rate limit.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let lead = client.leads().create(&new).without_idempotency_key().await?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn without_idempotency_key(mut self) -> Self {
        self.set_key(None);
        self
    }

    /// Also returns the metadata of the response: status, headers, whether it was replayed, and number of attempts.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let (lead, meta) = client.leads().create(&new).with_meta().await?;
    /// assert_eq!((meta.status.as_u16(), meta.is_replayed()), (201, false));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn with_meta(self) -> WithMeta<Lead> {
        WithMeta(self.0)
    }

    /// Replaces all options.
    pub(crate) const fn options(mut self, options: Options) -> Self {
        self.0.options = options;
        self
    }

    fn set_key(&mut self, key: Option<IdempotencyKey>) {
        if let Ok(prepared) = &mut self.0.prepared {
            prepared.key = key;
        }
    }
}

macro_rules! options {
    ($($type:ty $(, $generic:ident)?: $($field:tt).+;)*) => {$(
        impl $(<$generic>)? $type {
            /// Overrides the client's retry policy.
            ///
            /// ```
            /// use leadapi_client::{RetryPolicy, model::LeadQuery};
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # futures_executor::block_on(async {
            /// # let client = support::in_process();
            /// let page = client.leads().list(&LeadQuery::new()).retry(RetryPolicy::none()).await?;
            /// # Ok::<(), leadapi_core::BoxError>(())
            /// # }).unwrap();
            /// ```
            pub fn retry(mut self, policy: RetryPolicy) -> Self {
                self.$($field).+.retry = policy;
                self
            }

            /// Overrides the client's timeout for the whole call, including its waits for the rate limit.
            ///
            /// ```
            /// use std::time::Duration;
            /// # use leadapi_client::model::LeadQuery;
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # futures_executor::block_on(async {
            /// # let client = support::in_process();
            /// let page = client.leads().list(&LeadQuery::new()).timeout(Duration::from_secs(2)).await?;
            /// # Ok::<(), leadapi_core::BoxError>(())
            /// # }).unwrap();
            /// ```
            pub fn timeout(mut self, timeout: Duration) -> Self {
                self.$($field).+.timeout = Some(timeout);
                self
            }

            /// Overrides the client's timeout for each attempt.
            ///
            /// ```
            /// use std::time::Duration;
            /// # use leadapi_client::model::LeadQuery;
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # futures_executor::block_on(async {
            /// # let client = support::in_process();
            /// let page = client.leads().list(&LeadQuery::new()).attempt_timeout(Duration::from_secs(1)).await?;
            /// # Ok::<(), leadapi_core::BoxError>(())
            /// # }).unwrap();
            /// ```
            pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
                self.$($field).+.attempt_timeout = Some(timeout);
                self
            }
        }
    )*};
}

options! {
    Call<T>, T: options;
    CreateLead: 0.options;
    WithMeta<T>, T: 0.options;
}

impl<T: 'static> IntoFuture for Call<T> {
    type Output = Result<T, Error>;
    type IntoFuture = CallFuture<T>;

    fn into_future(self) -> CallFuture<T> {
        Box::pin(async { self.run().await.map(|(done, _)| done) })
    }
}

impl<T: 'static> IntoFuture for WithMeta<T> {
    type Output = Result<(T, Meta), Error>;
    type IntoFuture = CallFuture<(T, Meta)>;

    fn into_future(self) -> CallFuture<(T, Meta)> {
        Box::pin(self.0.run())
    }
}

impl IntoFuture for CreateLead {
    type Output = Result<Lead, Error>;
    type IntoFuture = CallFuture<Lead>;

    fn into_future(self) -> CallFuture<Lead> {
        self.0.into_future()
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("operation", &self.operation)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for WithMeta<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WithMeta").field(&self.0).finish()
    }
}

impl fmt::Debug for CreateLead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CreateLead").field(&self.0).finish()
    }
}

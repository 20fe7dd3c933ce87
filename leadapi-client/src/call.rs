//! Calls as values: what is asked for, and how; awaited, they are made.

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

/// A call on its way, as awaiting a [`Call`] makes it.
pub type Running<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// A call that is ready to be made: it is made by awaiting it, and until then nothing is sent.
///
/// Options stand between what is asked for and the `.await`. A call holds its client, so it can be moved to another task
/// (`tokio::spawn(call.into_future())`).
///
/// Dropping it, or the future that it becomes, at any moment leaves no half state in the client; what was sent by then
/// may be done or not.
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

/// A [`Call`] that gives what is known of its answer too.
#[must_use = "a call is made when it is awaited"]
pub struct WithMeta<T>(Call<T>);

/// A [`Call`] that creates a lead, under an idempotency key unless it is told to go without.
///
/// The key is made when the call is, and all its attempts carry it: so the service makes one lead of them (contract
/// D10), and a create is as safe to repeat as a read. Who must not lose a create even when the process ends stores the
/// [key](Self::key) first and asks again with the same one, within 24 hours.
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

    /// Gives what is known of the answer too: status, headers, request id, how many attempts it took.
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

    #[cfg(feature = "blocking")]
    pub(crate) const fn operation(&self) -> Operation {
        self.operation
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

    /// The key under which the service will remember it, if any. A call that breaks a rule has none, since it is not
    /// sent.
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

    /// Another key: one that was stored when the same lead was to be created before, or one that names the lead where it
    /// comes from, such as a row of an import.
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

    /// No key: what the service answers to is a new lead each time, and an attempt is repeated only when nothing of it
    /// has been sent or it was refused for the rate.
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

    /// Gives what is known of the answer too: status, headers, whether it was made before, how many attempts it took.
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

    /// All options at once.
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

#[cfg(feature = "blocking")]
impl<T> WithMeta<T> {
    pub(crate) const fn operation(&self) -> Operation {
        self.0.operation
    }
}

#[cfg(feature = "blocking")]
impl CreateLead {
    pub(crate) const fn operation(&self) -> Operation {
        self.0.operation
    }
}

macro_rules! options {
    ($($type:ty $(, $generic:ident)?: $($field:tt).+;)*) => {$(
        impl $(<$generic>)? $type {
            /// Another policy than the client's on making the call again.
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

            /// Another time than the client's within which the whole call ends, its waits for the rate included.
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

            /// Another time than the client's within which each attempt ends.
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
    type IntoFuture = Running<T>;

    fn into_future(self) -> Running<T> {
        Box::pin(async { self.run().await.map(|(done, _)| done) })
    }
}

impl<T: 'static> IntoFuture for WithMeta<T> {
    type Output = Result<(T, Meta), Error>;
    type IntoFuture = Running<(T, Meta)>;

    fn into_future(self) -> Running<(T, Meta)> {
        Box::pin(self.0.run())
    }
}

impl IntoFuture for CreateLead {
    type Output = Result<Lead, Error>;
    type IntoFuture = Running<Lead>;

    fn into_future(self) -> Running<Lead> {
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

//! The call that creates a lead, with an idempotency key that makes it safe to retry.

use std::fmt;

use leadapi_model::model::{IdempotencyKey, Lead};

use super::{Call, CallFuture, WithMeta, options::options};
use crate::{context::CallOptions, error::Error};

/// A [`Call`] that creates a lead. By default it carries an idempotency key.
///
/// The key is generated when the call is created, and every attempt carries it. The service creates one lead for all
/// attempts (contract D10), so a create is as safe to retry as a read. To survive a process crash, store the
/// [key](Self::key) before sending, and retry the create with the same key within 24 hours.
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// # let (mut journal, new) = (Vec::new(), NewLead::new(&support::casa_verde(), "Øyvind"));
///
/// let create = client.leads().create(&new);
/// journal.push(create.key().cloned());
/// let lead = create.await?;
/// # Ok(()) });
/// ```
#[must_use = "calls do nothing unless awaited"]
pub struct CreateLead(Call<Lead>);

impl CreateLead {
    pub(crate) const fn new(call: Call<Lead>) -> Self {
        Self(call)
    }

    /// Returns the idempotency key, if any. A call with an invalid request has no key.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # let new = leadapi_client::model::NewLead::new(&support::casa_verde(), "Øyvind");
    /// let create = client.leads().create(&new);
    /// println!("about to create under {:?}", create.key());
    /// # assert!(create.key().is_some());
    /// # Ok(()) });
    /// ```
    pub fn key(&self) -> Option<&IdempotencyKey> {
        self.0.prepared.as_ref().ok()?.key.as_ref()
    }

    /// Sets the idempotency key. Use a key that an earlier run stored, or a key derived from the lead's source, such as
    /// a row number in an import.
    ///
    /// ```
    /// use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let key = IdempotencyKey::parse("import-7/row-12")?;
    /// let first = client.leads().create(&new).idempotency_key(key.clone()).await?;
    /// let again = client.leads().create(&new).idempotency_key(key).await?;
    /// assert_eq!(first.id, again.id);
    /// # Ok(()) });
    /// ```
    pub fn idempotency_key(mut self, key: IdempotencyKey) -> Self {
        self.set_key(Some(key));
        self
    }

    /// Removes the idempotency key. Each execution then creates a new lead. The client therefore retries only if
    /// nothing was sent, or if the service rejected the request because of the rate limit.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let lead = client.leads().create(&new).without_idempotency_key().await?;
    /// # Ok(()) });
    /// ```
    pub fn without_idempotency_key(mut self) -> Self {
        self.set_key(None);
        self
    }

    /// Makes the call also return the response's metadata: status, headers, number of attempts, and whether the
    /// response was a replay.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # let new = NewLead::new(&support::casa_verde(), "Øyvind");
    ///
    /// let (lead, meta) = client.leads().create(&new).with_meta().await?;
    /// assert_eq!((meta.status.as_u16(), meta.is_replayed()), (201, false));
    /// # Ok(()) });
    /// ```
    pub fn with_meta(self) -> WithMeta<Lead> {
        WithMeta(self.0)
    }

    pub(crate) const fn options(mut self, options: CallOptions) -> Self {
        self.0.options = options;
        self
    }

    fn set_key(&mut self, key: Option<IdempotencyKey>) {
        if let Ok(prepared) = &mut self.0.prepared {
            prepared.key = key;
        }
    }
}

options! {
    CreateLead: 0.options;
}

impl IntoFuture for CreateLead {
    type Output = Result<Lead, Error>;
    type IntoFuture = CallFuture<Lead>;

    fn into_future(self) -> CallFuture<Lead> {
        self.0.into_future()
    }
}

impl fmt::Debug for CreateLead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CreateLead").field(&self.0).finish()
    }
}

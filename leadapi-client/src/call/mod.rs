//! API calls as values. A call consists of a request and its options, and awaiting it sends the request.

mod create_lead;
mod options;

use std::{fmt, pin::Pin, sync::Arc};

use leadapi_model::http::Operation;

use crate::{
    attempts::{Attempts, Read},
    context::{CallOptions, ClientContext},
    error::{Cause, Error},
    request::{InvalidRequest, Prepared},
    response_meta::ResponseMeta,
};

pub use self::create_lead::CreateLead;
use self::options::options;

/// The future that sends a [`Call`] and completes with its result.
pub type CallFuture<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// An API call that has not been sent. Awaiting the call sends it.
///
/// Set options before the `.await`. A call owns a handle to its client, so it can move to another task
/// (`tokio::spawn(call.into_future())`).
///
/// Dropping the call or its future is safe at any time and leaves the client consistent. The service may or may not
/// execute a request that was already sent.
///
/// ```
/// use std::time::Duration;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (client, id) = (support::in_process(), "lead-1".parse()?);
///
/// let lead = client.leads().get(&id).timeout(Duration::from_secs(2)).await?;
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
#[must_use = "calls do nothing unless awaited"]
pub struct Call<T> {
    context: Arc<ClientContext>,
    operation: Operation,
    prepared: Result<Prepared, InvalidRequest>,
    options: CallOptions,
    read: Read<T>,
}

/// A [`Call`] that also returns the metadata of the response.
#[must_use = "calls do nothing unless awaited"]
pub struct WithMeta<T>(Call<T>);

impl<T> Call<T> {
    pub(crate) fn new(
        context: &Arc<ClientContext>,
        operation: Operation,
        prepared: Result<Prepared, InvalidRequest>,
        read: Read<T>,
    ) -> Self {
        Self { context: context.clone(), operation, prepared, options: context.options, read }
    }

    /// Makes the call also return the response's metadata: status, headers, request id and number of attempts.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::LeadQuery;
    /// # support::run(async |client| {
    /// let (page, meta) = client.leads().list(&LeadQuery::new()).with_meta().await?;
    /// assert_eq!(meta.headers["content-type"], "application/json");
    /// # Ok(()) });
    /// ```
    pub fn with_meta(self) -> WithMeta<T> {
        WithMeta(self)
    }

    async fn run(self) -> Result<(T, ResponseMeta), Error> {
        let refused = |refusal| Error::new(self.operation, Cause::InvalidRequest(refusal));
        let prepared = self.prepared.map_err(refused)?;
        Attempts::new(&self.context, &prepared, self.options).run(self.read).await
    }
}

options! {
    Call<T>, T: options;
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
    type Output = Result<(T, ResponseMeta), Error>;
    type IntoFuture = CallFuture<(T, ResponseMeta)>;

    fn into_future(self) -> CallFuture<(T, ResponseMeta)> {
        Box::pin(self.0.run())
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

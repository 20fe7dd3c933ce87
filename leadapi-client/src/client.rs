//! The API client.

use std::{fmt, sync::Arc};

use leadapi_core::http::Operation;

use crate::{
    attempts::Read,
    call::Call,
    context::{CallOptions, ClientContext},
    request::{InvalidRequest, Prepared},
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
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
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

    /// Returns the context, which the conformance suite uses to send its own requests, including invalid ones.
    #[cfg(feature = "testkit")]
    pub(crate) fn context(&self) -> &ClientContext {
        &self.context
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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.context.origin.base.as_str()).finish_non_exhaustive()
    }
}

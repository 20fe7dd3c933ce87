//! The client: what all its clones share.

use std::{fmt, sync::Arc};

use leadapi_core::http::Operation;

use crate::{
    attempts::Read,
    call::Call,
    request::{Prepared, Refusal},
    shared::{Options, Shared},
};

/// A client of the API, for one token and so for one business.
///
/// It is cheap to clone, and clones share their connections, their pace and what their repetitions may cost.
///
/// ```
/// use leadapi_client::{Client, model::NewLead};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # futures_executor::block_on(async {
/// # let (service, token) = service();
/// let client = Client::builder("http://in-process/v1", token).in_process(service)?;
/// let lead = client.leads().create(&NewLead::new(&casa_verde(), "Élodie Martin").value(450)).await?;
/// assert_eq!(client.leads().get(&lead.id).await?, lead);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    /// What a call is made with that says nothing else.
    pub(crate) fn options(&self) -> Options {
        self.shared.options
    }

    /// For requests that no call makes, good ones and bad ones.
    #[cfg(feature = "testkit")]
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The one way to ask the service for something.
    pub(crate) fn call<T>(&self, operation: Operation, prepared: Result<Prepared, Refusal>, read: Read<T>) -> Call<T> {
        Call::new(&self.shared, operation, prepared, read)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.shared.origin.base.as_str()).finish_non_exhaustive()
    }
}

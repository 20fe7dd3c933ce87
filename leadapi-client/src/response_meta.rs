//! The metadata of a response.

use std::{num::NonZeroU32, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::response;

/// The metadata of a response, and its body as received.
///
/// ```
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (client, id) = (support::in_process(), "lead-1".parse()?);
/// let (lead, meta) = client.leads().get(&id).with_meta().await?;
/// assert_eq!((meta.status.as_u16(), meta.attempts.get()), (200, 1));
/// println!("{}: request {:?}, {:?}", lead.name, meta.request_id(), meta.elapsed);
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResponseMeta {
    /// The status code.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The number of attempts.
    pub attempts: NonZeroU32,
    /// The total duration of the call, including waits.
    pub elapsed: Duration,
    /// The body as received.
    pub body: Bytes,
}

impl ResponseMeta {
    /// Returns the `X-Request-Id` of the response, if any. It identifies the request in the service's logs.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, id) = (support::in_process(), "lead-1".parse().unwrap());
    /// let (_, meta) = client.leads().get(&id).with_meta().await?;
    /// println!("request {:?}", meta.request_id());
    /// # Ok::<(), leadapi_client::Error>(()) }).unwrap();
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        response::request_id(&self.headers)
    }

    /// Returns whether the service had already created the lead under the same key (contract D10).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # support::run(async |client| {
    /// # let (new, key) = (NewLead::new(&support::casa_verde(), "Øyvind"), IdempotencyKey::parse("import-7/row-12")?);
    /// client.leads().create(&new).idempotency_key(key.clone()).await?;
    /// let (_, meta) = client.leads().create(&new).idempotency_key(key).with_meta().await?;
    /// assert!(meta.is_replayed());
    /// # Ok(()) });
    /// ```
    pub fn is_replayed(&self) -> bool {
        response::is_replayed(&self.headers)
    }
}

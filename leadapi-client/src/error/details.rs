//! Accessors for the details of a failed call.

use std::time::Duration;

use http::StatusCode;
use leadapi_model::{http::Operation, model::IdempotencyKey};

use super::{Cause, Error};

impl Error {
    /// Returns the operation that failed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// println!("{:?} failed", error.operation());
    /// # assert_eq!(error.operation(), leadapi_client::Operation::CreateLead);
    /// ```
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// Returns the status of the response, if one was received.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(403);
    /// let was_forbidden = error.status().is_some_and(|status| status == 403);
    /// # assert!(was_forbidden);
    /// ```
    pub fn status(&self) -> Option<StatusCode> {
        self.response().map(|response| response.status)
    }

    /// Returns the service's error message. If the client rejected the request without sending it, returns the message
    /// that the service would have sent. For other failures, returns a description, or the beginning of an unexpected
    /// body, such as a proxy's error page.
    ///
    /// In text from a response, control characters are replaced. The text is truncated to 2,000 characters, or to 200
    /// if it is an unexpected body. A transport's error message is returned unchanged.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(400);
    /// assert_eq!(error.message(), "the service's error message");
    /// ```
    pub fn message(&self) -> String {
        match &self.0.cause {
            Cause::InvalidRequest(refusal) => refusal.to_string(),
            Cause::Transport(error) => error.to_string(),
            Cause::Response(response) => response.message.clone(),
            Cause::DeadlineExceeded { wait, refused } => {
                let limit = if *refused { "the service's rate limit" } else { "the client-side rate limit" };
                format!("timed out waiting for {limit}; the next request is allowed in {wait:?}")
            }
            Cause::InconsistentList(text) => text.clone(),
        }
    }

    /// Returns the `X-Request-Id` of the response, if any. It identifies the request in the service's logs.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// println!("please report request {:?} to the service's operators", error.request_id());
    /// # assert_eq!(error.request_id(), Some("0198-abc"));
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        self.response()?.request_id.as_deref()
    }

    /// Returns how long to wait before the next attempt, if known. Usually, the value is the response's `Retry-After`,
    /// capped at one day; [`ClientBuilder::max_retry_after`](crate::ClientBuilder::max_retry_after) does not cap it. If
    /// the call failed because the rate limit would have delayed it beyond its timeout, this method returns that delay.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(429);
    /// let wait = error.retry_after().unwrap_or_default();
    /// # assert_eq!(wait.as_secs(), 7);
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.cause {
            Cause::DeadlineExceeded { wait, .. } => Some(*wait),
            _ => self.response()?.retry_after,
        }
    }

    /// Returns how many attempts the call made.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(400);
    /// assert_eq!(error.attempts(), 1);
    /// ```
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns how long the call took, including its waits.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// println!("failed after {:?}", error.elapsed());
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// Returns the idempotency key of a failed create. Retrying the create with this key within 24 hours creates no
    /// second lead (contract D10). Returns `None` for other operations, for creates without a key, and for invalid
    /// creates that the client rejected without sending them.
    ///
    /// ```
    /// use leadapi_client::{Client, Outcome, model::NewLead, transport::{Transport, TransportError}};
    /// # use bytes::Bytes;
    /// # use http::{Request, Response};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    /// # struct Unplugged;
    /// # #[async_trait::async_trait]
    /// # impl Transport for Unplugged {
    /// #     async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
    /// #         Err(TransportError::maybe_sent("unplugged"))
    /// #     }
    /// # }
    /// # futures_executor::block_on(async {
    /// # let retry = leadapi_client::RetryPolicy::none();
    /// # let client = Client::builder("http://nowhere", "pak_0").retry(retry).transport(Unplugged).build()?;
    /// # let new = NewLead::new(&casa_verde(), "Øyvind");
    /// let error = client.leads().create(&new).await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::Unknown);
    /// // Store it, and send it again later with `.idempotency_key(key)`.
    /// let parked = (new, error.idempotency_key().cloned());
    /// # assert!(parked.1.is_some());
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.0.key.as_ref()
    }
}

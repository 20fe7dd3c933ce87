//! What is known of a call that failed.

use std::time::Duration;

use http::StatusCode;
use leadapi_core::{http::Operation, model::IdempotencyKey};

use super::{Cause, Error};

impl Error {
    /// The operation that failed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("{:?} failed", error.operation());
    /// # assert_eq!(error.operation(), leadapi_client::Operation::CreateLead);
    /// # });
    /// ```
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// The status of the answer, if there was one.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(403).await;
    /// let was_forbidden = error.status().is_some_and(|status| status == 403);
    /// # assert!(was_forbidden);
    /// # });
    /// ```
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// What is wrong: the service's own message, or the text that it would have answered to what was not sent; where
    /// there is neither, what else is known, such as the beginning of a proxy's page.
    ///
    /// In a text that came in an answer, control characters are replaced, and it is cut at 2,000 characters; what a
    /// transport says of its own failure is as the transport wrote it.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(400).await;
    /// assert_eq!(error.message(), "as the service said");
    /// # });
    /// ```
    pub fn message(&self) -> String {
        match &self.0.cause {
            Cause::Refusal(refusal) => refusal.to_string(),
            Cause::Transport(error) => error.to_string(),
            Cause::Answer(answer) => answer.message.clone(),
            Cause::Late { wait, refused } => {
                let limit = if *refused { "the service's rate limit" } else { "the client-side rate limit" };
                format!("timed out waiting for {limit}; the next turn is in {wait:?}")
            }
            Cause::Disordered(text) => text.clone(),
        }
    }

    /// The answer's `X-Request-Id`, by which the service's people find it in their logs.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("ask the service's people about request {:?}", error.request_id());
    /// # assert_eq!(error.request_id(), Some("0198-abc"));
    /// # });
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        self.answer()?.request_id.as_deref()
    }

    /// How long to wait before the next attempt, as far as it is known: what the answer asks for (`Retry-After`, read as
    /// a day at most, and not limited by [`ClientBuilder::max_retry_after`](crate::ClientBuilder::max_retry_after)), or, for a call that
    /// was not sent because its turn would have come too late, how long it would have waited for its turn.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(429).await;
    /// let wait = error.retry_after().unwrap_or_default();
    /// # assert_eq!(wait.as_secs(), 7);
    /// # });
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.cause {
            Cause::Late { wait, .. } => Some(*wait),
            _ => self.answer()?.retry_after,
        }
    }

    /// How many requests were sent, or tried to be.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(400).await;
    /// assert_eq!(error.attempts(), 1);
    /// # });
    /// ```
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// How long the call took, its waits included.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("given up after {:?}", error.elapsed());
    /// # });
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// The key of a create, under which it can be asked for again: within 24 hours there is one lead of it, however often
    /// and by whomever it is sent (contract D10). None when the create broke a rule, so that it never went.
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
    /// # let client = Client::builder("http://nowhere", "pak_0").retry(retry).transport(Unplugged)?;
    /// # let new = NewLead::new(&casa_verde(), "Øyvind");
    /// let error = client.leads().create(&new).await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::Unknown);
    /// // Kept until tomorrow, and then sent again with `.idempotency_key(key)`.
    /// let parked = (new, error.idempotency_key().cloned());
    /// # assert!(parked.1.is_some());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.0.key.as_ref()
    }
}

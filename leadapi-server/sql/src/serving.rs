//! What a server of a store needs: the service with everything that its servers share, and the work between requests.

use std::{convert::Infallible, pin::pin, time::Duration};

use futures_util::future::{Either, join, select};
use leadapi_core::{
    http::{LeadService, LeadServiceBuilder},
    port::StoreError,
    rate_limit::Limits,
    tokens::StoredTokens,
};
use tokio::time::{MissedTickBehavior, interval};

use super::{SqlStore, SqlStoreError};

/// The interval at which expired records are deleted and the times of the tokens' last uses are recorded.
const INTERVAL: Duration = Duration::from_secs(60);

impl SqlStore {
    /// Returns a builder for a service on this store, with its [`verifier`](Self::verifier), its
    /// [`rate_limiter`](Self::rate_limiter) and its [`clock`](Self::clock). A server calls it once, and also runs
    /// [`maintain`](Self::maintain).
    ///
    /// # Errors
    ///
    /// Returns an error if PostgreSQL cannot be reached.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn service(&self, limits: Limits) -> Result<LeadServiceBuilder, SqlStoreError> {
        let limiter = self.rate_limiter(limits).await?;
        Ok(LeadService::builder(self.clone(), self.verifier()).limiter(limiter).clock(self.clock()))
    }

    /// Returns a verifier of the tokens in this store. It caches them, and collects their uses for
    /// [`record_token_uses`](Self::record_token_uses). The store checks the token of each write again.
    pub fn verifier(&self) -> StoredTokens {
        StoredTokens::new(self.clone(), self.clock()).cached().checked_by_store().record_uses(self.token_uses.clone())
    }

    /// Does what a server of the store must do between requests, and completes with the reason when the storage
    /// [fails](Self::failed). The server must then stop.
    ///
    /// Once a minute, it [records](Self::record_token_uses) when tokens were last used and
    /// [deletes](Self::delete_expired) what has expired. It logs errors and continues.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn maintain(&self) -> String {
        let record_uses = every_minute(async || {
            if let Err(error) = self.record_token_uses().await {
                tracing::warn!(%error, "the uses of tokens could not be recorded");
            }
        });
        let delete_expired = every_minute(async || match self.delete_expired().await {
            Ok(false) => {}
            Ok(true) => tracing::debug!("expired idempotency keys were deleted"),
            Err(error) => tracing::warn!(%error, "expired records could not be deleted"),
        });
        // The two run side by side, so that neither delays the other. They are boxed, because together they are large.
        let work = Box::pin(join(record_uses, delete_expired));
        match select(pin!(self.failed()), work).await {
            Either::Left((cause, _)) => cause,
            Either::Right(((never, _), _)) => match never {},
        }
    }

    /// Records when tokens were last used, as the [`verifier`](Self::verifier) has collected it. A server calls it
    /// when it stops; [`maintain`](Self::maintain) calls it while the server runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails. The uses are then kept for the next call.
    pub async fn record_token_uses(&self) -> Result<(), StoreError> {
        self.token_uses.flush(self).await
    }
}

async fn every_minute(work: impl AsyncFn()) -> Infallible {
    let mut minutes = interval(INTERVAL);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        work().await;
    }
}

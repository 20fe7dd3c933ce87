//! Retries of transactions that failed and were not applied.

use std::time::Duration;

use uuid::Uuid;

use crate::error::SqlError;

/// The maximum number of retries of a transaction.
const MAX_RETRIES: u32 = 3;

impl SqlError {
    /// Returns whether a retry may succeed. A lost connection is transient, because a pooled connection may have died
    /// while it was idle.
    pub(super) const fn is_transient(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Retry(_))
    }
}

/// The number of times that a transaction has failed.
#[derive(Debug, Default)]
pub(super) struct Attempts(u32);

impl Attempts {
    /// Returns whether to retry. Before a retry, waits for a random delay, so that conflicting transactions are less
    /// likely to collide again.
    ///
    /// Retrying after a lost connection is safe, because the error is `Lost` only if no commit was sent.
    pub(super) async fn should_retry(&mut self, error: &SqlError) -> bool {
        self.0 += 1;
        if !error.is_transient() || self.0 > MAX_RETRIES {
            return false;
        }
        // The last bits of a version 7 UUID are random.
        let jitter = u64::try_from(Uuid::now_v7().as_u128() % 45).unwrap_or_default();
        tokio::time::sleep(Duration::from_millis(5 + jitter)).await;
        true
    }
}

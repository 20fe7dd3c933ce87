//! The retry policy of an import.

use leadapi_client::RetryPolicy;

/// Returns the retry policy of all calls. Eight attempts are enough to survive a server restart.
pub(crate) fn retry_policy() -> RetryPolicy {
    RetryPolicy::default().attempts(8)
}

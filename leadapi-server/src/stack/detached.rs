//! Writes that run to their end, and into the log, also when nobody waits for their answer any longer.

use std::panic::resume_unwind;

use tokio::task::JoinError;

/// Runs it to its end whatever becomes of this future.
pub(super) async fn detached<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(work).await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is ending, and this with it.
        Err(Err(_)) => std::future::pending().await,
    }
}

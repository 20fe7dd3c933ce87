//! The phases of a shutdown, and how it ended.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long a new connection may still send its first request: its client could not know that the server is stopping.
const FIRST_REQUEST_GRACE: Duration = Duration::from_secs(1);

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownOutcome {
    /// The server answered every request.
    Graceful,
    /// Requests were in flight, and the server cancelled them.
    Forced,
}

/// A server never goes back to an earlier phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShutdownPhase {
    Running,
    /// Still accepts requests, and announces that it will stop soon.
    Draining,
    /// Has stopped accepting connections, and closes those that are open.
    Stopping,
}

/// Observes the phase of a server.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown(watch::Receiver<ShutdownPhase>);

impl Shutdown {
    pub(crate) fn new() -> (watch::Sender<ShutdownPhase>, Self) {
        let (phase, shutdown) = watch::channel(ShutdownPhase::Running);
        (phase, Self(shutdown))
    }

    /// Returns whether the phase has never changed, which is cheaper to check than the phase itself.
    pub(crate) fn is_running(&self) -> bool {
        self.0.has_changed().is_ok_and(|has| !has)
    }

    pub(crate) fn has_reached(&self, phase: ShutdownPhase) -> bool {
        *self.0.borrow() >= phase
    }

    /// Waits until the server has reached the phase, or is gone.
    pub(crate) async fn reached(mut self, phase: ShutdownPhase) {
        drop(self.0.wait_for(|now| *now >= phase).await);
    }

    /// Waits until a connection that is accepted now must close because the server is stopping.
    pub(crate) fn ends_connection(self) -> impl Future<Output = ()> + Send {
        let accepted = Instant::now();
        async move {
            self.reached(ShutdownPhase::Stopping).await;
            sleep_until(accepted + FIRST_REQUEST_GRACE).await;
        }
    }
}

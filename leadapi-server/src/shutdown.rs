//! The stages in the shutdown of a server.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long a new connection may still send its first request: its client could not know that the server is stopping.
const NEW: Duration = Duration::from_secs(1);

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownOutcome {
    /// The server answered every request.
    Graceful,
    /// Requests were in flight, and the server cancelled them.
    Forced,
}

/// A stage in the shutdown of a server. A server never goes back to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShutdownPhase {
    /// Accepts requests.
    Running,
    /// Still accepts requests, but announces that it will stop soon.
    Draining,
    /// Has stopped accepting connections, and ends those that are open.
    Stopping,
}

/// Observes the stage of the server.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown(watch::Receiver<ShutdownPhase>);

impl Shutdown {
    pub(crate) fn new() -> (watch::Sender<ShutdownPhase>, Self) {
        let (stage, shutdown) = watch::channel(ShutdownPhase::Running);
        (stage, Self(shutdown))
    }

    /// Returns whether the stage has never changed, which is cheaper to check than the stage itself.
    pub(crate) fn is_running(&self) -> bool {
        self.0.has_changed().is_ok_and(|has| !has)
    }

    /// Returns whether the server has reached the stage.
    pub(crate) fn has_reached(&self, stage: ShutdownPhase) -> bool {
        *self.0.borrow() >= stage
    }

    /// Waits until the server has reached the stage. A server that is gone has reached every stage.
    pub(crate) async fn reached(mut self, stage: ShutdownPhase) {
        drop(self.0.wait_for(|now| *now >= stage).await);
    }

    /// Waits until a connection that is made now must end because the server stops.
    pub(crate) fn ends_connection(self) -> impl Future<Output = ()> + Send {
        let made = Instant::now();
        async move {
            self.reached(ShutdownPhase::Stopping).await;
            sleep_until(made + NEW).await;
        }
    }
}

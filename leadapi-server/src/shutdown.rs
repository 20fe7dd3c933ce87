//! Shutdown phases and the outcome of a shutdown.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

/// The time that a new connection has to send its first request during a shutdown. Its client could not know that the
/// server was stopping.
const FIRST_REQUEST_GRACE: Duration = Duration::from_secs(1);

/// The outcome of a shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownOutcome {
    /// No request was in flight when the shutdown ended.
    Graceful,
    /// Requests were still in flight when the shutdown ended. They are cancelled when the runtime shuts down.
    Forced,
}

/// The phases of a server, in order. A server never returns to an earlier phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShutdownPhase {
    Running,
    /// The server still accepts requests but announces that it will stop soon.
    Draining,
    /// The server has stopped accepting connections and is closing the open ones.
    Stopping,
}

/// A handle that observes the phase of a server and tracks its open connections.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown {
    phase: watch::Receiver<ShutdownPhase>,
    connections: TaskTracker,
}

impl Shutdown {
    pub(crate) fn new() -> (watch::Sender<ShutdownPhase>, Self) {
        let (phase, shutdown) = watch::channel(ShutdownPhase::Running);
        (phase, Self { phase: shutdown, connections: TaskTracker::new() })
    }

    /// Returns whether the server is still running. Checking for a change is cheaper than reading the phase.
    pub(crate) fn is_running(&self) -> bool {
        self.phase.has_changed().is_ok_and(|has| !has)
    }

    pub(crate) fn has_reached(&self, phase: ShutdownPhase) -> bool {
        *self.phase.borrow() >= phase
    }

    /// Waits until the server has reached the phase or has been dropped.
    pub(crate) async fn reached(mut self, phase: ShutdownPhase) {
        drop(self.phase.wait_for(|now| *now >= phase).await);
    }

    /// Returns a token for an open connection.
    pub(crate) fn track_connection(&self) -> TaskTrackerToken {
        self.connections.token()
    }

    /// Waits until the tokens of all connections have been dropped. Later connections are not waited for.
    pub(crate) async fn connections_ended(&self) {
        self.connections.close();
        self.connections.wait().await;
    }

    /// Returns a future that completes when a shutdown must close a connection that was accepted at the time of the
    /// call.
    pub(crate) fn ends_connection(self) -> impl Future<Output = ()> + Send {
        let accepted = Instant::now();
        async move {
            self.reached(ShutdownPhase::Stopping).await;
            sleep_until(accepted + FIRST_REQUEST_GRACE).await;
        }
    }
}

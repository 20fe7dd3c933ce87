//! How far a server is in its life.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// A connection that has just been made is let to say what it was made for: its client could not know that the server
/// stops.
const NEW: Duration = Duration::from_secs(1);

/// How far a server is in its life; it only ever goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It takes requests.
    Running,
    /// It still takes requests, but has said that it will not for long.
    Draining,
    /// It takes no connection any more, and ends those that it has.
    Stopping,
}

/// Sees how far the server is.
#[derive(Debug, Clone)]
pub(crate) struct Life(watch::Receiver<Stage>);

impl Life {
    pub(crate) fn new() -> (watch::Sender<Stage>, Self) {
        let (stage, life) = watch::channel(Stage::Running);
        (stage, Self(life))
    }

    /// Whether nothing has been said yet, which is quicker to ask than what was said last.
    pub(crate) fn is_running(&self) -> bool {
        self.0.has_changed().is_ok_and(|has| !has)
    }

    /// Whether the server has come so far.
    pub(crate) fn has_reached(&self, stage: Stage) -> bool {
        *self.0.borrow() >= stage
    }

    /// Waits until the server has come so far. One that is gone has.
    pub(crate) async fn reached(mut self, stage: Stage) {
        drop(self.0.wait_for(|now| *now >= stage).await);
    }

    /// Waits until a connection that is made now is to be brought to its end because the server stops.
    pub(crate) fn ends_connection(self) -> impl Future<Output = ()> + Send {
        let made = Instant::now();
        async move {
            self.reached(Stage::Stopping).await;
            sleep_until(made + NEW).await;
        }
    }
}

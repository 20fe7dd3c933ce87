//! How far a server is in its life.

use tokio::sync::watch;

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

    pub(crate) fn is(&self, stage: Stage) -> bool {
        *self.0.borrow() >= stage
    }

    /// Waits until the server has come so far. One that is gone has.
    pub(crate) async fn reached(mut self, stage: Stage) {
        drop(self.0.wait_for(|now| *now >= stage).await);
    }
}

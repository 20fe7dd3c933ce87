//! The signals that end a server.

use tokio::signal;

/// Ctrl-C, and SIGTERM where there is such a thing, which is caught from here on.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: Option<signal::unix::Signal>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: signal::unix::signal(signal::unix::SignalKind::terminate()).ok(),
        }
    }

    /// Waits for so many signals.
    pub(super) async fn count(mut self, wanted: usize) {
        for _ in 0..wanted {
            self.next().await;
        }
    }

    async fn next(&mut self) {
        let interrupt = async {
            // A system that cannot tell of Ctrl-C ends the server by other means.
            if signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        if let Some(terminate) = &mut self.terminate {
            tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        interrupt.await;
    }
}

//! The signals that stop a server.

use tokio::signal;

/// Catches Ctrl-C and, on Unix, SIGTERM. On Unix it catches them from its creation.
pub(super) struct Signals {
    #[cfg(unix)]
    unix: Option<(signal::unix::Signal, signal::unix::Signal)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Ctrl-C at a terminal.
    Interrupt,
    /// SIGTERM, usually from a service manager.
    Terminate,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            unix: {
                use signal::unix::{SignalKind, signal};
                signal(SignalKind::interrupt())
                    .and_then(|interrupt| Ok((interrupt, signal(SignalKind::terminate())?)))
                    .ok()
            },
        }
    }

    /// Waits for a signal.
    pub(super) async fn first(mut self) -> Signal {
        self.next().await
    }

    /// Waits for a second signal.
    pub(super) async fn second(mut self) {
        self.next().await;
        self.next().await;
    }

    async fn next(&mut self) -> Signal {
        // On Unix, signals since the creation count. Elsewhere Ctrl-C is caught only once this waits for it.
        #[cfg(unix)]
        if let Some((interrupt, terminate)) = &mut self.unix {
            return tokio::select! {
                _ = interrupt.recv() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
            };
        }
        // If Ctrl-C cannot be caught, other means must end the server.
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

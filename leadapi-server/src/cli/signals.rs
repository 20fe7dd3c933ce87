//! The signals that end a server.

use tokio::signal;

/// Ctrl-C, and SIGTERM where there is such a thing, which is caught from here on.
pub(super) struct Signals {
    #[cfg(unix)]
    unix: Option<(signal::unix::Signal, signal::unix::Signal)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Somebody at a terminal.
    Interrupt,
    /// What runs the server.
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

    /// Waits for a second one.
    pub(super) async fn second(mut self) {
        self.next().await;
        self.next().await;
    }

    async fn next(&mut self) -> Signal {
        // From when it was made on; what Ctrl-C is everywhere else is caught only once it is waited for.
        #[cfg(unix)]
        if let Some((interrupt, terminate)) = &mut self.unix {
            return tokio::select! {
                _ = interrupt.recv() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
            };
        }
        // A system that cannot tell of Ctrl-C ends the server by other means.
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

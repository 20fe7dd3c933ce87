//! The signals that stop a process.

use tokio::signal;

/// A listener for Ctrl-C and, on Unix, SIGTERM. On Unix, it starts to catch signals when it is created.
pub(super) struct Signals {
    #[cfg(unix)]
    unix: Option<(signal::unix::Signal, signal::unix::Signal)>,
}

/// Makes a write beyond the file size limit of the process (`ulimit -f`) fail with an error, as on a full disk. By
/// default, the signal SIGXFSZ would end the process.
#[cfg(unix)]
pub(super) fn ignore_file_size_signal() {
    use signal::unix::{SignalKind, signal};
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // The handler stays installed after the stream is dropped. If it cannot be installed, SIGXFSZ still ends the
    // process.
    signal(kind).map(drop).unwrap_or_default();
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

    /// Waits for the first signal.
    pub(super) async fn first(mut self) -> Signal {
        self.next().await
    }

    /// Waits for the second signal.
    pub(super) async fn second(mut self) {
        self.next().await;
        self.next().await;
    }

    async fn next(&mut self) -> Signal {
        // On Unix, this includes signals received since creation. On other systems, Ctrl-C is caught only during the
        // wait.
        #[cfg(unix)]
        if let Some((interrupt, terminate)) = &mut self.unix {
            return tokio::select! {
                _ = interrupt.recv() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
            };
        }
        // If Ctrl-C cannot be caught, the server must be stopped by other means.
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

//! Checks the files of a served database periodically.

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{error::OpenError, health::Health};

/// The interval between checks. A check also runs after each commit.
const INTERVAL: Duration = Duration::from_secs(1);

/// A handle to the thread that checks the files every second. Dropping the handle stops the thread.
#[derive(Debug)]
pub(super) struct Watch {
    _stop: Sender<()>,
}

impl Watch {
    pub(super) fn start(health: Arc<Health>) -> Result<Self, OpenError> {
        let (stop, stopped) = channel();
        let watch = move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if health.confirm().is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("leadapi-sqlite-watch".into()).spawn(watch).map_err(OpenError::Thread)?;
        Ok(Self { _stop: stop })
    }
}

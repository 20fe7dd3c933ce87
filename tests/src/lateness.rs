//! A measure of how busy the machine is, for tests of promises about durations.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{task::JoinHandle, time::sleep};

/// The interval between measurements. A timer that fires less than one interval late counts as on time.
const INTERVAL: Duration = Duration::from_millis(10);

/// The total delay of timers since the start of the measurement. It stays zero on an idle machine.
#[derive(Debug)]
pub struct Lateness {
    micros: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Lateness {
    /// Starts the measurement, which runs on the current runtime until the value is dropped.
    pub fn measure() -> Self {
        let micros = Arc::new(AtomicU64::new(0));
        let sum = micros.clone();
        let task = tokio::spawn(async move {
            loop {
                let begun = Instant::now();
                sleep(INTERVAL).await;
                let late = begun.elapsed().saturating_sub(2 * INTERVAL).as_micros();
                sum.fetch_add(late.try_into().unwrap(), Ordering::Relaxed);
            }
        });
        Self { micros, task }
    }

    /// Returns the additional time that a process may take, because it competes with other programs for the same
    /// processors.
    pub fn tolerance(&self) -> Duration {
        3 * Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

impl Drop for Lateness {
    fn drop(&mut self) {
        self.task.abort();
    }
}

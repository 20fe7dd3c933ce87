//! A wall clock for a Redis server, set by the test.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The wall clock of one server.
#[derive(Debug)]
pub struct Clock {
    file: File,
    path: PathBuf,
}

impl Clock {
    /// The time that corresponds to [`Duration::ZERO`]. It is not 1970, because 0 in the clock file means that the
    /// clock is not set.
    const START: Duration = Duration::from_secs(1_750_000_000);

    pub(super) fn new(folder: &Path) -> Self {
        let path = folder.join("clock");
        let clock = Self { file: File::create(&path).unwrap(), path };
        clock.set(Duration::ZERO);
        clock
    }

    /// Sets the clock to a fixed start time plus `time`. The clock may go forwards or backwards.
    ///
    /// # Panics
    ///
    /// Panics if the clock's file cannot be written.
    pub fn set(&self, time: Duration) {
        let micros = i64::try_from((Self::START + time).as_micros()).unwrap();
        self.file.write_all_at(&micros.to_ne_bytes(), 0).unwrap();
    }

    /// Makes a process use this clock.
    pub(super) fn command(&self, command: &mut Command) {
        command.env("LD_PRELOAD", env!("LEADAPI_TEST_CLOCK_SHIM")).env("LEADAPI_TEST_CLOCK", &self.path);
    }
}

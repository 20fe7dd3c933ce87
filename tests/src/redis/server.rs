//! A private Redis process with its directory and port.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use crate::{
    free_port,
    processes::{any_runs, signal},
    wait_until,
    watchdog::Watchdog,
};

/// Kills the server and removes its directory.
const CLEANUP: &str = include_str!("cleanup.sh");

/// The log messages by which a server or a Sentinel announces that it is ready.
const SERVES: [&str; 2] = ["Ready to accept connections", "Sentinel ID is"];

/// A Redis or Sentinel process and its directory. They are removed when this value is dropped or the test process
/// exits.
#[derive(Debug)]
pub(super) struct Server {
    program: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) port: u16,
    process: Option<Child>,
    watchdog: Watchdog,
}

impl Server {
    /// Creates a directory and chooses a free port, without starting a process.
    pub(super) fn new(program: PathBuf) -> Self {
        let folder = tempfile::Builder::new().prefix("leadapi-redis-").tempdir().unwrap();
        let watchdog = Watchdog::start(Command::new("sh"), CLEANUP, &[folder.path().as_os_str()]).unwrap();
        Self { program, folder: folder.keep(), port: free_port(), process: None, watchdog }
    }

    /// Starts the process and waits until it is ready. Calls `arguments` with the port, which changes if another
    /// process takes that port.
    ///
    /// # Panics
    ///
    /// Panics if the process does not start.
    pub(super) fn run(&mut self, arguments: impl Fn(u16) -> Vec<String>, prepare: impl Fn(&mut Command)) {
        for _ in 0..10 {
            if self.start(&arguments(self.port), &prepare) {
                return;
            }
            self.port = free_port();
        }
        panic!("Redis does not start: {}", self.log());
    }

    fn start(&mut self, arguments: &[String], prepare: impl Fn(&mut Command)) -> bool {
        let mut command = Command::new(&self.program);
        // The process gets its own process group, so Ctrl-C in the terminal does not reach it.
        command.args(arguments).current_dir(&self.folder).process_group(0);
        prepare(&mut command);
        let log = File::create(self.folder.join("log")).unwrap();
        let mut process = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        self.watchdog.watch(Some(process.id()));
        let mut has_ended = false;
        wait_until("Redis is ready", || {
            has_ended = process.try_wait().unwrap().is_some();
            has_ended || SERVES.iter().any(|text| self.log().contains(text))
        });
        self.process = Some(process);
        if has_ended {
            self.reap();
        }
        !has_ended
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Kills the process, which resets its connections.
    pub(super) fn kill(&mut self) {
        let id = self.id();
        signal("KILL", id.as_slice());
        self.reap();
        assert!(!any_runs(id.as_slice()));
    }

    /// Suspends the process. Its connections stay open but get no answers.
    pub(super) fn pause(&self) {
        signal("STOP", self.id().as_slice());
    }

    pub(super) fn resume(&self) {
        signal("CONT", self.id().as_slice());
    }

    fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    fn reap(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
            self.watchdog.watch(None);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.watchdog.clean_up();
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
    }
}

//! A private PostgreSQL server: a directory, a port and a process.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use super::programs::{self, Account};
use crate::{
    fake_clock::with_clock_from,
    free_port,
    processes::{any_runs, children, signal},
    wait_until,
    watchdog::Watchdog,
};

/// Shuts the server down and removes its directory.
const CLEANUP: &str = include_str!("cleanup.sh");

/// The locales for the databases, in order of preference. `C.UTF-8` and `C` come last, because only a linguistic
/// collation reveals a query that wrongly relies on the default order.
const LOCALES: [&[&str]; 4] = [
    &["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    &["--locale=en_US.UTF-8"],
    &["--locale=C.UTF-8"],
    &["--locale=C"],
];

/// Settings that suit many parallel tests on a small machine. The time zone and date format are unusual, because no SQL
/// may depend on them. Dynamic shared memory is in files in the server's directory, so removing the directory removes
/// the shared memory too.
const SETTINGS: [&str; 9] = [
    "max_connections=200",
    "shared_buffers=16MB",
    "dynamic_shared_memory_type=mmap",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
    "timezone=<+0545>-05:45",
    "datestyle=German",
    "fsync=off",
    "logging_collector=off",
];

/// A server that is removed when this value is dropped or the test process exits.
#[derive(Debug)]
pub(super) struct Server {
    programs: PathBuf,
    account: Account,
    folder: PathBuf,
    settings: Vec<String>,
    /// The library that makes the server read its clock from a file, or `None` if the server uses the real clock.
    fake_clock: Option<PathBuf>,
    port: u16,
    process: Option<Child>,
    watchdog: Watchdog,
}

impl Server {
    /// Starts an empty server with `files` in its directory, and with `settings` in addition to the defaults. Returns
    /// `None` if PostgreSQL is not installed.
    pub(super) fn start(files: &[(&str, &str)], settings: &[String], fake_clock: Option<PathBuf>) -> Option<Self> {
        let programs = programs::find()?;
        let folder = tempfile::Builder::new().prefix("leadapi-postgres-").tempdir().unwrap();
        let account = Account::for_owner(&folder.path().metadata().unwrap());
        account.own(folder.path());
        let watchdog = Watchdog::start(account.command("sh"), CLEANUP, &[folder.path().as_os_str()]).unwrap();
        let folder = folder.keep();
        let settings = SETTINGS.map(String::from).into_iter().chain(settings.iter().cloned()).collect();
        let mut server = Self { programs, account, folder, settings, fake_clock, port: 0, process: None, watchdog };
        server.initialize();
        server.set_clock("+0");
        for (name, text) in files {
            server.write(name, text);
        }
        server.run_on_a_free_port();
        Some(server)
    }

    /// Returns the address on which the server listens.
    pub(super) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Returns the path of a file in the server's directory.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Sets the clock of a server that reads it from a file.
    pub(super) fn set_clock(&self, offset: &str) {
        self.write("new-clock", offset);
        // Replaces the file with a rename, because the server may read the file at any time and must not find it empty.
        fs::rename(self.file("new-clock"), self.file("clock")).unwrap();
    }

    /// Kills all of the server's processes, so they stop writing immediately.
    pub(super) fn kill(&mut self) {
        let all = self.pause();
        signal("KILL", &all);
        self.reap();
        wait_until("all processes of the server exit", || !any_runs(&all));
    }

    /// Shuts the server down in fast mode (SIGINT), which terminates its sessions.
    pub(super) fn stop(&mut self) {
        self.resume();
        signal("INT", self.id().as_slice());
        self.reap();
    }

    /// Suspends all of the server's processes (SIGSTOP), and returns their ids.
    pub(super) fn pause(&mut self) -> Vec<u32> {
        // The parent is suspended first, so it cannot fork another child after its children are listed.
        let mut all = Vec::from_iter(self.id());
        signal("STOP", &all);
        all.extend(self.id().map(children).unwrap_or_default());
        signal("STOP", &all);
        all
    }

    /// Resumes all of the server's processes (SIGCONT).
    pub(super) fn resume(&mut self) {
        let mut all = self.id().map(children).unwrap_or_default();
        all.extend(self.id());
        signal("CONT", &all);
    }

    /// Restarts the server on the same data and port.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
    pub(super) fn start_again(&mut self) {
        // An outgoing connection of another process may briefly occupy the port, so the start is retried.
        wait_until("PostgreSQL starts again", || self.run());
    }

    fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    fn initialize(&self) {
        let mut output_text = String::new();
        for locale in LOCALES {
            let mut initdb = self.account.command(self.programs.join("initdb"));
            initdb.args(["-A", "trust", "-E", "UTF8", "-U", "postgres", "--no-sync"]).args(locale);
            let output = initdb.arg("-D").arg(self.data()).output().unwrap();
            if output.status.success() {
                return;
            }
            output_text += &String::from_utf8_lossy(&output.stderr);
        }
        panic!("initdb failed: {output_text}");
    }

    /// Writes a file that only the server may read, as PostgreSQL requires for private keys.
    pub(super) fn write(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::write(self.file(name), text).unwrap();
        fs::set_permissions(self.file(name), fs::Permissions::from_mode(0o600)).unwrap();
        self.account.own(&self.file(name));
    }

    fn run_on_a_free_port(&mut self) {
        let mut log = String::new();
        for _ in 0..10 {
            self.port = free_port();
            match self.run() {
                Ok(()) => return,
                Err(text) => log = text,
            }
        }
        panic!("PostgreSQL does not start: {log}");
    }

    /// Starts the process and waits until it accepts connections. If the process exits, returns its log as the error.
    fn run(&mut self) -> Result<(), String> {
        // The shell waits for an input line before it execs the server, so the watchdog already knows the process id.
        let mut shell = self.account.command("sh");
        shell.args(["-c", r#"read -r _ && exec "$0" "$@" </dev/null"#]);
        shell.arg(self.programs.join("postgres")).arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        shell.args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        if let Some(library) = &self.fake_clock {
            with_clock_from(&mut shell, library, &self.file("clock"));
        }
        let log = File::create(self.file("log")).unwrap();
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let mut process = shell.spawn().unwrap();
        self.watchdog.watch(Some(process.id()));
        let mut word = process.stdin.take().unwrap();
        std::io::Write::write_all(&mut word, b"go\n").unwrap();
        drop(word);
        let id = process.id();
        let process = self.process.insert(process);
        let lock = self.folder.join("data/postmaster.pid");
        let mut ended = false;
        wait_until("PostgreSQL accepts connections", || {
            ended = process.try_wait().unwrap().is_some();
            ended || serves(&lock, id)
        });
        if ended {
            self.reap();
            return Err(fs::read_to_string(self.file("log")).unwrap_or_default());
        }
        Ok(())
    }

    /// Waits until the process has exited, and then forgets its id. The watchdog forgets it too.
    fn reap(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
            self.watchdog.watch(None);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
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

/// Returns whether the lock file states that this process accepts connections. A connection attempt would not prove
/// that, because another process may listen on the port.
fn serves(lock: &Path, id: u32) -> bool {
    let text = fs::read_to_string(lock).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.first() == Some(&id.to_string().as_str()) && matches!(lines.get(7), Some(&("ready" | "standby")))
}

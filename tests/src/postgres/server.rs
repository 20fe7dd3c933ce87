//! A private PostgreSQL server: a directory, a port and a process.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use super::{
    programs::{self, Account},
    watchdog::Watchdog,
};
use crate::processes::{any_runs, children, signal, wait_until};

/// Locales for the databases; the first that the machine supports is used. `C.UTF-8` and `C` come last: only under a
/// linguistic collation does a query that wrongly relies on the default order of the database give another result.
const LOCALES: [&[&str]; 4] = [
    &["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    &["--locale=en_US.UTF-8"],
    &["--locale=C.UTF-8"],
    &["--locale=C"],
];

/// Enough connections for parallel tests, and little memory. No SQL may depend on the time zone or on the date
/// format, so both have unusual values. Dynamic shared memory consists of files in the directory, so it is removed
/// with it.
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

/// A server that is removed when the test process ends.
#[derive(Debug)]
pub(super) struct Server {
    programs: PathBuf,
    account: Account,
    folder: PathBuf,
    settings: Vec<String>,
    port: u16,
    process: Option<Child>,
    watchdog: Watchdog,
}

impl Server {
    /// Starts an empty server, with these files in its directory and these settings in addition to the default ones.
    /// Returns `None` if PostgreSQL is not installed.
    pub(super) fn start(files: &[(&str, &str)], settings: &[String]) -> Option<Self> {
        let programs = programs::find()?;
        let folder = tempfile::Builder::new().prefix("leadapi-postgres-").tempdir().unwrap();
        let account = Account::for_owner(&folder.path().metadata().unwrap());
        account.own(folder.path());
        let watchdog = Watchdog::over(folder.path(), account);
        let folder = folder.keep();
        let settings = SETTINGS.map(String::from).into_iter().chain(settings.iter().cloned()).collect();
        let mut server = Self { programs, account, folder, settings, port: 0, process: None, watchdog };
        server.initialize();
        for (name, text) in files {
            server.write(name, text);
        }
        server.run_on_a_free_port();
        Some(server)
    }

    /// The address on which the server listens.
    pub(super) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The path of a file in the directory of the server.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Kills all processes of the server, as in a crash, without a chance to write anything.
    pub(super) fn kill(&mut self) {
        let all = self.pause();
        signal("KILL", &all);
        self.reap();
        wait_until("the end of all processes of the server", || !any_runs(&all));
    }

    /// Shuts the server down in fast mode (SIGINT), which ends its sessions.
    pub(super) fn stop(&mut self) {
        self.resume();
        signal("INT", self.id().as_slice());
        self.reap();
    }

    /// Suspends all processes of the server (SIGSTOP), and returns their ids.
    pub(super) fn pause(&mut self) -> Vec<u32> {
        // The parent is suspended first, so that it cannot fork another child before the children are listed.
        let mut all = Vec::from_iter(self.id());
        signal("STOP", &all);
        all.extend(self.id().map(children).unwrap_or_default());
        signal("STOP", &all);
        all
    }

    /// Resumes all processes of the server (SIGCONT).
    pub(super) fn resume(&mut self) {
        let mut all = self.id().map(children).unwrap_or_default();
        all.extend(self.id());
        signal("CONT", &all);
    }

    /// Starts the server again on the same data and the same port.
    ///
    /// # Panics
    ///
    /// If it does not start within a minute.
    pub(super) fn start_again(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        // Another process may briefly use the port as the local port of an outgoing connection.
        while let Err(log) = self.run() {
            assert!(Instant::now() < deadline, "PostgreSQL does not start again: {log}");
        }
    }

    fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    fn initialize(&self) {
        let mut said = String::new();
        for locale in LOCALES {
            let mut initdb = self.account.command(self.programs.join("initdb"));
            initdb.args(["-A", "trust", "-E", "UTF8", "-U", "postgres", "--no-sync"]).args(locale);
            let output = initdb.arg("-D").arg(self.data()).output().unwrap();
            if output.status.success() {
                return;
            }
            said += &String::from_utf8_lossy(&output.stderr);
        }
        panic!("initdb made no database: {said}");
    }

    /// Writes a file that only the server may read. PostgreSQL requires this of its private keys.
    pub(super) fn write(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::write(self.file(name), text).unwrap();
        fs::set_permissions(self.file(name), fs::Permissions::from_mode(0o600)).unwrap();
        self.account.own(&self.file(name));
    }

    fn run_on_a_free_port(&mut self) {
        let mut log = String::new();
        for _ in 0..10 {
            // The probe releases the port at the end of this line, so another process may take it first.
            self.port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
            match self.run() {
                Ok(()) => return,
                Err(said) => log = said,
            }
        }
        panic!("PostgreSQL does not start: {log}");
    }

    /// Starts the process and waits until it accepts connections. If the process ends, returns its log as the error.
    fn run(&mut self) -> Result<(), String> {
        // The shell waits for a line before it becomes the server, so the watchdog already knows the process id.
        let mut shell = self.account.command("sh");
        shell.args(["-c", r#"read -r _ && exec "$0" "$@" </dev/null"#]);
        shell.arg(self.programs.join("postgres")).arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        shell.args(self.settings.iter().flat_map(|setting| ["-c", setting]));
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
        wait_until("a PostgreSQL that serves", || {
            ended = process.try_wait().unwrap().is_some();
            ended || serves(&lock, id)
        });
        if ended {
            self.reap();
            return Err(fs::read_to_string(self.file("log")).unwrap_or_default());
        }
        Ok(())
    }

    /// Waits until the process has ended, and then clears it, also in the watchdog.
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
        self.watchdog.kill();
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
    }
}

/// Whether the lock file says that this process accepts connections. Connecting to the port would prove nothing,
/// because another process may listen there.
fn serves(lock: &Path, id: u32) -> bool {
    let text = fs::read_to_string(lock).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.first() == Some(&id.to_string().as_str()) && matches!(lines.get(7), Some(&("ready" | "standby")))
}

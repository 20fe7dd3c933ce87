//! A separate network for each cluster. The hosts are network namespaces, and a bridge connects them to each other and
//! to this machine.

use std::{
    io,
    net::Ipv4Addr,
    os::unix::process::CommandExt,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use crate::{postgres::Account, processes::signal, watchdog::Watchdog};

/// The number of networks that can exist at once: the /24 subnets of 198.18.0.0/15, a range reserved for network tests.
const NETWORKS: u32 = 512;
/// The range 198.18.0.0/15.
const RANGE: u32 = u32::from_be_bytes([198, 18, 0, 0]);
/// The last octet of this machine's address.
const GATEWAY: u8 = 254;

/// Kills all processes in a network, and removes the network and its files.
const CLEANUP: &str = include_str!("cleanup.sh");

/// A bridge with hosts. It is removed when this value is dropped or the test process exits.
#[derive(Debug)]
pub(super) struct Network {
    nth: u32,
    bridge: String,
    watchdog: Watchdog,
}

impl Network {
    /// Creates an empty network. Removing the network also removes `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if this process may not create networks, or if all test networks are in use.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let begin = std::process::id();
        for nth in (0..NETWORKS).map(|nth| (begin + nth) % NETWORKS) {
            let bridge = format!("lap{nth}");
            // Creating a second bridge with the same name fails, so each run gets its own network.
            match ip(&["link", "add", &bridge, "type", "bridge"]) {
                Ok(()) => {}
                Err(error) if error.to_string().contains("File exists") => continue,
                Err(error) => return Err(error),
            }
            let arguments = [bridge.as_ref(), folder.as_os_str()];
            let watchdog = Watchdog::start(Command::new("sh"), CLEANUP, &arguments)?;
            let network = Self { nth, bridge, watchdog };
            ip(&["address", "add", &format!("{}/24", network.address(GATEWAY)), "dev", &network.bridge])?;
            ip(&["link", "set", &network.bridge, "up"])?;
            return Ok(network);
        }
        Err(io::Error::other("all test networks are in use"))
    }

    /// Adds a host. `nth` is the last octet of its address.
    ///
    /// # Errors
    ///
    /// Returns an error if this process may not create network namespaces.
    pub(super) fn add_host(&self, nth: u8) -> io::Result<Host> {
        let namespace = format!("{}h{nth}", self.bridge);
        let link = format!("{}v{nth}", self.bridge);
        let address = self.address(nth);
        ip(&["netns", "add", &namespace])?;
        ip(&["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &namespace])?;
        ip(&["-n", &namespace, "address", "add", &format!("{address}/24"), "dev", "eth0"])?;
        ip(&["-n", &namespace, "link", "set", "eth0", "up"])?;
        ip(&["-n", &namespace, "link", "set", "lo", "up"])?;
        ip(&["link", "set", &link, "master", &self.bridge, "up"])?;
        Ok(Host { namespace, link, address })
    }

    fn address(&self, nth: u8) -> Ipv4Addr {
        Ipv4Addr::from(RANGE + self.nth * 256 + u32::from(nth))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.watchdog.clean_up();
    }
}

/// A host with one address.
#[derive(Debug)]
pub(super) struct Host {
    namespace: String,
    /// This machine's end of the veth pair.
    link: String,
    pub(super) address: Ipv4Addr,
}

impl Host {
    /// Returns a command that runs the program on the host as the account's user. The process id is the program's,
    /// because `nsenter` execs it.
    pub(super) fn command(&self, account: Account, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.process_group(0).env("LC_ALL", "C").current_dir("/");
        command.arg(format!("--net=/run/netns/{}", self.namespace));
        if let Some((user, group)) = account.ids() {
            command.args(["--setuid", &user.to_string(), "--setgid", &group.to_string()]);
        }
        command.arg("--").arg(program);
        command
    }

    /// Kills all processes on the host (SIGKILL).
    pub(super) fn kill(&self) {
        self.signal_until("KILL", |_, now| now.is_empty());
    }

    /// Suspends all processes on the host (SIGSTOP). Its kernel still accepts TCP connections.
    pub(super) fn freeze(&self) {
        // A process may fork before it stops, so the signal is repeated until no new processes appear.
        self.signal_until("STOP", |before, now| before == now);
    }

    /// Resumes all processes on the host (SIGCONT).
    pub(super) fn thaw(&self) {
        signal("CONT", &self.processes());
    }

    /// Disconnects the host from the network. Its connections stay open, but packets no longer get through.
    pub(super) fn disconnect(&self) {
        ip(&["link", "set", &self.link, "down"]).unwrap();
    }

    /// Connects the host to the network again.
    pub(super) fn connect(&self) {
        ip(&["link", "set", &self.link, "up"]).unwrap();
    }

    fn signal_until(&self, name: &str, done: impl Fn(&[u32], &[u32]) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut before = Vec::new();
        loop {
            let now = self.processes();
            if done(&before, &now) {
                return;
            }
            assert!(Instant::now() < deadline, "SIG{name} did not reach all processes: {now:?}");
            signal(name, &now);
            before = now;
        }
    }

    fn processes(&self) -> Vec<u32> {
        let output = Command::new("ip").args(["netns", "pids", &self.namespace]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().map(|id| id.parse().unwrap()).collect()
    }
}

fn ip(arguments: &[&str]) -> io::Result<()> {
    let output = Command::new("ip").args(arguments).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim())))
}

//! Pebble, an ACME server for tests. Like a public CA, it validates each domain. All domains resolve to 127.0.0.1.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    net::{Ipv4Addr, TcpStream},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Once,
};

use serde_json::json;

use crate::{
    free_port,
    tls::{Ca, Identity},
    wait_until,
    watchdog::Watchdog,
};

const MISSING: &str = "Pebble was not found: tests that need it are skipped; install the package pebble";
const CLEANUP: &str = include_str!("cleanup.sh");

/// A domain for which Pebble refuses every order.
pub const REFUSED_DOMAIN: &str = "refused.example.org";

/// A running Pebble and its DNS server. They are removed when this value is dropped or the test process exits.
#[derive(Debug)]
pub struct Pebble {
    port: u16,
    folder: PathBuf,
    ca: Ca,
    programs: Vec<Child>,
    watchdog: Watchdog,
}

impl Pebble {
    /// Starts Pebble, which validates each domain on `tls_port`. Its certificates are valid for `validity` seconds.
    /// Returns `None` if Pebble is not installed, so a test begins with `let Some(pebble) = Pebble::start(…) else {
    /// return };`.
    ///
    /// # Panics
    ///
    /// Panics if Pebble does not start, or if it is not installed and `LEADAPI_REQUIRE_PEBBLE` is 1.
    pub fn start(tls_port: u16, validity: u32) -> Option<Self> {
        let [pebble, dns] = ["pebble", "pebble-challtestsrv"].map(find);
        let (pebble, dns) = (pebble?, dns?);
        let folder = tempfile::Builder::new().prefix("leadapi-pebble-").tempdir().unwrap();
        let watchdog = Watchdog::start(Command::new("sh"), CLEANUP, &[folder.path().as_os_str()]).unwrap();
        let identity = Identity::new();
        for (name, text) in identity.files() {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let [port, dns_port] = [free_port(), free_port()];
        let (port, ca) = (port, identity.write_ca());
        let config = json!({"pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "certificate": "server.crt",
            "privateKey": "server.key",
            "tlsPort": tls_port,
            "domainBlocklist": [REFUSED_DOMAIN],
            "certificateValidityPeriod": validity,
        }});
        fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        let mut this = Self { port, folder: folder.keep(), ca, programs: Vec::new(), watchdog };
        let dns_address = format!("127.0.0.1:{dns_port}");
        let none = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", ""];
        let management = format!("127.0.0.1:{}", free_port());
        this.run(Command::new(dns).args(none).args(["-dns01", &dns_address, "-management", &management]), "dns.log");
        let mut command = Command::new(pebble);
        // By default, Pebble pauses before each validation, rejects some valid nonces and reuses some authorizations.
        command.env("PEBBLE_VA_NOSLEEP", "1").env("PEBBLE_WFE_NONCEREJECT", "0").env("PEBBLE_AUTHZREUSE", "0");
        this.run(command.args(["-config", "config.json", "-dnsserver", &dns_address]), "log");
        wait_until("Pebble listens", || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        Some(this)
    }

    fn run(&mut self, command: &mut Command, log: &str) {
        let log = File::create(self.folder.join(log)).unwrap();
        command.current_dir(&self.folder).process_group(0);
        let command = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let program = command.spawn().unwrap();
        self.watchdog.watch(Some(program.id()));
        self.programs.push(program);
    }

    /// Returns the URL of the directory.
    pub fn directory(&self) -> String {
        format!("https://localhost:{}/dir", self.port)
    }

    /// Returns the path of a PEM file with the root certificate that signed the directory's certificate.
    pub fn root(&self) -> &Path {
        &self.ca.root
    }

    /// Returns everything that Pebble has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// Returns the number of certificates that Pebble has issued.
    pub fn issued(&self) -> usize {
        self.log().matches("Issued certificate serial").count()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.watchdog.clean_up();
        for program in &mut self.programs {
            program.wait().unwrap();
        }
    }
}

fn find(name: &str) -> Option<PathBuf> {
    static REPORTED: Once = Once::new();
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
    if found.is_none() {
        assert!(env::var_os("LEADAPI_REQUIRE_PEBBLE").is_none_or(|required| required != "1"), "{MISSING}");
        // The test harness captures `eprintln!` and hides its output if the test passes.
        REPORTED.call_once(|| io::stderr().write_all(format!("{MISSING}\n").as_bytes()).unwrap());
    }
    found
}

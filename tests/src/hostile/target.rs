//! The process under attack, and its state as seen from outside.

use std::{
    collections::HashMap,
    fs,
    io::Read,
    net::SocketAddr,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs, pki_types::CertificateDer};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::{ServerProcess, TIMEOUT, secret};

/// The number of leads in the server's store: exactly one full page.
const LEADS: usize = 200;

/// A server process and its log.
#[derive(Debug)]
pub struct Target {
    process: ServerProcess,
    /// The address on which the server listens.
    pub address: SocketAddr,
    /// The address of the operator listener, if it has one.
    pub operator: Option<SocketAddr>,
    /// The address of the API settings, if the server has them.
    pub settings: Option<SocketAddr>,
    /// The address of the MCP server, if there is one.
    pub mcp: Option<SocketAddr>,
    /// A client configuration that trusts the server's certificate, if it uses TLS.
    pub tls: Option<Arc<ClientConfig>>,
    token: String,
    log: Option<JoinHandle<String>>,
    _folder: TempDir,
}

impl Target {
    /// Starts the program with `serve` and these options, optionally with TLS and a limit on file descriptors.
    pub fn start(program: &Path, options: &[String], with_tls: bool, descriptors: Option<usize>) -> Self {
        Self::serving(&json!({"name": "N".repeat(100)}), program, options, with_tls, descriptors)
    }

    /// Starts the program like [`Target::start`], with leads of the maximum size. A page of such leads takes about 480
    /// kB.
    pub fn with_large_leads(program: &Path, options: &[String]) -> Self {
        let wide = |characters| "\u{1f4c7}".repeat(characters);
        let lead = json!({
            "name": wide(200), "source": wide(100), "phone": format!("123{}", wide(47)),
            "email": format!("{}@{}.example", wide(64), wide(181)),
        });
        Self::serving(&lead, program, options, false, None)
    }

    fn serving(
        lead: &serde_json::Value,
        program: &Path,
        options: &[String],
        with_tls: bool,
        descriptors: Option<usize>,
    ) -> Self {
        let (folder, token) = (tempfile::tempdir().unwrap(), secret("hostile"));
        let data = folder.path().join("data.json");
        fs::write(&data, dataset(&token, lead)).unwrap();
        // A shell sets the limit and then execs the server.
        let mut command = Command::new("sh");
        let limit = descriptors.map_or_else(String::new, |most| format!("ulimit -n {most}; "));
        command.arg("-c").arg(limit + r#"exec "$0" "$@""#).arg(program).args(["serve", "--listen", "127.0.0.1:0"]);
        let many = u32::MAX.to_string();
        command.args(["--reads-per-minute", &many, "--writes-per-minute", &many, "--log-format", "json"]);
        if !options.iter().any(|option| option == "--max-address-connections") {
            // All peers share one address, so the limit per address must be off.
            command.args(["--max-address-connections", "0"]);
        }
        command.arg("--data").arg(&data).args(options);
        let tls = with_tls.then(|| {
            let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
            fs::write(&certificate, cert.pem()).unwrap();
            fs::write(&key, signing_key.serialize_pem()).unwrap();
            command.arg("--tls-cert").arg(certificate).arg("--tls-key").arg(key);
            trusting(cert.der())
        });
        let mut process = ServerProcess::spawn(command.stderr(Stdio::piped()));
        let mut stderr = process.child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            stderr.read_to_string(&mut log).unwrap();
            log
        });
        let listener = |name| process.listener(name).map(|address| address.parse().unwrap());
        Self {
            address: process.address.parse().unwrap(),
            operator: listener("operator endpoints"),
            settings: listener("API settings"),
            mcp: listener("MCP server"),
            process,
            tls,
            token,
            log: Some(log),
            _folder: folder,
        }
    }

    /// Opens a plaintext connection.
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Returns a request with the server's token.
    pub fn request(&self, line: &str, headers: &str, body: &str) -> String {
        let (token, length) = (&self.token, body.len());
        let length = if body.is_empty() { String::new() } else { format!("content-length: {length}\r\n") };
        format!("{line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n{length}{headers}\r\n{body}")
    }

    /// Returns the value of the `Authorization` header.
    pub fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Returns the server's peak memory in bytes.
    pub fn peak(&self) -> usize {
        self.status("VmHWM:").trim_end_matches(" kB").parse::<usize>().unwrap() * 1_024
    }

    /// Returns the server's resident memory in bytes.
    pub fn resident(&self) -> usize {
        self.status("VmRSS:").trim_end_matches(" kB").parse::<usize>().unwrap() * 1_024
    }

    /// Returns the number of the server's threads.
    pub fn threads(&self) -> usize {
        self.status("Threads:").parse().unwrap()
    }

    /// Returns a field of the server's `/proc/…/status`.
    fn status(&self, field: &str) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.child.id())).unwrap();
        status.lines().find_map(|line| line.strip_prefix(field)).unwrap().trim().to_owned()
    }

    /// Returns the number of file descriptors that the server has open.
    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.child.id())).unwrap().count()
    }

    /// Lowers the descriptor limit, so the server can open only descriptors with numbers less than `below`.
    pub fn limit_descriptors(&self, below: usize) {
        let (pid, limit) = (self.process.child.id().to_string(), format!("--nofile={below}:"));
        assert!(Command::new("prlimit").args(["--pid", &pid, &limit]).status().unwrap().success());
    }

    /// Sends a signal to the server.
    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits until the server exits. Returns `None` if it does not exit within this time.
    pub fn ended(&mut self, within: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + within;
        loop {
            match self.process.child.try_wait().unwrap() {
                Some(status) => return Some(status),
                None if Instant::now() >= deadline => return None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Stops the server gracefully, and returns its log.
    pub fn log(mut self) -> String {
        self.signal("TERM");
        assert!(self.ended(TIMEOUT).is_some(), "it ends");
        self.log.take().unwrap().join().unwrap()
    }

    /// Stops the server gracefully. Returns the ids of the requests that the server logged, keyed by path.
    pub fn seen(self) -> HashMap<String, Vec<String>> {
        let log = self.log();
        let mut seen: HashMap<String, Vec<String>> = HashMap::new();
        for line in log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
            if let (Some(path), Some(id)) = (line["path"].as_str(), line["request_id"].as_str()) {
                seen.entry(path.to_owned()).or_default().push(id.to_owned());
            }
        }
        seen
    }
}

/// Returns a data set with copies of one lead.
fn dataset(token: &str, lead: &serde_json::Value) -> String {
    let at = "2026-01-01T00:00:00Z";
    let lead = |nth| {
        let mut lead = lead.clone();
        lead["id"] = json!(format!("l{nth}"));
        lead["client_id"] = json!("c1");
        lead["created_at"] = json!(at);
        lead
    };
    json!({"businesses": [{
        "id": "b1", "name": "B", "created_at": at,
        "clients": [{"id": "c1", "name": "C", "created_at": at}],
        "leads": (0..LEADS).map(lead).collect::<Vec<_>>(),
        "tokens": [{"name": "t", "scopes": ["read", "write"], "token": token}],
    }]})
    .to_string()
}

fn trusting(certificate: &CertificateDer<'static>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
}

//! Runs `HAProxy` in front of three servers.

use std::{
    fmt::Write,
    fs,
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
};

use leadapi_tests::{free_address, proxy_program, wait_until};
use tempfile::NamedTempFile;

use crate::files::packaged;

/// The addresses of a server: the API and the operator listener.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addresses {
    pub(crate) api: SocketAddr,
    pub(crate) ops: SocketAddr,
}

/// A running `HAProxy`. It is killed when this value is dropped.
pub(crate) struct Balancer {
    child: Child,
    pub(crate) address: SocketAddr,
    _config: NamedTempFile,
}

impl Balancer {
    /// Starts `HAProxy` with the packaged configuration, except for the addresses and the retries. Retries are off, so
    /// that the test cannot depend on them. Returns `None` if `HAProxy` is not installed.
    pub(crate) fn http(servers: &[Addresses]) -> Option<Self> {
        let address = free_address();
        let mut config = replace(&packaged("haproxy.cfg"), "bind :8080", &format!("bind {address}"));
        config = replace(&config, "retries 2", "retries 0");
        for (server, packaged) in servers.iter().zip(["10.0.0.11", "10.0.0.12", "10.0.0.13"]) {
            let ours = format!("{} check port {}", server.api, server.ops.port());
            config = replace(&config, &format!("{packaged}:8080 check port 9090"), &ours);
        }
        Self::start(address, &config)
    }

    /// Starts `HAProxy` as a TCP load balancer, like a Kubernetes service: a new connection goes to a ready server, and
    /// an open connection stays with its server.
    pub(crate) fn tcp(servers: &[Addresses]) -> Option<Self> {
        let address = free_address();
        let mut config = format!(
            "listen service\n mode tcp\n bind {address}\n balance roundrobin\n retries 0\n timeout connect 2s\n \
             timeout client 60s\n timeout server 60s\n timeout check 3s\n option httpchk GET /readyz\n \
             default-server inter 1s fall 2 rise 2\n"
        );
        for (nth, Addresses { api, ops }) in servers.iter().enumerate() {
            writeln!(config, " server s{nth} {api} check port {}", ops.port()).unwrap();
        }
        Self::start(address, &config)
    }

    fn start(address: SocketAddr, config: &str) -> Option<Self> {
        let program = proxy_program("haproxy")?;
        let file = NamedTempFile::new().unwrap();
        fs::write(file.path(), config).unwrap();
        let mut command = Command::new(program);
        let child = command.args(["-db", "-q", "-f"]).arg(file.path()).stdout(Stdio::null()).spawn().unwrap();
        wait_until("HAProxy", || TcpStream::connect(address).is_ok());
        Some(Self { child, address, _config: file })
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}

/// Replaces a string that must occur exactly once.
fn replace(config: &str, packaged: &str, ours: &str) -> String {
    assert_eq!(config.matches(packaged).count(), 1, "haproxy.cfg: {packaged}");
    config.replace(packaged, ours)
}

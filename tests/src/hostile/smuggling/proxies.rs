//! Third-party proxies in front of the server, configured to be lenient.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{free_address, proxy_program, wait_until};

/// A running proxy. It gives each forwarded request an id that begins with [`Proxy::MARK`].
#[derive(Debug)]
pub struct Proxy {
    child: Child,
    /// The address on which the proxy listens.
    pub address: SocketAddr,
    _folder: TempDir,
}

impl Proxy {
    /// The prefix of the request id. A request without this prefix was smuggled past the proxy.
    pub const MARK: &str = "by-the-proxy-";

    /// Starts nginx in front of a server. If nginx is not installed, prints a message to stderr and returns `None`.
    ///
    /// # Panics
    ///
    /// Panics if nginx is not installed and `LEADAPI_REQUIRE_PROXIES=1`.
    pub fn nginx(server: SocketAddr) -> Option<Self> {
        Self::start("nginx", |folder, port| {
            let mark = Self::MARK;
            let at = folder.path().display();
            let config = format!(
                "daemon off; master_process off; pid {at}/pid; error_log {at}/error.log;
                events {{ worker_connections 512; }}
                http {{
                    access_log off; keepalive_timeout 1s; client_body_timeout 2s; underscores_in_headers on; ignore_invalid_headers off;
                    client_body_temp_path {at}/body; proxy_temp_path {at}/proxy; fastcgi_temp_path {at}/fastcgi;
                    uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;
                    upstream server {{ server {server}; keepalive 16; }}
                    server {{
                        listen 127.0.0.1:{port};
                        location / {{
                            proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection '';
                            proxy_request_buffering off; proxy_next_upstream off;
                            proxy_set_header X-Request-Id {mark}$request_id;
                        }}
                    }}
                }}"
            );
            let file = folder.path().join("nginx.conf");
            fs::write(&file, config).unwrap();
            vec!["-p".into(), folder.path().into(), "-c".into(), file, "-e".into(), folder.path().join("error.log")]
        })
    }

    /// Starts haproxy in front of a server, like [`Proxy::nginx`].
    ///
    /// # Panics
    ///
    /// Panics if haproxy is not installed and `LEADAPI_REQUIRE_PROXIES=1`.
    pub fn haproxy(server: SocketAddr) -> Option<Self> {
        Self::start("haproxy", |folder, port| {
            let mark = Self::MARK;
            let config = format!(
                "defaults
    mode http
    timeout connect 5s
    timeout client 2s
    timeout http-keep-alive 1s
    timeout server 2s
    retries 0
frontend front
    bind 127.0.0.1:{port}
    option accept-invalid-http-request
    http-request set-header X-Request-Id {mark}%[uuid()]
    default_backend back
backend back
    http-reuse always
    server server {server}
"
            );
            let file = folder.path().join("haproxy.cfg");
            fs::write(&file, config).unwrap();
            vec!["-db".into(), "-q".into(), "-f".into(), file]
        })
    }

    fn start(name: &str, arguments: impl FnOnce(&TempDir, u16) -> Vec<PathBuf>) -> Option<Self> {
        let program = proxy_program(name)?;
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let mut command = Command::new(program);
        command.args(arguments(&folder, address.port())).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        wait_until(name, || TcpStream::connect(address).is_ok());
        Some(Self { child, address, _folder: folder })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}

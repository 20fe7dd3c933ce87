//! A server process whose log the test reads while it runs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use leadapi_tests::{ServerProcess, one_business, pebble::Pebble, wait_until};
use tempfile::TempDir;

use crate::client::token;

/// The domain for which the servers order certificates.
pub(crate) const DOMAIN: &str = "leads.example.org";

/// A running server.
pub(crate) struct Server {
    pub(crate) process: ServerProcess,
    log: PathBuf,
}

impl Server {
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Self {
        Self::with_roots(folder, options, None)
    }

    fn with_roots(folder: &Path, options: &[&str], roots: Option<&Path>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        let (log, data) = (folder.join("server.log"), one_business(&[&token()]));
        command.args(["serve", "--reads-per-minute", "1000000"]).args(options).arg("--data").arg(data.path());
        if let Some(roots) = roots {
            command.env("SSL_CERT_FILE", roots);
        }
        command.stderr(fs::File::create(&log).unwrap());
        Self { process: ServerProcess::spawn(&mut command), log }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub(crate) fn wait_for_log(&self, text: &str) {
        wait_until(text, || if self.log().contains(text) { Ok(()) } else { Err(self.log()) });
    }

    pub(crate) fn kill(mut self) {
        self.process.kill();
    }

    pub(crate) fn stop(mut self) {
        self.process.signal("INT");
        assert!(self.process.wait().success());
    }
}

/// A folder for servers, and the port on which they listen.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
}

impl Site {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), port: leadapi_tests::free_port() }
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("acme")
    }

    /// Returns the paths in the cache whose names end with this string.
    pub(crate) fn cached(&self, end: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.to_str().unwrap().ends_with(end)).collect()
    }

    /// Starts a server that orders certificates for a domain.
    pub(crate) fn serve(&self, pebble: &Pebble, domain: &str) -> Server {
        self.serve_from(&pebble.directory(), pebble.root(), domain)
    }

    pub(crate) fn serve_from(&self, directory: &str, root: &Path, domain: &str) -> Server {
        let (listen, cache) = (format!("127.0.0.1:{}", self.port), self.cache());
        let options = [
            ["--listen", &listen],
            ["--acme-domain", domain],
            ["--acme-email", "admin@example.org"],
            ["--acme-cache", cache.to_str().unwrap()],
            ["--acme-directory", directory],
            ["--log", "debug"],
        ];
        Server::with_roots(self.folder.path(), &[&options.concat()[..], &["--acme-agree-tos"]].concat(), Some(root))
    }
}

//! Runs the binary as a process and sends requests to it.

use std::{
    fs,
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

pub(crate) use crate::server_process::{ServerProcess, signal};
pub(crate) use crate::wait::{TIMEOUT, equals, wait_until};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_leadapi");
pub(crate) const SECRET: &str = "pak_00000000000000000000000000000000000000000002OZByn";

impl ServerProcess {
    /// Starts the server, and pipes its log. The drain delay is zero unless the command sets it.
    pub(crate) fn start(command: &mut Command) -> Self {
        if !command.get_envs().any(|(name, _)| name == "LEADAPI_DRAIN_DELAY") {
            command.env("LEADAPI_DRAIN_DELAY", "0s");
        }
        Self::spawn(command.stderr(Stdio::piped()))
    }

    /// Sends a request on a new connection, and returns everything that the server sends until it closes the
    /// connection.
    pub(crate) fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends the head of a request and waits until the server requests the body. Returns the connection, and the body
    /// to send next.
    pub(crate) fn request_that_waits_for_its_body(&self) -> (TcpStream, &'static str) {
        let body = r#"{"client_id":"c1","name":"Ann"}"#;
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "POST /v1/leads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {SECRET}\r\nexpect: 100-continue\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server sends `100 Continue` only once it reads the body, so the request is in flight.
        let mut proceed = [0; 25];
        stream.read_exact(&mut proceed).unwrap();
        assert_eq!(&proceed, b"HTTP/1.1 100 Continue\r\n\r\n");
        (stream, body)
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n"))
    }

    /// Waits until the server refuses connections.
    pub(crate) fn wait_until_refused(&self) {
        wait_until("the server refuses connections", || TcpStream::connect(&self.address).is_err());
    }

    /// Waits until the server exits. Returns whether it succeeded, the rest of its output, and its log.
    pub(crate) fn end(mut self) -> (bool, String, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        let log = self.read_log();
        (self.wait().success(), rest, log)
    }
}

/// Writes a data set with one business and these tokens to a file.
pub(crate) fn data_file(name: &str, tokens: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    // An earlier test run may have left the secrets file behind.
    fs::remove_file(secrets_path(&path)).unwrap_or_default();
    let data = format!(
        r#"{{"businesses": [{{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
            "clients": [{{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}}],
            "tokens": [{tokens}]}}]}}"#
    );
    fs::write(&path, data).unwrap();
    // The server warns about a file with secrets that every user can read.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// Reads and removes the file to which a server wrote the secrets of new tokens, so that the next server can create it
/// again.
pub(crate) fn read_secrets(data: &Path) -> serde_json::Value {
    let path = secrets_path(data);
    let secrets = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    fs::remove_file(path).unwrap();
    secrets
}

/// Returns the path to which a server writes the secrets of new tokens.
pub(crate) fn secrets_path(data: &Path) -> PathBuf {
    format!("{}.tokens", data.display()).into()
}

pub(crate) fn serve(data: &PathBuf) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    command
}

pub(crate) fn refused(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(!status.success());
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    String::from_utf8(stderr).unwrap()
}

impl ServerProcess {
    /// Starts a server on a database.
    pub(crate) fn on(store: &str) -> Self {
        Self::start(Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0", "--store", store]))
    }

    /// Creates a lead and returns the whole response.
    pub(crate) fn post(&self, token: &str, headers: &str, body: &str) -> String {
        self.send(&format!(
            "POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n{headers}\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Returns the response to a create, or `None` if the server exits without responding. The timeout prevents a hung
    /// server from blocking the test.
    pub(crate) fn try_post(&self, token: &str, body: &str) -> Option<String> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let length = body.len();
        let request = format!(
            "POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        let is_silent = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        assert!(!is_silent, "the server is running but does not respond");
        (!answer.is_empty()).then_some(answer)
    }

    pub(crate) fn status(&self, path: &str, token: &str) -> String {
        self.get(path, &format!("authorization: Bearer {token}\r\n"))[9..12].to_owned()
    }

    /// Waits until the server exits, and returns its exit code and log.
    pub(crate) fn code(mut self) -> (Option<i32>, String) {
        let log = self.read_log();
        (self.wait().code(), log)
    }
}

/// A temporary folder, and a SQLite store in it.
pub(crate) struct Database {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: String,
}

impl Database {
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}", folder.path().join("leads.db").display());
        Self { folder, store }
    }

    pub(crate) fn of_the_sample() -> Self {
        let database = Self::empty();
        let sample = database.folder.path().join("sample.json");
        fs::write(&sample, leadapi_core::dataset::SAMPLE).unwrap();
        database.run(&["data", "import", sample.to_str().unwrap()]);
        database
    }

    /// Returns a command with these arguments and the `--store` option.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(args).args(["--store", &self.store]);
        command
    }

    /// Runs a command that must succeed, and returns its output.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.run(&[args, &["--json"]].concat())).unwrap()
    }

    /// Runs a command that must fail, and returns the single line that it prints. `exit_codes` tests the codes.
    pub(crate) fn refuses(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        let error = String::from_utf8(stderr).unwrap();
        assert!(matches!(status.code(), Some(1 | 2)) && stdout.is_empty(), "{args:?}: {status} {error}");
        assert!(error.starts_with("leadapi: ") && error.lines().count() == 1, "{args:?}: {error}");
        error
    }
}

pub(crate) const BUSINESS: &str = "019bb16e-fe80-71bd-97d4-34affe250f1f";
pub(crate) const CLIENT: &str = "019bb17b-d806-7737-af83-b92ecab0df7d";

/// The member who manages the tokens of the sample's first business, as command-line arguments.
pub(crate) const OWNER: [&str; 4] = ["--business", BUSINESS, "--as", "Owner@Harbour.example"];

impl Database {
    /// Creates a token with both scopes for the first business.
    pub(crate) fn token(&self) -> String {
        let args = [&["token", "create", "--name", "t", "--scope", "read,write"][..], &OWNER].concat();
        self.json(&args)["token"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn lead(name: &str) -> String {
    format!(r#"{{"client_id":"{CLIENT}","name":"{name}"}}"#)
}

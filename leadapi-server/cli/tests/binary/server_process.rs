//! A server as a process. The harness of `leadapi-tests` includes this file, because the tests of a published crate
//! cannot depend on an unpublished one.

#![allow(clippy::missing_panics_doc, unreachable_pub, reason = "the harness exports these items")]
#![allow(dead_code, reason = "each of the two packages uses only a part")]

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
};

/// A running server. It is killed when this value is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    /// The process.
    pub child: Child,
    /// The standard output after the line that announces the address.
    pub stdout: BufReader<ChildStdout>,
    /// The standard output up to and including the line that announces the address.
    pub printed: String,
    /// The base URL of the API.
    pub url: String,
    /// The host and port of the API.
    pub address: String,
}

impl ServerProcess {
    /// Starts a server and waits until it listens. Its standard output is piped.
    #[track_caller]
    pub fn spawn(command: &mut Command) -> Self {
        Self::try_spawn(command).unwrap_or_else(|printed| panic!("the server exited early: {printed}"))
    }

    /// Starts a server like [`ServerProcess::spawn`].
    ///
    /// # Errors
    ///
    /// Returns the standard output if the server exits before it listens.
    #[allow(clippy::zombie_processes, reason = "the caller waits for the process")]
    pub fn try_spawn(command: &mut Command) -> Result<Self, String> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        loop {
            let before = printed.len();
            if stdout.read_line(&mut printed).unwrap() == 0 {
                child.wait().unwrap();
                return Err(printed);
            }
            if let Some((_, url)) = printed[before..].split_once("listens at ") {
                let url = url.split_whitespace().next().unwrap().to_owned();
                let address = host(&url).to_owned();
                return Ok(Self { child, stdout, printed, url, address });
            }
        }
    }

    /// Returns the host and port of another listener that the server has announced, such as `operator endpoints`.
    pub fn listener(&self, name: &str) -> Option<&str> {
        let url = self.printed.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        // The server announces a listener with a public URL as `URL, served at ADDRESS`.
        Some(url.split_once("served at ").map_or_else(|| host(url), |(_, address)| address))
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        signal(name, &self.child);
    }

    /// Waits until the server exits.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Kills the server with SIGKILL, so that it cannot clean up.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.wait();
    }

    /// Reads the standard error, which the command has piped, until the server closes it.
    pub fn read_log(&mut self) -> String {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The server may have exited already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Sends a signal to a process that the caller has not waited for yet.
pub fn signal(name: &str, child: &Child) {
    // Uses the shell's built-in `kill`, because some machines have no `kill` program.
    let mut shell = Command::new("sh");
    let status = shell.args(["-c", r#"kill -s "$0" "$1""#, name]).arg(child.id().to_string()).status();
    assert!(status.unwrap().success());
}

/// Returns the host and port of a URL.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', ' ']).next().unwrap_or_default()
}

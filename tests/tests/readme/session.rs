//! Simulates a reader with two terminals: one for the server, which runs until the next server starts, and one for all
//! other commands.

use std::{
    env,
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
    process::Command,
};

use leadapi_tests::{ServerProcess, free_address};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tempfile::TempDir;

use crate::{ROOT, programs, server};

/// The addresses in READMEs. The test replaces each one with a free port on the loopback address.
const ADDRESSES: [&str; 3] = [DEFAULT_ADDRESS, "127.0.0.1:9090", "[::]:443"];

/// The default address of a server.
const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// A README's placeholder for the first token that the server printed.
const TOKEN: &str = "pak_…";

pub(crate) struct Session {
    readme: String,
    /// The working directory of the commands.
    folder: TempDir,
    /// The test's own files: programs, shell variables and server output.
    own: TempDir,
    addresses: Vec<(&'static str, String)>,
    server: Option<ServerProcess>,
    in_background: Vec<ServerProcess>,
    servers: usize,
}

impl Session {
    pub(crate) fn new(readme: &str) -> Self {
        let (folder, own) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        // Commands refer to files by their path in the repository.
        for part in ["leadapi-core", "leadapi-server", "leadapi-client"] {
            symlink(Path::new(ROOT).join(part), folder.path().join(part)).unwrap();
        }
        // Stands in for the reader's certificate.
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(folder.path().join("cert.pem"), cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
        fs::create_dir(own.path().join("bin")).unwrap();
        programs::link_into(&own.path().join("bin"));
        fs::write(own.path().join("variables"), "").unwrap();
        let addresses = ADDRESSES.map(|written| (written, free_address().to_string())).into();
        let readme = readme.to_owned();
        Self { readme, folder, own, addresses, server: None, in_background: Vec::new(), servers: 0 }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Runs a command and checks that it succeeds. A server keeps running until the next one starts in the same
    /// terminal.
    pub(crate) fn run(&mut self, written: &str) {
        let Some(command) = programs::prebuilt(written) else { return };
        let command = self.with_addresses_and_token(command);
        println!("{}: {command}", self.readme);
        let is_server = ["leadapi serve", "leadapi demo"].iter().any(|start| command.starts_with(start));
        match (is_server, command.strip_suffix('&')) {
            (true, Some(command)) => {
                let server = self.start(command);
                self.in_background.push(server);
            }
            (true, None) => {
                if let Some(server) = self.server.take() {
                    server::end(server);
                }
                self.server = Some(self.start(&command));
            }
            (false, _) => self.succeed(written, &command),
        }
    }

    /// Stops the servers.
    pub(crate) fn end(mut self) {
        self.server.take().into_iter().chain(self.in_background.drain(..)).for_each(server::end);
    }

    fn with_addresses_and_token(&self, command: String) -> String {
        let command = self.addresses.iter().fold(command, |command, (written, free)| command.replace(written, free));
        if !command.contains(TOKEN) {
            return command;
        }
        let token = self.server.as_ref().and_then(server::first_token).expect("the server must have printed a token");
        command.replace(TOKEN, &token)
    }

    fn start(&mut self, command: &str) -> ServerProcess {
        self.servers += 1;
        let log = File::create(self.own.path().join(format!("server-{}", self.servers))).unwrap();
        ServerProcess::spawn(self.shell(&format!("exec {command}")).stderr(log))
    }

    fn succeed(&self, written: &str, command: &str) {
        let script = format!("{command}\nexport -p >\"$VARIABLES\"");
        let output = self.shell(&script).output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {written}\n{}\n{stdout}{stderr}", self.readme, output.status);
    }

    /// Returns a shell command that has the variables set by earlier commands and exits at the first failure.
    fn shell(&self, script: &str) -> Command {
        let own = self.own.path();
        let mut shell = Command::new("sh");
        for (name, _) in env::vars().filter(|(name, _)| name.starts_with("LEADAPI_")) {
            shell.env_remove(name);
        }
        let path = format!("{}:{}", own.join("bin").display(), env::var("PATH").unwrap());
        shell.env("PATH", path).env("VARIABLES", own.join("variables")).env("NO_PROXY", "127.0.0.1");
        let (_, listen) = &self.addresses[0];
        shell.env("LEADAPI_LISTEN", listen);
        shell.args(["-c", &format!("set -aeu\n. \"$VARIABLES\"\n{script}")]).current_dir(self.folder.path());
        shell
    }
}

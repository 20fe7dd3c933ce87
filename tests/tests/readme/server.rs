//! Runs a server that a README starts.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
};

use leadapi_tests::{processes::signal, wait_until};

/// A server process that runs until it is stopped or the test fails.
pub(crate) struct Server {
    process: Child,
    output: PathBuf,
}

impl Server {
    /// Starts the server and waits until it listens.
    pub(crate) fn start(command: &mut Command, output: &Path) -> Self {
        let file = File::create(output).unwrap();
        let process = command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
        let mut server = Self { process, output: output.to_owned() };
        wait_until("the server listens", || server.printed().contains(" listens at ") || server.has_ended());
        assert!(!server.has_ended(), "the server has exited: {}", server.printed());
        server
    }

    /// Returns the first token that the server printed.
    pub(crate) fn first_token(&self) -> Option<String> {
        let printed = self.printed();
        printed
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .find(|word| word.starts_with("pak_"))
            .map(str::to_owned)
    }

    /// Sends SIGINT, and checks that the server shuts down gracefully.
    pub(crate) fn end(mut self) {
        signal("INT", &[self.process.id()]);
        let status = self.process.wait().unwrap();
        assert!(status.success(), "the server exited with {status}: {}", self.printed());
    }

    fn printed(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }
}

impl Drop for Server {
    /// Kills the server, so that a failed test leaves no process running. Errors are ignored, because the server may
    /// already have exited.
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

//! Redis servers and Sentinels for tests. Each server belongs to one test, which can kill or freeze it.

#[cfg(target_os = "linux")]
mod clock;
mod programs;
mod protocol;
mod sentinel;
mod server;

use std::{fs, path::PathBuf, process::Command};

#[cfg(target_os = "linux")]
pub use clock::Clock;
pub use sentinel::Sentinels;
use server::Server;

use crate::tls::{Ca, Identity};

/// A Redis server on loopback that keeps its data only in memory. It is removed when this value is dropped or the test
/// process exits.
#[derive(Debug)]
pub struct Redis {
    server: Server,
    settings: Vec<String>,
    #[cfg(target_os = "linux")]
    clock: Option<Clock>,
}

impl Redis {
    /// Starts a server with extra settings in command-line form, such as `--requirepass secret`.
    ///
    /// Returns `None` if Redis is not installed, so a test begins with `let Some(redis) = Redis::start(&[]) else {
    /// return };`.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start, or if Redis is not installed and `LEADAPI_REQUIRE_REDIS` is 1. The other
    /// functions that start servers return `None` and panic in the same cases.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let mut this = Self::new(settings)?;
        this.restart();
        Some(this)
    }

    /// Starts a server whose wall clock the test controls.
    #[cfg(target_os = "linux")]
    pub fn start_with_clock() -> Option<Self> {
        let mut this = Self::new(&[])?;
        this.clock = Some(Clock::new(&this.server.folder));
        this.restart();
        Some(this)
    }

    /// Starts a server that accepts only TLS, with a certificate for `localhost`.
    pub fn start_with_tls() -> Option<(Self, Ca)> {
        let mut this = Self::new(&[
            "--tls-auth-clients no --tls-cert-file server.crt --tls-key-file server.key --tls-ca-cert-file server.crt",
        ])?;
        let identity = Identity::new();
        for (name, text) in identity.files() {
            fs::write(this.file(name), text).unwrap();
        }
        this.settings.push("--tls-port".to_owned());
        this.restart();
        Some((this, identity.write_ca()))
    }

    fn new(settings: &[&str]) -> Option<Self> {
        let server = Server::new(programs::find("server")?);
        let settings = settings.iter().flat_map(|setting| setting.split(' ')).map(str::to_owned).collect();
        Some(Self {
            server,
            settings,
            #[cfg(target_os = "linux")]
            clock: None,
        })
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// Returns the URL of the server, without credentials.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    /// Returns the clock of a server from [`Self::start_with_clock`].
    ///
    /// # Panics
    ///
    /// Panics if the server uses the system's clock.
    #[cfg(target_os = "linux")]
    pub fn clock(&self) -> &Clock {
        self.clock.as_ref().expect("a server from `start_with_clock`")
    }

    /// Sends a command whose arguments contain no spaces, and returns the reply as text. Spaces separate the elements
    /// of an array.
    ///
    /// # Panics
    ///
    /// Panics if the server does not answer within 5 s.
    pub fn command(&self, command: &str) -> String {
        protocol::command(self.port(), command)
    }

    /// Kills the server. Its data is lost.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts the server again after [`Self::kill`], empty and on the same port.
    pub fn restart(&mut self) {
        let settings = self.settings.clone();
        let arguments = |port: u16| {
            let mut arguments: Vec<String> = settings.clone();
            let usual = ["--save", "", "--bind", "127.0.0.1"].map(str::to_owned);
            let is_tls = arguments.last().is_some_and(|last| last == "--tls-port");
            if is_tls {
                arguments.extend([port.to_string(), "--port".to_owned(), "0".to_owned()]);
            } else {
                arguments.extend(["--port".to_owned(), port.to_string()]);
            }
            arguments.into_iter().chain(usual).collect()
        };
        #[cfg(target_os = "linux")]
        let prepare = |command: &mut Command| {
            if let Some(clock) = &self.clock {
                clock.command(command);
            }
        };
        #[cfg(not(target_os = "linux"))]
        let prepare = |_: &mut Command| {};
        self.server.run(arguments, prepare);
    }

    /// Suspends the server. Its connections stay open but get no answers.
    pub fn pause(&self) {
        self.server.pause();
    }

    /// Resumes the server after [`Self::pause`].
    pub fn resume(&self) {
        self.server.resume();
    }

    fn file(&self, name: &str) -> PathBuf {
        self.server.folder.join(name)
    }
}

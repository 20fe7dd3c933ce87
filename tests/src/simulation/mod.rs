//! The client and the service in a simulated network: messages are delayed and lost, the server crashes, restarts and
//! shuts down gracefully, over HTTP/1 and HTTP/2.
//!
//! Each run is a process whose randomness comes from a seed, so a seed always gives the same run.

mod draw;
mod server;
mod transport;
mod world;

use std::{
    env,
    process::{Command, Stdio},
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// The protocol between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// HTTP/1.1, with one connection for each request in flight.
    Http1,
    /// HTTP/2, with one connection for each client.
    Http2,
}

/// The faults of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Faults {
    /// Messages arrive within 50 ms, and the server never stops.
    None,
    /// Messages are delayed and lost, and the server crashes and shuts down.
    All,
}

/// One simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulation {
    /// The seed of all randomness.
    pub seed: u64,
    /// The protocol between client and server.
    pub protocol: Protocol,
    /// The faults.
    pub faults: Faults,
}

/// What happened in one run, or in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The requests that the clients sent.
    pub requests: u64,
    /// The calls of the clients' methods.
    pub calls: u64,
    /// How often the server crashed.
    pub crashes: u64,
    /// How often the server shut down gracefully.
    pub drains: u64,
    /// The simulated time.
    pub simulated: Duration,
}

impl Trace {
    /// Adds another run.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.calls += other.calls;
        self.crashes += other.crashes;
        self.drains += other.drains;
        self.simulated += other.simulated;
    }
}

impl Simulation {
    /// The variable that contains a simulation as JSON, in the process that runs it.
    const VARIABLE: &str = "LEADAPI_SIMULATION";

    /// Runs the simulation that the environment of this process describes, and returns its trace as JSON. Returns `None`
    /// if there is none.
    ///
    /// # Panics
    ///
    /// Panics if a call fails, or if the store does not contain exactly the leads that the clients created.
    pub fn run_from_environment() -> Option<String> {
        let text = env::var(Self::VARIABLE).ok()?;
        let trace = world::run(serde_json::from_str(&text).expect("a simulation"));
        Some(serde_json::to_string(&trace).expect("a trace is JSON"))
    }

    /// Runs the simulation in a process of `program`, which must print what
    /// [`run_from_environment`](Self::run_from_environment) returns.
    ///
    /// # Errors
    ///
    /// Fails if the process fails. The error contains what the process printed.
    pub fn run(self, program: &str) -> Result<Trace, String> {
        let text = serde_json::to_string(&self).expect("a simulation is JSON");
        let output = Command::new(program)
            .env(Self::VARIABLE, text)
            .env("LD_PRELOAD", env!("LEADAPI_TEST_RANDOM_SHIM"))
            .env("LEADAPI_TEST_RANDOM", self.seed.to_string())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if !output.status.success() {
            return Err(format!("{self:?}: {}\n{}", output.status, printed(&output.stderr)));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{self:?}: {error}: {}", printed(&output.stdout)))
    }
}

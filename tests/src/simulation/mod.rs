//! Simulates clients and a server over HTTP/1 and HTTP/2, in a network that delays and loses messages. The server
//! crashes, restarts and shuts down gracefully.
//!
//! Each run is a process whose randomness comes from a seed, so a run can be reproduced from its seed.

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
    /// HTTP/1.1, with one connection for each in-flight request.
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

/// The counts of one run, or the totals of several runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The number of requests that the clients sent.
    pub requests: u64,
    /// The number of calls to methods of the clients.
    pub calls: u64,
    /// The number of times the server crashed.
    pub crashes: u64,
    /// The number of times the server shut down gracefully.
    pub drains: u64,
    /// The simulated time.
    pub simulated: Duration,
}

impl Trace {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.calls += other.calls;
        self.crashes += other.crashes;
        self.drains += other.drains;
        self.simulated += other.simulated;
    }
}

impl Simulation {
    /// The environment variable that contains the simulation as JSON. It is set in the process that runs the
    /// simulation.
    const VARIABLE: &str = "LEADAPI_SIMULATION";

    /// Runs the simulation that the environment of this process describes, and returns its trace as JSON. Returns
    /// `None` if it describes none.
    ///
    /// # Panics
    ///
    /// Panics if a call fails, or if the store does not contain exactly the leads that the clients created and did not
    /// delete.
    pub fn run_from_environment() -> Option<String> {
        let text = env::var(Self::VARIABLE).ok()?;
        let trace = world::run(serde_json::from_str(&text).expect("a simulation"));
        Some(serde_json::to_string(&trace).expect("a trace is JSON"))
    }

    /// Runs the simulation in a process of `program`, which must print the result of
    /// [`run_from_environment`](Self::run_from_environment).
    ///
    /// # Errors
    ///
    /// Returns an error if the process fails. The error contains the output of the process.
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

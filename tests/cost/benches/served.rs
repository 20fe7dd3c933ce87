//! Counts the cost of one request to a server that stores leads in memory: instructions and system calls. Compares it
//! with the figures in `served.txt`, as the module `figures` describes.
//!
//! Valgrind, which must be installed, counts both. The requests are sent one after another on one connection, and the
//! cost of a request is the difference between two runs. The server has the middleware, the limits and the metrics of
//! the program `leadapi`, but no log.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

mod figures;

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use leadapi_cost::{Client, OPERATIONS, Operation};

const WARM_UP: usize = 100;
const REQUESTS: usize = 1_000;
const KINDS: [figures::Kind; 2] = [("instructions", 0.03), ("system calls", 0.03)];

fn main() -> ExitCode {
    let costs: Vec<_> =
        OPERATIONS.iter().map(|operation| (format!("served {}", operation.name), cost(operation))).collect();
    if figures::check("served.txt", &KINDS, &costs) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cost(operation: &Operation) -> Vec<usize> {
    let [few, many] = [WARM_UP, WARM_UP + REQUESTS].map(|count| run(operation, count));
    few.into_iter().zip(many).map(|(few, many)| (many - few + REQUESTS / 2) / REQUESTS).collect()
}

/// Returns the costs of a server that answers a number of requests.
fn run(operation: &Operation, count: usize) -> [usize; 2] {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("served");
    fs::create_dir_all(&folder).unwrap();
    let [profile, log] =
        ["profile", "log"].map(|kind| folder.join(format!("{}.{kind}", operation.name.replace(' ', "-"))));
    let mut server = Command::new("valgrind")
        .args(["--tool=callgrind", "--trace-syscalls=yes"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(format!("--log-file={}", log.display()))
        .args([env!("CARGO_BIN_EXE_served"), &(WARM_UP + REQUESTS).to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("valgrind is required: {error}"));
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (address, token) = line.trim_end().split_once(' ').unwrap();
    Client::connect(address, token).send(operation, count);
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
    let profile = fs::read_to_string(profile).unwrap();
    let summary = profile.lines().find_map(|line| line.strip_prefix("summary: ").or(line.strip_prefix("totals: ")));
    [summary.unwrap().trim().parse().unwrap(), system_calls(&fs::read_to_string(log).unwrap())]
}

/// Counts the system calls in a log of Valgrind, which has two lines for a call that may block. Reading a clock is no
/// system call outside of Valgrind.
fn system_calls(log: &str) -> usize {
    let starts = log.lines().filter(|line| line.starts_with("SYSCALL[") && !line.contains(") ... [async]"));
    starts.filter(|line| !line.contains("clock_gettime")).count()
}

//! Counts the cost of one call of each operation, and of one walk through a form: instructions, allocations and
//! allocated bytes. Compares it with the figures in `cost.txt`, as the module `figures` describes.
//!
//! Valgrind, which must be installed, counts the instructions. The counts vary by about 1 % and do not depend on other
//! load on the machine, but they differ between compiler versions. `callgrind_annotate target/tmp/cost/GET-one` shows
//! where the instructions are spent.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

mod figures;

use std::{
    alloc::System,
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

use leadapi_cost::{OPERATIONS, WALK, with_calls};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CALLS: usize = 1_000;
/// The tolerance is zero for allocations, because their number is the same in each run.
const KINDS: [figures::Kind; 3] = [("instructions", 0.03), ("allocations", 0.0), ("bytes", 0.03)];

fn main() -> ExitCode {
    let names = OPERATIONS.iter().map(|operation| operation.name).chain([WALK]);
    let costs: Vec<_> = names.map(|name| (name.to_owned(), cost(name))).collect();
    if figures::check("cost.txt", &KINDS, &costs) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cost(name: &str) -> Vec<usize> {
    let mut memory = Stats::default();
    with_calls(name, CALLS, |calls| {
        let region = Region::new(MEMORY);
        calls();
        memory = region.change();
    });
    let all = [instructions(name), memory.allocations + memory.reallocations, memory.bytes_allocated];
    all.map(|all| (all + CALLS / 2) / CALLS).to_vec()
}

/// Counts the instructions of all calls in a separate process that does not count allocations.
fn instructions(name: &str) -> usize {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cost");
    fs::create_dir_all(&folder).unwrap();
    let profile = folder.join(name.replace(' ', "-"));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=calls::measured"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .args([env!("CARGO_BIN_EXE_calls"), name, &CALLS.to_string()])
        .output()
        .unwrap_or_else(|error| panic!("valgrind is required: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let profile = fs::read_to_string(profile).unwrap();
    let count = profile.lines().find_map(|line| line.strip_prefix("summary: ")).unwrap().trim().parse().unwrap();
    assert!(count > CALLS, "no instructions were counted: was the measured function renamed?");
    count
}

//! Compares the cost of one call of each operation, and of one walk through a form, with the figures in `cost.txt`:
//! instructions, allocations and allocated bytes.
//!
//! The benchmark fails if the number of allocations changes at all, or if instructions or bytes change by more than 5 %
//! in either direction. `LEADAPI_ACCEPT=1 cargo bench -p leadapi-cost --bench cost` accepts the new costs and rewrites
//! the file.
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

use std::{
    alloc::System,
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

use leadapi_cost::{OPERATIONS, WALK, with_calls};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/cost.txt");
const CALLS: usize = 1_000;
/// The allowed relative deviation of each cost. It is zero for allocations, because their number is the same in each
/// run.
const ALLOWED: [f64; 3] = [0.05, 0.0, 0.05];

/// The instructions, allocations and allocated bytes of one call.
type Cost = [usize; 3];

fn main() -> ExitCode {
    let names = OPERATIONS.iter().map(|operation| operation.name).chain([WALK]);
    let costs: Vec<(&str, Cost)> = names.map(|name| (name, cost(name))).collect();
    let compiler = rustc();
    if env::var_os("LEADAPI_ACCEPT").is_some() {
        fs::write(FILE, write(&compiler, &costs)).unwrap();
    }
    let text = fs::read_to_string(FILE).unwrap_or_default();
    if compare(&costs, &read(&text)) {
        return ExitCode::SUCCESS;
    }
    println!("\nThe costs differ from those in tests/cost/benches/cost.txt. If the change is intended, accept it with");
    println!("LEADAPI_ACCEPT=1 cargo bench -p leadapi-cost --bench cost");
    if !text.contains(&compiler) {
        println!("The compiler may be the cause: the recorded costs are not from {compiler}.");
    }
    ExitCode::FAILURE
}

/// Prints the change of each cost, and returns whether all changes are within the allowed deviation.
fn compare(costs: &[(&str, Cost)], figures: &BTreeMap<&str, Cost>) -> bool {
    println!("{:<18}{:>14}{:>9}{:>14}{:>9}{:>14}{:>9}", "one call", "instructions", "", "allocations", "", "bytes", "");
    let mut all = costs.len() == figures.len();
    for (name, cost) in costs {
        let figure = figures.get(name).copied().unwrap_or_default();
        print!("{name:<18}");
        for ((is, was), allowed) in cost.iter().zip(figure).zip(ALLOWED) {
            let change = *is as f64 / was as f64 - 1.0;
            // Without a recorded figure, the change is infinite and the comparison fails.
            all &= change.abs() <= allowed;
            print!("{is:>14}{:>+7.1} %", change * 100.0);
        }
        println!();
    }
    all
}

fn cost(name: &str) -> Cost {
    let mut memory = Stats::default();
    with_calls(name, CALLS, |calls| {
        let region = Region::new(MEMORY);
        calls();
        memory = region.change();
    });
    let all = [instructions(name), memory.allocations + memory.reallocations, memory.bytes_allocated];
    all.map(|all| (all + CALLS / 2) / CALLS)
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

fn write(compiler: &str, costs: &[(&str, Cost)]) -> String {
    let head = format!("# instructions, allocations and bytes of one call: {compiler}\n");
    let lines = costs.iter().map(|(name, [instructions, allocations, bytes])| {
        format!("{name:<18}{instructions:>10}{allocations:>10}{bytes:>10}\n")
    });
    [head].into_iter().chain(lines).collect()
}

fn read(text: &str) -> BTreeMap<&str, Cost> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, figures) = line.split_at(18);
            let figures: Vec<usize> = figures.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
            (name.trim_end(), figures.try_into().unwrap())
        })
        .collect()
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

//! Runs suites of this test program during each kind of maintenance.

use std::{
    env,
    process::Command,
    sync::{Mutex, PoisonError},
    thread,
};

use super::{ALL, Engine, Maintenance, Ongoing, VARIABLE};
use crate::{fake_clock::with_wrong_clock, postgres::Cluster};

/// The number of processes that run at the same time. A process mostly waits for its database.
const PROCESSES: usize = 2;

/// Runs the tests of this program whose names begin with one of `suites`, once for each kind of maintenance of `engine`
/// that satisfies `applies`, each time in a separate process.
///
/// # Panics
///
/// Panics if a test fails, or if a process runs no test. The message contains the kind and the output.
pub fn run_suites(engine: Engine, suites: &[&str], applies: impl Fn(&Maintenance) -> bool) {
    if env::var_os(VARIABLE).is_some() || (engine == Engine::Postgres && Cluster::shared().is_none()) {
        return;
    }
    let kinds = ALL.iter().filter(|kind| kind.engine == engine && applies(kind));
    let waiting = Mutex::new(kinds.collect::<Vec<_>>());
    let failures = Mutex::new(Vec::new());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    thread::scope(|scope| {
        for _ in 0..PROCESSES {
            scope.spawn(|| {
                while let Some(kind) = next() {
                    if let Err(output) = run(kind, suites) {
                        failures.lock().unwrap().push(format!("during {}:\n{output}", kind.name));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs the suites during one kind of maintenance. Returns the output if they fail.
fn run(kind: &Maintenance, suites: &[&str]) -> Result<(), String> {
    let mut command = Command::new(env::current_exe().unwrap());
    // Each process starts its own PostgreSQL server, which is removed together with its databases.
    command.args(suites).args(["--test-threads", "2"]).env(VARIABLE, kind.name).env_remove("LEADAPI_TEST_POSTGRES");
    // The random suites run once for each kind, so a few cases are enough.
    command.env("LEADAPI_DIFFERENTIAL_CASES", "3").env("LEADAPI_DIFFERENTIAL_STEPS", "8");
    if let Ongoing::Clock(offset) = kind.ongoing {
        let Some(_) = with_wrong_clock(&mut command, offset) else { return Ok(()) };
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let passed =
        output.status.success() && !text.contains("test result: ok. 0 passed") && !text.contains("panicked at");
    if passed { Ok(()) } else { Err(text.into_owned()) }
}

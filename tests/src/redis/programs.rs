//! Locates Redis's programs.

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
    sync::Once,
};

const MISSING: &str = "Redis was not found: tests that need it are skipped; install redis-server and redis-sentinel";

/// Returns the path of one of Redis's or Valkey's programs. If neither is installed, prints a message once and returns
/// `None`. In that case, tests that need Redis skip themselves.
///
/// # Panics
///
/// Panics if the program is missing and `LEADAPI_REQUIRE_REDIS` is 1.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    static REPORTED: Once = Once::new();
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["redis", "valkey"].map(|product| format!("{product}-{name}"));
    let mut programs = env::split_paths(&path).flat_map(|folder| names.clone().map(|name| folder.join(name)));
    let found = programs.find(|program| program.is_file());
    if found.is_none() {
        assert!(env::var_os("LEADAPI_REQUIRE_REDIS").is_none_or(|required| required != "1"), "{MISSING}");
        // The test harness captures `eprintln!` and hides its output if the test passes.
        REPORTED.call_once(|| io::stderr().write_all(format!("{MISSING}\n").as_bytes()).unwrap());
    }
    found
}

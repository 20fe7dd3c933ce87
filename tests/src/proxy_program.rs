//! Finds third-party proxies on this machine.

use std::{env, path::PathBuf};

/// Returns the path of a proxy's executable. If it is not installed, prints a message to stderr and returns `None`.
///
/// # Panics
///
/// Panics if the program is not installed and `LEADAPI_REQUIRE_PROXIES=1`.
pub fn proxy_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    // Debian installs the proxies in `/usr/sbin`, which is not in every `PATH`.
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    if found.is_none() {
        let required = env::var_os("LEADAPI_REQUIRE_PROXIES").is_some_and(|value| value == "1");
        assert!(!required, "{name} is not installed");
        eprintln!("SKIPPED: {name} is not installed, so no request is sent through it");
    }
    found
}

//! Reads the packaged files.

use std::fs;

/// Reads a file in `leadapi-server/cli/packaging`.
pub(crate) fn packaged(name: &str) -> String {
    let path = format!("{}/../leadapi-server/cli/packaging/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the environment variables that a packaged file sets.
pub(crate) fn environment(name: &str) -> Vec<(String, String)> {
    let text = packaged(name);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap()).collect()
}

//! Runs programs with a wrong system clock.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const MISSING: &str = "libfaketime is not installed";

/// Returns the library that gives a program a fake clock, or `None` if it is not installed.
///
/// # Panics
///
/// Panics if it is not installed and `LEADAPI_REQUIRE_FAKETIME` is 1.
pub fn library() -> Option<PathBuf> {
    let directories = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path().join("faketime"));
    let found = directories.map(|directory| directory.join("libfaketime.so.1")).find(|library| library.exists());
    assert!(
        found.is_some() || env::var_os("LEADAPI_REQUIRE_FAKETIME").is_none_or(|required| required != "1"),
        "{MISSING}"
    );
    found
}

/// Offsets a program's clock by the content of a file, such as `+25h`. The file may change at any time.
pub fn with_clock_from<'c>(command: &'c mut Command, library: &Path, file: &Path) -> &'c mut Command {
    command.env("LD_PRELOAD", library).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.env("FAKETIME_TIMESTAMP_FILE", file).env("FAKETIME_NO_CACHE", "1")
}

/// Gives a program a system clock with an offset, such as `+25h` or `-10d`. Its monotonic clock stays correct. Returns
/// `None` if libfaketime is not installed.
///
/// # Panics
///
/// Panics if libfaketime is not installed and `LEADAPI_REQUIRE_FAKETIME` is 1.
pub fn with_wrong_clock<'c>(command: &'c mut Command, offset: &str) -> Option<&'c mut Command> {
    let library = library()?;
    Some(command.env("LD_PRELOAD", library).env("FAKETIME", offset).env("FAKETIME_DONT_FAKE_MONOTONIC", "1"))
}

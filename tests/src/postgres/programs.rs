//! Locates PostgreSQL's programs and chooses their operating-system user.

use std::{
    env,
    fs::{self, Metadata},
    io::{self, Write},
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
    sync::Once,
};

const MISSING: &str =
    "PostgreSQL was not found: tests that need it are skipped; install it or set LEADAPI_TEST_POSTGRES";

/// Returns the directory that contains `initdb` and `postgres`.
///
/// If there is no such directory, prints a message once and returns `None`. In that case, tests that need PostgreSQL
/// skip themselves.
///
/// # Panics
///
/// Panics if there is no such directory and `LEADAPI_REQUIRE_POSTGRES` is 1.
pub(crate) fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).chain(versions()).find(|folder| holds_both(folder));
    if found.is_none() {
        report_missing();
    }
    found
}

/// Prints once that PostgreSQL was not found.
///
/// # Panics
///
/// Panics if `LEADAPI_REQUIRE_POSTGRES` is 1.
fn report_missing() {
    static REPORTED: Once = Once::new();
    assert!(env::var_os("LEADAPI_REQUIRE_POSTGRES").is_none_or(|required| required != "1"), "{MISSING}");
    // The test harness captures `eprintln!` and hides its output if the test passes.
    REPORTED.call_once(|| io::stderr().write_all(format!("{MISSING}\n").as_bytes()).unwrap());
}

fn holds_both(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
}

/// Returns the directories in which Debian installs the programs, newest version first.
fn versions() -> Vec<PathBuf> {
    let folders = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort_by_key(|folder| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()));
    folders.iter().rev().map(|folder| folder.join("bin")).collect()
}

/// The operating-system user that runs PostgreSQL: the current user, or an unprivileged user if the current user is
/// root, because PostgreSQL refuses to run as root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account(Option<(u32, u32)>);

impl Account {
    /// Returns the account for the current user, who must own this file.
    pub(crate) fn for_owner(file: &Metadata) -> Self {
        const NOBODY: (u32, u32) = (65534, 65534);
        Self((file.uid() == 0).then(|| user("postgres").unwrap_or(NOBODY)))
    }

    /// Makes the account the owner of a file.
    pub(crate) fn own(self, path: &Path) {
        if let Some((user, group)) = self.0 {
            std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
        }
    }

    /// Returns a command that runs as the account, in its own process group, so Ctrl-C in the terminal does not reach
    /// it. The program runs with the real clock, even if this process does not.
    pub(crate) fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command.process_group(0).env("LC_ALL", "C").env_remove("LD_PRELOAD").current_dir("/");
        command
    }

    /// Returns the user and group ids, or `None` if they equal those of this process.
    pub(crate) const fn ids(self) -> Option<(u32, u32)> {
        self.0
    }
}

fn user(name: &str) -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[0] == name)?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

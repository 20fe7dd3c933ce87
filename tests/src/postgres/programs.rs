//! Where PostgreSQL's programs are, and the user that they run as.

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
    "PostgreSQL was not found: tests that need it are left out; install it or set LEADAPI_TEST_POSTGRES";

/// The folder that holds `initdb` and `postgres`.
///
/// Where there is none, the tests that need it are left out, and one line says so.
pub(super) fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).chain(versions()).find(|folder| holds_both(folder));
    if found.is_none() {
        say_that_it_is_missing();
    }
    found
}

/// Says once that there is no PostgreSQL.
///
/// # Panics
///
/// When it is required.
fn say_that_it_is_missing() {
    static SAID: Once = Once::new();
    assert!(env::var_os("LEADAPI_REQUIRE_POSTGRES").is_none_or(|required| required != "1"), "{MISSING}");
    // Not with eprintln, which is not seen when the test passes.
    SAID.call_once(|| io::stderr().write_all(format!("{MISSING}\n").as_bytes()).unwrap());
}

fn holds_both(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
}

/// Where Debian puts them, the newest first.
fn versions() -> Vec<PathBuf> {
    let folders = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort_by_key(|folder| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()));
    folders.iter().rev().map(|folder| folder.join("bin")).collect()
}

/// The user that PostgreSQL runs as: oneself, or one made for it where one is root, because it refuses to be that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account(Option<(u32, u32)>);

impl Account {
    /// The account of one who owns new files like this.
    pub(super) fn for_owner(file: &Metadata) -> Self {
        const NOBODY: (u32, u32) = (65534, 65534);
        Self((file.uid() == 0).then(|| user("postgres").unwrap_or(NOBODY)))
    }

    /// Gives a file to the account.
    pub(super) fn own(self, path: &Path) {
        if let Some((user, group)) = self.0 {
            std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
        }
    }

    /// A command that the account runs, apart from the signals of the terminal.
    pub(super) fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command.process_group(0).env("LC_ALL", "C").current_dir("/");
        command
    }
}

fn user(name: &str) -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[0] == name)?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

//! Locates the programs of a Patroni cluster.

use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Once,
};

use crate::postgres;

/// The programs that a cluster needs.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) patroni: PathBuf,
    pub(super) etcd: PathBuf,
    /// The directory that contains PostgreSQL's programs.
    pub(super) postgres: PathBuf,
}

impl Programs {
    /// Returns the programs, or prints which one is missing and returns `None`.
    pub(super) fn find() -> Option<Self> {
        let given = env::var_os("LEADAPI_TEST_PATRONI").map(PathBuf::from);
        let Some(patroni) = given.or_else(|| in_path("patroni")) else {
            return skip("Patroni was not found: install it or set LEADAPI_TEST_PATRONI");
        };
        let Some(etcd) = in_path("etcd") else { return skip("etcd was not found") };
        // `find_programs` prints its own message if PostgreSQL is missing.
        let found = postgres::find_programs()?.join("postgres");
        // Patroni needs more of PostgreSQL's programs than `initdb` and `postgres`, which may be links into the real
        // directory.
        let postgres = found.canonicalize().unwrap().parent().unwrap().to_owned();
        Some(Self { patroni, etcd, postgres })
    }
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file: &PathBuf| Path::is_file(file))
}

/// Prints the reason why tests that need Patroni are skipped, once per process.
///
/// # Panics
///
/// Panics if `LEADAPI_REQUIRE_PATRONI` is 1.
pub(super) fn skip<T>(why: &str) -> Option<T> {
    static REPORTED: Once = Once::new();
    let message = format!("{why}: tests that need Patroni are skipped");
    assert!(env::var_os("LEADAPI_REQUIRE_PATRONI").is_none_or(|required| required != "1"), "{message}");
    // The test harness captures `eprintln!` and hides its output if the test passes.
    REPORTED.call_once(|| io::stderr().write_all(format!("{message}\n").as_bytes()).unwrap());
    None
}

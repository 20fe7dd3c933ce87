//! The maintenance of SQLite stores.

use std::{
    path::{Path, PathBuf},
    thread,
};

use leadapi_sql::{DatabaseUrl, SqlStore};
use rusqlite::Connection;

use super::Ongoing;

/// Creates the store, and begins its maintenance. The maintenance ends with the process or when the directory of the
/// store is removed.
pub(super) async fn begin(path: &Path, url: &str, ongoing: Ongoing) {
    let url: DatabaseUrl = url.parse().unwrap();
    drop(SqlStore::open(&url).await.unwrap());
    let path = path.to_owned();
    match ongoing {
        Ongoing::Reader => hold_a_snapshot(&path),
        Ongoing::Backup => repeat(path.clone(), url, move |store| {
            let copy = path.with_extension("copy");
            store.backup(&copy, |_, _| {}).unwrap_or_else(|error| only_without_its_directory(&copy, &error));
            drop(std::fs::remove_file(&copy));
        }),
        Ongoing::Command => repeat(path.clone(), url, move |store| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let written = runtime.block_on(store.probe_writes());
            written.unwrap_or_else(|error| only_without_its_directory(&path, &error));
        }),
        _ => {}
    }
}

/// Reads in a transaction that stays open, so that no checkpoint can reset the write-ahead log.
fn hold_a_snapshot(path: &Path) {
    let reader = Connection::open(path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM lead").unwrap();
    // The transaction ends with the process.
    std::mem::forget(reader);
}

/// Repeatedly opens the store and works with it, as commands do while a server is running.
fn repeat(path: PathBuf, url: DatabaseUrl, mut work: impl FnMut(SqlStore) + Send + 'static) {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        while path.exists() {
            match runtime.block_on(SqlStore::open(&url)) {
                Ok(store) => work(store),
                Err(error) => only_without_its_directory(&path, &error),
            }
        }
    });
}

/// Panics unless the test has removed the directory. The panic ends the maintenance, and the process prints the
/// message.
fn only_without_its_directory(path: &Path, error: &dyn std::error::Error) {
    let folder = path.parent().is_some_and(Path::exists);
    assert!(!folder, "the maintenance failed: {error}: {:?}", error.source());
}

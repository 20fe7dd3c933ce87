//! Tests with matching and mismatched files and logs.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::*;

/// A simulated crash: copies of a store's file and log, made while the store is open.
struct Crashed {
    folder: TempDir,
}

impl Crashed {
    fn path(&self) -> PathBuf {
        self.folder.path().join("leads.db")
    }

    fn log(&self) -> PathBuf {
        with_suffix(&self.path(), "-wal")
    }
}

fn opened(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000").unwrap();
    connection.execute_batch(CREATE_TABLE).unwrap();
    connection
}

fn commit(connection: &Connection, times: usize) {
    for _ in 0..times {
        assert_eq!(connection.execute(RECORD_COMMIT, [store_id(connection).unwrap()]).unwrap(), 1);
    }
}

fn checkpoint(connection: &Connection) {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
}

fn crash(served: &Path) -> Crashed {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["", "-wal"] {
        fs::copy(with_suffix(served, suffix), with_suffix(&folder.path().join("leads.db"), suffix)).unwrap();
    }
    Crashed { folder }
}

fn is_refused(path: &Path) -> bool {
    match check(path) {
        Ok(()) => false,
        Err(FileError::StaleLog { .. }) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_store_that_crashed_is_opened_with_its_own_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    assert!(!is_refused(&crash(&path).path()), "the data of a new store is only in its log");
    for _ in 0..20 {
        commit(&writer, 30);
        assert!(!is_refused(&crash(&path).path()));
        writer.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(())).unwrap();
        assert!(!is_refused(&crash(&path).path()), "the file contains every commit in the log");
        commit(&writer, 1);
        assert!(!is_refused(&crash(&path).path()), "the log has restarted");
    }
}

/// A checkpoint writes its pages in order and then syncs. A crash can leave any number of them.
#[test]
fn a_file_whose_checkpoint_was_interrupted_at_any_page_is_opened_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    commit(&writer, 3);
    checkpoint(&writer);
    writer.execute_batch("CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (randomblob(100000))").unwrap();
    commit(&writer, 3);
    let crashed = crash(&path);
    let old = fs::read(crashed.path()).unwrap();
    checkpoint(&writer);
    let new = fs::read(&path).unwrap();
    assert!(old.len() < new.len(), "the checkpoint must extend the file");
    for written in (0..=new.len()).step_by(4096) {
        let mut file = old.clone();
        file.splice(..written.min(old.len()), new[..written].iter().copied());
        fs::write(crashed.path(), file).unwrap();
        assert!(!is_refused(&crashed.path()), "{written} of {} bytes", new.len());
    }
}

#[test]
fn an_older_copy_next_to_a_newer_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    commit(&writer, 300);
    checkpoint(&writer);
    let older = crash(&path);
    commit(&writer, 1);
    checkpoint(&writer);
    commit(&writer, 1);
    let crashed = crash(&path);
    assert!(!is_refused(&crashed.path()));
    fs::copy(older.path(), crashed.path()).unwrap();
    assert!(is_refused(&crashed.path()));
}

#[test]
fn a_newer_file_next_to_an_older_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    commit(&writer, 3);
    let older = crash(&path);
    commit(&writer, 3);
    checkpoint(&writer);
    fs::copy(&path, older.path()).unwrap();
    assert!(is_refused(&older.path()));
}

#[test]
fn another_store_next_to_a_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one.db", "two.db"].map(|name| folder.path().join(name));
    let [_one, writer] = [&one, &two].map(|path| {
        let writer = opened(path);
        checkpoint(&writer);
        commit(&writer, 5);
        writer
    });
    checkpoint(&writer);
    let crashed = crash(&one);
    assert!(!is_refused(&crashed.path()));
    fs::copy(&two, crashed.path()).unwrap();
    assert!(is_refused(&crashed.path()));
}

#[test]
fn a_log_that_was_torn_at_any_byte_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    checkpoint(&writer);
    commit(&writer, 4);
    let crashed = crash(&path);
    let whole = fs::read(crashed.log()).unwrap();
    for length in (0..whole.len()).step_by(97) {
        fs::write(crashed.log(), &whole[..length]).unwrap();
        assert!(!is_refused(&crashed.path()), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn a_log_that_was_torn_while_it_overwrote_an_older_one_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leads.db");
    let writer = opened(&path);
    checkpoint(&writer);
    commit(&writer, 20);
    let old = fs::read(crash(&path).log()).unwrap();
    writer.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(())).unwrap();
    commit(&writer, 4);
    let crashed = crash(&path);
    let new = fs::read(crashed.log()).unwrap();
    assert!(new.len() == old.len() && new[..32] != old[..32], "the log must have restarted");
    for written in (0..new.len()).step_by(97) {
        fs::write(crashed.log(), [&new[..written], &old[written..]].concat()).unwrap();
        assert!(!is_refused(&crashed.path()), "{written} of {} bytes", new.len());
    }
}

//! Tests of the `data restore` command.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::process::{Database, ServerProcess, lead};

fn leads(database: &Database) -> i64 {
    database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap()
}

/// Returns a store that has one more lead than its backup, and the path of the backup.
fn changed_since_its_backup() -> (Database, PathBuf) {
    let (database, backup, _) = changed_with_a_token();
    (database, backup)
}

fn changed_with_a_token() -> (Database, PathBuf, String) {
    let database = Database::of_the_sample();
    let backup = database.folder.path().join("backup.db");
    let token = database.token();
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    let server = ServerProcess::on(&database.store);
    assert!(server.post(&token, "", &lead("one more")).starts_with("HTTP/1.1 201"));
    server.signal("TERM");
    assert!(server.end().0);
    assert_eq!(leads(&database), 51);
    (database, backup, token)
}

#[test]
fn a_restore_replaces_a_store_and_keeps_the_former_one() {
    let (database, backup) = changed_since_its_backup();
    let restored = database.json(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    assert_eq!(leads(&database), 50);
    database.assert_lead_counts();
    let former = restored["former"].as_str().unwrap();
    database.run(&["data", "restore", former, "--force"]);
    assert_eq!(leads(&database), 51);
    let server = ServerProcess::on(&database.store);
    server.signal("TERM");
    assert!(server.end().0);
}

#[test]
fn a_restore_creates_a_missing_store() {
    let (database, backup) = changed_since_its_backup();
    let other = Database::empty();
    let restored = other.json(&["data", "restore", backup.to_str().unwrap()]);
    assert_eq!((restored["former"].is_null(), leads(&other)), (true, 50));
    assert_eq!(leads(&database), 51);
}

#[test]
fn a_restore_replaces_a_store_only_with_the_flag() {
    let (database, backup) = changed_since_its_backup();
    let backup = backup.to_str().unwrap();
    assert!(database.refuses(&["data", "restore", backup]).contains("--force"));
    let server = ServerProcess::on(&database.store);
    let error = database.refuses(&["data", "restore", backup, "--force"]);
    assert!(error.contains("has the store open"), "{error}");
    drop(server);
    assert_eq!(leads(&database), 51);
}

#[test]
fn an_invalid_or_damaged_backup_changes_nothing() {
    let (database, backup) = changed_since_its_backup();
    let path = |name: &str| database.folder.path().join(name);
    fs::write(path("text.db"), "no database").unwrap();
    rusqlite::Connection::open(path("other.db")).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let mut damaged = fs::read(&backup).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8_192].fill(0xa5);
    fs::write(path("damaged.db"), damaged).unwrap();
    for name in ["text.db", "other.db", "damaged.db", "missing.db"] {
        database.refuses(&["data", "restore", path(name).to_str().unwrap(), "--force"]);
        assert_eq!(leads(&database), 51, "{name}");
    }
    for file in fs::read_dir(database.folder.path()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with('.') && !name.contains("replaced"), "{name} was left behind");
    }
}

/// After a killed restore, the store must be the former store or the restored one. Otherwise, every command must refuse
/// to open it until the restore is run again.
#[test]
fn a_killed_restore_leaves_no_mixed_store() {
    let (mut former, mut restored, mut refused) = (0, 0, 0);
    let (database, backup, token) = changed_with_a_token();
    for nth in 0..24_u32 {
        let mut server = ServerProcess::on(&database.store);
        let grown = leads(&database) + 1;
        assert!(server.post(&token, "", &lead("in the log")).starts_with("HTTP/1.1 201"));
        server.kill();
        let mut restore = database.command(&["data", "restore", backup.to_str().unwrap(), "--force"]);
        let mut restore = restore.stdout(std::process::Stdio::null()).spawn().unwrap();
        let killed_at = Instant::now() + Duration::from_micros(2_000 * u64::from(nth));
        while Instant::now() < killed_at {
            std::hint::spin_loop();
        }
        restore.kill().unwrap();
        restore.wait().unwrap();
        let listed = database.command(&["business", "list"]).output().unwrap();
        if listed.status.success() {
            let found = leads(&database);
            assert!(found == grown || found == 50, "{found} leads, expected {grown} or 50");
            *(if found == 50 { &mut restored } else { &mut former }) += 1;
        } else {
            let error = String::from_utf8_lossy(&listed.stderr).into_owned();
            assert!(error.contains("data restore"), "{error}");
            refused += 1;
            database.run(&["data", "restore", backup.to_str().unwrap(), "--force"]);
            assert_eq!(leads(&database), 50);
        }
        database.assert_lead_counts();
    }
    let is_copy = |entry: Result<fs::DirEntry, _>| entry.unwrap().file_name().to_str().unwrap().starts_with('.');
    database.run(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    assert!(!fs::read_dir(database.folder.path()).unwrap().any(is_copy), "the copies of killed restores are left");
    println!("found the former store {former} times, the restored one {restored} times, and neither {refused} times");
    assert!(former > 0, "every restore completed before it was killed");
}

//! Tests of SQLite files whose write-ahead log was lost.

use std::{fs, path::Path};

use crate::process::{BUSINESS, CLIENT, Database, OWNER, ServerProcess, lead};

const LEADS: i64 = 20;

fn leads(database: &Database) -> i64 {
    database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap()
}

/// Kills a server that has acknowledged writes.
fn crashed() -> Database {
    let database = Database::of_the_sample();
    let token = database.token();
    let mut server = ServerProcess::on(&database.store);
    for nth in 0..LEADS {
        assert!(server.post(&token, "", &lead(&format!("lead {nth}"))).starts_with("HTTP/1.1 201"));
    }
    server.kill();
    database
}

fn assert_refused(database: &Database) {
    let path = database.folder.path().join("leads.db");
    let before = fs::read(&path).unwrap();
    // If `serve` accepted the file, it would run forever, so it comes last.
    for args in [&["migrate"][..], &["business", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        let error = database.refuses(args);
        for part in [
            "was not closed in an orderly way",
            "leads.db-wal is missing",
            "leadapi data restore BACKUP --store sqlite:",
            "leads.db --force",
            "leadapi business list --store sqlite:",
            "leads.db --accept-loss",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!path.with_extension("db-wal").exists());
}

#[test]
fn a_store_that_lost_its_log_is_opened_only_if_the_loss_is_accepted() {
    let database = crashed();
    fs::remove_file(database.folder.path().join("leads.db-wal")).unwrap();
    assert_refused(&database);
    let former = fs::read(database.folder.path().join("leads.db")).unwrap();
    let csv = database.folder.path().join("leads.csv");
    fs::write(&csv, "name\n").unwrap();
    let import = ["data", "import-csv", csv.to_str().unwrap(), "--business", BUSINESS, "--client", CLIENT];
    for args in [
        &["business", "list"][..],
        &["serve", "--listen", "127.0.0.1:0"],
        &["data", "export-csv", "-", "--business", BUSINESS],
        &import,
        &["init", "--name", "B", "--owner", "o@b.example"],
    ] {
        // The reads below leave a log behind, which would hide the loss.
        for end in ["-wal", "-shm"] {
            fs::remove_file(database.folder.path().join(format!("leads.db{end}"))).unwrap_or_default();
        }
        fs::write(database.folder.path().join("leads.db"), &former).unwrap();
        let accepting = [args, &["--accept-loss"]].concat();
        match args[0] {
            "serve" => {
                let server = ServerProcess::start(&mut database.command(&accepting));
                server.signal("TERM");
                assert!(server.end().0);
            }
            "init" => assert!(database.refuses(&accepting).contains("already has a business")),
            _ => _ = database.run(&accepting),
        }
        // The loss is accepted once, and for all later commands.
        database.run(&["business", "list"]);
        assert!(leads(&database) < 50 + LEADS);
        database.assert_lead_counts();
    }
}

#[test]
fn a_copy_of_only_the_file_of_a_crashed_store_is_refused() {
    let (database, copy) = (crashed(), Database::empty());
    let path = |database: &Database| database.folder.path().join("leads.db");
    fs::copy(path(&database), path(&copy)).unwrap();
    assert_refused(&copy);
    // The copy cannot serve as a backup either.
    let other = Database::empty();
    let restore = ["data", "restore", path(&copy).to_str().unwrap()].map(str::to_owned);
    let restore: Vec<&str> = restore.iter().map(String::as_str).collect();
    assert!(other.refuses(&restore).contains("was not closed in an orderly way"));
    assert_eq!(leads(&database), 50 + LEADS);
    assert_eq!(database.json(&["business", "list"]).as_array().unwrap().len(), 2);
    assert_eq!(leads(&database), 50 + LEADS);
}

/// A new store has its first writes only in its log.
#[test]
fn a_new_store_that_lost_its_log_is_refused() {
    let database = Database::empty();
    let sample = database.folder.path().join("sample.json");
    fs::write(&sample, leadapi_core::dataset::SAMPLE).unwrap();
    let mut server = ServerProcess::start(&mut database.command(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        sample.to_str().unwrap(),
    ]));
    server.kill();
    fs::remove_file(database.folder.path().join("leads.db-wal")).unwrap();
    assert_refused(&database);
}

#[test]
fn backups_and_stores_that_were_closed_are_complete_without_a_log() {
    let database = crashed();
    let copy = |from: &Path| {
        let copy = Database::empty();
        fs::copy(from, copy.folder.path().join("leads.db")).unwrap();
        assert_eq!(copy.json(&["business", "list"]).as_array().unwrap().len(), 2);
        assert_eq!(leads(&copy), 50 + LEADS);
    };
    let server = ServerProcess::on(&database.store);
    let backup = database.folder.path().join("backup.db");
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    copy(&backup);
    server.signal("TERM");
    assert!(server.end().0);
    copy(&database.folder.path().join("leads.db"));
    // A command that opens a crashed store also closes it in an orderly way.
    let database = crashed();
    database.run(&["business", "list"]);
    copy(&database.folder.path().join("leads.db"));
}

/// The process that closes the store first must not clear the mark that the other process still needs.
#[test]
fn a_command_next_to_a_server_does_not_hide_the_loss_of_its_log() {
    let database = Database::of_the_sample();
    let token = database.token();
    let mut server = ServerProcess::on(&database.store);
    assert!(server.post(&token, "", &lead("Ann")).starts_with("HTTP/1.1 201"));
    database.run(&[&["token", "create", "--name", "other", "--scope", "read"][..], &OWNER].concat());
    // The file now has everything that the log has, including the mark. The next write is only in the log.
    database.open().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    assert!(server.post(&token, "", &lead("Bob")).starts_with("HTTP/1.1 201"));
    server.kill();
    fs::remove_file(database.folder.path().join("leads.db-wal")).unwrap();
    assert_refused(&database);
}

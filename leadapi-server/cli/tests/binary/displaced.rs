//! Deletes, moves or replaces a SQLite file while a server uses it. The server must not acknowledge a write that would
//! be lost.

use std::{fs, path::Path};

use crate::process::{Database, ServerProcess, lead, wait_until};

/// Displaces the files of a running server, and returns the server's log once it has exited.
fn displace_while_serving(displace: impl FnOnce(&Path)) -> String {
    let database = Database::of_the_sample();
    let token = database.token();
    database.run(&["data", "backup", database.folder.path().join("backup.db").to_str().unwrap()]);
    let mut server = ServerProcess::on(&database.store);
    assert!(server.post(&token, "", &lead("before")).starts_with("HTTP/1.1 201"));
    displace(database.folder.path());
    // Either the next write fails, or the periodic check has already stopped the server.
    if let Some(answer) = server.try_post(&token, &lead("after")) {
        assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    }
    wait_until("the server exits", || server.child.try_wait().unwrap());
    let (code, log) = server.code();
    assert_eq!(code, Some(1), "{log}");
    log
}

#[test]
fn deleting_the_database_stops_the_server() {
    for name in ["leads.db", "leads.db-wal", "leads.db-shm", "leads.db-lock"] {
        let log = displace_while_serving(|folder| fs::remove_file(folder.join(name)).unwrap());
        assert!(log.contains(&format!("{name} was deleted or moved while it was in use")), "{name}: {log}");
    }
}

#[test]
fn replacing_the_database_stops_the_server() {
    let log = displace_while_serving(|folder| fs::rename(folder.join("backup.db"), folder.join("leads.db")).unwrap());
    assert!(log.contains("leads.db was replaced while it was in use"), "{log}");
}

#[test]
fn renaming_the_folder_stops_the_server() {
    let mut moved = None;
    let log = displace_while_serving(|folder| {
        let to = folder.with_file_name(format!("{}-moved", folder.file_name().unwrap().to_str().unwrap()));
        fs::rename(folder, &to).unwrap();
        moved = Some(to);
    });
    fs::remove_dir_all(moved.unwrap()).unwrap();
    assert!(log.contains("leads.db was deleted or moved while it was in use"), "{log}");
}

/// Without writes, only the periodic check can notice the deletion.
#[test]
fn an_idle_server_notices_the_deletion() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    fs::remove_file(database.folder.path().join("leads.db")).unwrap();
    let (code, log) = server.code();
    assert_eq!(code, Some(1), "{log}");
}

/// SQLite must not apply a killed server's write-ahead log to the file that replaced its database.
#[test]
fn the_log_of_a_killed_server_is_not_applied_to_a_backup() {
    let database = Database::of_the_sample();
    let token = database.token();
    let path = |name: &str| database.folder.path().join(name);
    let backup = path("backup.db");
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    let mut server = ServerProcess::on(&database.store);
    for nth in 0..20 {
        assert!(server.post(&token, "", &lead(&format!("lead {nth}"))).starts_with("HTTP/1.1 201"));
    }
    server.kill();
    fs::copy(&backup, path("leads.db")).unwrap();
    let [file, log] = ["leads.db", "leads.db-wal"].map(|name| fs::read(path(name)).unwrap());
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"], &["business", "list"]] {
        let error = database.refuses(args);
        assert!(error.contains("does not belong to") && error.contains("leads.db --force"), "{error}");
    }
    assert_eq!([fs::read(path("leads.db")).unwrap(), fs::read(path("leads.db-wal")).unwrap()], [file, log]);
    let output = database.run(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    assert!(output.contains("was restored from"), "{output}");
    let leads: i64 = database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap();
    assert_eq!(leads, 50);
}

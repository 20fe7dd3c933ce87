//! Tests of files and folders that the process has no permission to write or read.

use std::{
    fs::{self, Permissions},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::Command,
};

use crate::process::{BINARY, Database, ServerProcess};

/// The number of the user "nobody". If a test runs as root, its commands run as this user, because root has every
/// permission. This user must not own the files of the test.
const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A command that runs as a user without privileges.
fn unprivileged(args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).env_remove("HOME");
    // Only root can and must change the user.
    if fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn run(args: &[&str]) -> (Option<i32>, String) {
    let output = unprivileged(args).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Returns a store whose backup is in a read-only folder.
fn backed_up() -> (Database, tempfile::TempDir, String) {
    let database = Database::of_the_sample();
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup.db");
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    set_mode(&backup, 0o444);
    set_mode(folder.path(), 0o555);
    let path = backup.to_str().unwrap().to_owned();
    (database, folder, path)
}

#[test]
fn a_backup_in_a_read_only_folder_can_be_restored_and_exported() {
    let (database, folder, backup) = backed_up();
    let exported = database.run(&["data", "export"]);
    let target = tempfile::tempdir().unwrap();
    set_mode(target.path(), 0o777);
    let store = format!("sqlite:{}", target.path().join("restored.db").display());
    let (code, text) = run(&["data", "restore", &backup, "--store", &store]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(run(&["data", "export", "--store", &store]), (Some(0), exported.clone()));
    assert_eq!(run(&["data", "export", "--store", &format!("sqlite:{backup}")]), (Some(0), exported));
    let add = ["business", "add", "--name", "B", "--owner", "o@b.example", "--store", &format!("sqlite:{backup}")];
    let (code, text) = run(&add);
    assert!(code == Some(1) && text.contains("readonly"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    set_mode(folder.path(), 0o755);
}

/// The folder is writable, so files could be created.
#[test]
fn a_restore_leaves_nothing_next_to_the_backup() {
    let (_database, folder, backup) = backed_up();
    set_mode(folder.path(), 0o755);
    set_mode(Path::new(&backup), 0o600);
    // A backup of an earlier version is in WAL mode.
    let earlier = folder.path().join("earlier.db");
    fs::copy(&backup, &earlier).unwrap();
    let connection = rusqlite::Connection::open(&earlier).unwrap();
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    drop(connection);
    for file in [&backup, earlier.to_str().unwrap()] {
        let other = Database::empty();
        other.run(&["data", "restore", file]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_file_that_may_not_be_written_or_read_is_refused_with_its_owner_and_mode() {
    let database = Database::of_the_sample();
    let path = database.folder.path().join("leads.db");
    set_mode(database.folder.path(), 0o777);
    let user = |id: u32| format!("(user {id})");
    let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(&path).unwrap());
    for (mode, right, args) in [
        (0o444, "write", &["serve", "--listen", "127.0.0.1:0"][..]),
        (0o000, "read", &["serve", "--listen", "127.0.0.1:0"]),
        (0o000, "read", &["business", "list"]),
    ] {
        set_mode(&path, mode);
        let (code, text) = run(&[args, &["--store", &database.store]].concat());
        let expected = format!("may not {right} {}, which belongs to", path.display());
        assert!(code == Some(1) && text.contains(&expected) && text.contains(&user(owner)), "{text}");
        assert!(text.contains(&format!("mode {mode:04o}")) && text.contains("this process runs as"), "{text}");
    }
    set_mode(&path, 0o600);
}

#[test]
fn a_file_that_others_may_read_is_reported() {
    let database = Database::of_the_sample();
    for (mode, is_reported) in [(0o644, true), (0o600, false)] {
        set_mode(&database.folder.path().join("leads.db"), mode);
        let server = ServerProcess::on(&database.store);
        server.signal("TERM");
        let (succeeded, _, log) = server.end();
        assert!(succeeded && log.contains("other users may access") == is_reported, "{mode:o}: {log}");
    }
}

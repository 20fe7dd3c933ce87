//! Tests of several processes that have the same store open.

use std::{
    fmt::Write,
    fs,
    process::{Child, Output, Stdio},
};

use crate::process::{BUSINESS, CLIENT, Database, ServerProcess, wait_until};

const ROWS: i64 = 3_000;

fn leads(database: &Database) -> i64 {
    database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap()
}

/// Starts an import, and returns it once it has created leads.
fn import_in_progress(database: &Database) -> Child {
    let file = database.folder.path().join("leads.csv");
    let mut rows = "name\n".to_owned();
    (0..ROWS).for_each(|nth| writeln!(rows, "Lead {nth}").unwrap());
    fs::write(&file, rows).unwrap();
    let args = ["data", "import-csv", file.to_str().unwrap(), "--business", BUSINESS, "--client", CLIENT];
    let mut command = database.command(&args);
    let import = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the import creates leads", || leads(database) > 60);
    import
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

#[test]
fn a_restore_is_refused_while_a_command_has_the_store_open() {
    let database = Database::of_the_sample();
    let backup = database.folder.path().join("backup.db");
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    let import = import_in_progress(&database);
    let process = import.id();
    let error = database.refuses(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    assert!(error.contains("has the store open: stop it, and try again"), "{error}");
    if cfg!(target_os = "linux") {
        assert!(error.contains(&format!("process {process} (leadapi data import-csv)")), "{error}");
    }
    let output = import.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(leads(&database), 50 + ROWS);
    database.run(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    assert_eq!(leads(&database), 50);
}

/// A program that ignores the locks replaces the file.
#[test]
fn a_command_whose_file_is_replaced_reports_that_its_changes_may_be_lost() {
    let database = Database::of_the_sample();
    let path = |name: &str| database.folder.path().join(name);
    database.run(&["data", "backup", path("backup.db").to_str().unwrap()]);
    let import = import_in_progress(&database);
    fs::rename(path("backup.db"), path("leads.db")).unwrap();
    let output = import.wait_with_output().unwrap();
    let text = text(&output);
    assert!(!output.status.success() && text.contains("leads.db was replaced while it was in use"), "{text}");
}

#[test]
fn commands_work_next_to_each_other_and_to_a_server() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    let import = import_in_progress(&database);
    assert_eq!(database.json(&["business", "list"]).as_array().unwrap().len(), 2);
    let output = import.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    server.signal("TERM");
    assert!(server.end().0);
    assert_eq!(leads(&database), 50 + ROWS);
}

/// Otherwise, each name of the file would have its own write-ahead log.
#[cfg(target_os = "linux")]
#[test]
fn a_hard_link_of_a_store_in_use_is_refused() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    let mut linked = Database::empty();
    let path = linked.folder.path().join("leads.db");
    fs::hard_link(database.folder.path().join("leads.db"), &path).unwrap();
    linked.store = format!("sqlite:{}", path.display());
    let error = linked.refuses(&["business", "list"]);
    assert!(error.contains("uses the file under another name"), "{error}");
    assert_eq!(fs::read_dir(linked.folder.path()).unwrap().count(), 1);
    server.signal("TERM");
    assert!(server.end().0);
    assert_eq!(linked.json(&["business", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_restore_never_replaces_a_store_that_appears_in_the_meantime() {
    let database = Database::of_the_sample();
    let backup = database.folder.path().join("backup.db");
    database.run(&["data", "backup", backup.to_str().unwrap()]);
    let other = Database::empty();
    let mut restores: Vec<Child> = (0..4)
        .map(|_| {
            let mut command = other.command(&["data", "restore", backup.to_str().unwrap()]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let succeeded = restores.iter_mut().filter_map(|restore| restore.wait().unwrap().success().then_some(())).count();
    assert_eq!(succeeded, 1);
    assert_eq!(fs::read_dir(other.folder.path()).unwrap().count(), 1);
    assert_eq!(leads(&other), 50);
}

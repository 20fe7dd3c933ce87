//! Tests of the `serve` command with a SQLite file.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    thread,
};

use crate::process::{BINARY, CLIENT, Database, ServerProcess, data_file, lead, read_secrets, refused};

#[test]
fn acknowledged_writes_survive_a_kill() {
    let database = Database::of_the_sample();
    let token = database.token();
    let mut server = ServerProcess::on(&database.store);
    assert!(server.printed.contains(&format!("with 2 businesses, store: {}", database.store)), "{}", server.printed);
    let answer = server.post(&token, "idempotency-key: k\r\n", &lead("Ann"));
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let id = answer.split("location: /v1/leads/").nth(1).unwrap()[..36].to_owned();
    server.kill();
    let server = ServerProcess::on(&database.store);
    assert_eq!(server.status(&format!("/v1/leads/{id}"), &token), "200");
    let answer = server.post(&token, "idempotency-key: k\r\n", &lead("Ann"));
    assert!(answer.contains("idempotency-replayed: true") && answer.contains(&id), "{answer}");
    database.assert_lead_counts();
}

#[test]
fn a_file_has_one_server_under_any_name_and_private_permissions() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    let path = |name: &str| database.folder.path().join(name);
    std::os::unix::fs::symlink(path("leads.db"), path("link.db")).unwrap();
    fs::hard_link(path("leads.db"), path("hard.db")).unwrap();
    for (name, reason) in [
        ("leads.db", "another server is serving the file"),
        ("link.db", "another server is serving the file"),
        ("hard.db", "uses the file under another name"),
    ] {
        let store = format!("sqlite:{}", path(name).display());
        let error = refused(Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0", "--store", &store]));
        assert!(error.contains(&format!("cannot use {store} as a store: ")) && error.contains(reason), "{error}");
    }
    for name in ["leads.db", "leads.db-wal", "leads.db-shm", "leads.db-lock"] {
        let mode = fs::metadata(path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    server.signal("TERM");
    assert!(server.end().0);
    ServerProcess::on(&database.store);
}

#[test]
fn only_one_of_four_concurrent_servers_serves_a_file() {
    let database = Database::of_the_sample();
    fs::hard_link(database.folder.path().join("leads.db"), database.folder.path().join("hard.db")).unwrap();
    let hard = format!("sqlite:{}", database.folder.path().join("hard.db").display());
    let stores = [&database.store, &hard, &database.store, &hard];
    let started = thread::scope(|scope| {
        let threads = stores.map(|store| {
            scope.spawn(move || {
                let mut command = Command::new(BINARY);
                command.args(["serve", "--listen", "127.0.0.1:0", "--store", store]).stderr(Stdio::null());
                ServerProcess::try_spawn(&mut command)
            })
        });
        threads.map(|thread| thread.join().unwrap())
    });
    let listening = started.iter().filter(|server| server.is_ok()).count();
    assert_eq!(listening, 1);
}

#[test]
fn foreign_or_newer_files_are_refused_unchanged() {
    for (sql, rule) in [
        ("CREATE TABLE theirs (a)", "a SQLite database of another application"),
        ("PRAGMA user_version = 7", "a SQLite database of another application"),
        ("PRAGMA application_id = 0x6c656164; PRAGMA user_version = 9999", "use a newer binary"),
    ] {
        let database = Database::empty();
        database.open().execute_batch(sql).unwrap();
        let path = database.folder.path().join("leads.db");
        let before = fs::read(&path).unwrap();
        for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"], &["business", "list"]] {
            let error = database.refuses(args);
            assert!(error.contains(rule), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(fs::read_dir(database.folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_data_set_is_imported_only_into_an_empty_store() {
    let database = Database::empty();
    let data = data_file("into-empty", r#"{"name": "new", "scopes": ["read"]}"#);
    let serve = || database.command(&["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    let server = ServerProcess::start(&mut serve());
    let tokens = read_secrets(&data);
    assert_eq!(tokens.as_array().unwrap().len(), 1);
    assert_eq!(server.status("/v1/leads", tokens[0]["token"].as_str().unwrap()), "200");
    server.signal("TERM");
    assert!(server.end().0);
    let other = fs::read_to_string(&data).unwrap().replace(r#""b1""#, r#""b2""#);
    fs::write(&data, other).unwrap();
    let server = ServerProcess::start(&mut serve());
    assert!(server.printed.contains("the store already contains data: "), "{}", server.printed);
    assert!(server.printed.contains("was not imported") && !server.printed.contains("pak_"), "{}", server.printed);
    assert!(server.printed.contains("with 1 business,"), "{}", server.printed);
}

#[test]
fn a_password_is_never_printed() {
    for store in ["postgres:u:S3cret@h/d", "mysql://u:S3cret@h/d"] {
        for args in [&["serve"][..], &["migrate"], &["serve", "--help"], &["migrate", "--help"]] {
            let output = Command::new(BINARY).args(args).env("LEADAPI_STORE", store).output().unwrap();
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains("S3cret"), "{text}");
            assert!(args.len() == 2 || (output.status.code() == Some(2) && text.contains("must be")), "{text}");
        }
    }
    for (store, shown) in [
        ("postgres://u:S3cret@127.0.0.1:1/d", "cannot use postgres://127.0.0.1:1/d as a store"),
        ("postgres://u:S3?cret@127.0.0.1:1/d", "cannot use postgres://… as a store"),
        ("postgres://u:S3cret/d", "cannot use postgres://… as a store"),
    ] {
        let error = refused(Command::new(BINARY).args(["serve", "--store", store]));
        assert!(error.contains(shown) && !error.contains("S3") && !error.contains("cret"), "{error}");
        let config = Command::new(BINARY).args(["config", "--store", store]).output().unwrap();
        let text = String::from_utf8([config.stdout, config.stderr].concat()).unwrap();
        assert!(!text.contains("S3") && !text.contains("cret"), "{text}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_unchanged() {
    let database = Database::empty();
    let path = database.folder.path().join("leads.db");
    for content in ["x", "SQLite format 3", "a text that is longer than the header of a database"] {
        fs::write(&path, content).unwrap();
        for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"], &["business", "list"]] {
            let error = database.refuses(args);
            assert!(error.contains("is not a SQLite database"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(fs::read_dir(database.folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_write_while_another_program_holds_the_lock_is_an_overload() {
    let database = Database::of_the_sample();
    let token = database.token();
    let server = ServerProcess::on(&database.store);
    let other = database.open();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = server.post(&token, "", &lead("Ann"));
    assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    other.execute_batch("ROLLBACK").unwrap();
    let answer = server.post(&token, "", &lead("Ann"));
    assert!(answer.starts_with("HTTP/1.1 201") && !answer.contains("retry-after"), "{answer}");
}

#[test]
fn a_missing_folder_and_ambiguous_urls_are_named() {
    let database = Database::empty();
    let folder = database.folder.path().join("missing");
    let store = format!("sqlite:{}", folder.join("leads.db").display());
    let error = refused(Command::new(BINARY).args(["migrate", "--store", &store]));
    assert!(error.contains(&format!("the folder {} does not exist", folder.display())), "{error}");
    for store in ["sqlite://leads.db", "sqlite::memory:", "sqlite:leads.db?mode=ro", "sqlite:~/leads.db"] {
        let mut command = Command::new(BINARY);
        let output = command.args(["migrate", "--store", store]).current_dir(database.folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{store}");
        assert_eq!(fs::read_dir(database.folder.path()).unwrap().count(), 0, "{store}");
    }
}

#[test]
fn a_typo_in_the_path_creates_no_file() {
    let database = Database::empty();
    let error = database.refuses(&["client", "list", "--business", CLIENT]);
    assert!(error.contains("no such database: sqlite:"), "{error}");
    assert_eq!(fs::read_dir(database.folder.path()).unwrap().count(), 0);
    assert!(database.run(&["migrate"]).contains("is up to date"));
    assert_eq!(database.json(&["business", "list"]), serde_json::json!([]));
}

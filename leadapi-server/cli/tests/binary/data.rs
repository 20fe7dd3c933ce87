//! Tests of the `data` commands for imports, exports, checks and backups, with and without a running server.

use std::{fs, os::unix::fs::PermissionsExt, process::Command, thread};

use leadapi_core::dataset::Dataset;

use crate::process::{BINARY, Database, OWNER, ServerProcess, lead, wait_until};

#[test]
fn an_export_imported_elsewhere_is_identical_and_its_tokens_are_valid() {
    let (old, new) = (Database::of_the_sample(), Database::empty());
    let token = old.token();
    let file = old.folder.path().join("export.json");
    let file = file.to_str().unwrap();
    old.run(&["data", "export", file]);
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let exported = fs::read_to_string(file).unwrap();
    assert_eq!(old.run(&["data", "export"]), exported);
    assert!(!exported.contains(&token[8..]));
    assert_eq!(new.json(&["data", "import", file])["tokens"], serde_json::json!([]));
    assert_eq!(new.run(&["data", "export", "-"]), exported);
    new.assert_lead_counts();
    assert_eq!(ServerProcess::on(&new.store).status("/v1/leads", &token), "200");
    // The export equals the sample except for the order of records and the tokens: only the sample contains their
    // secrets.
    let (sample, exported) =
        (Dataset::parse(leadapi_core::dataset::SAMPLE).unwrap(), Dataset::parse(&exported).unwrap());
    for (mut before, mut after) in sample.businesses.into_iter().zip(exported.businesses) {
        before.leads.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        before.clients.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        before.members.sort_by(|a, b| a.email.cmp(&b.email));
        before.tokens.clear();
        after.tokens.clear();
        // The audit log contains only the creation of the token.
        after.audit.clear();
        assert_eq!(before, after);
    }
}

/// Covers imports into another SQLite file and into memory. The store tests cover PostgreSQL.
#[test]
fn a_retry_after_an_export_and_import_creates_no_second_lead() {
    let database = Database::of_the_sample();
    let token = database.token();
    let server = ServerProcess::on(&database.store);
    let body = r#"{"client_id":"019bb17b-d806-7737-af83-b92ecab0df7d","name":"Ann","notes":"once"}"#;
    let create = |server: &ServerProcess, body: &str| server.post(&token, "idempotency-key: k1\r\n", body);
    let first = create(&server, body);
    assert!(first.starts_with("HTTP/1.1 201") && !first.contains("idempotency-replayed"), "{first}");
    let id = first.split("location: /v1/leads/").nth(1).unwrap()[..36].to_owned();
    server.signal("TERM");
    assert!(server.end().0);
    let file = database.folder.path().join("export.json");
    let file = file.to_str().unwrap();
    let exported = database.run(&["data", "export", file]);
    assert!(exported.contains("51 leads"), "{exported}");
    let checked = Command::new(BINARY).args(["data", "check", file]).output().unwrap();
    assert!(String::from_utf8(checked.stdout).unwrap().contains(", 1 idempotency key, 1 audit log entry\n"));
    let other = Database::empty();
    other.run(&["data", "import", file]);
    let mut in_memory = Command::new(BINARY);
    in_memory.args(["serve", "--listen", "127.0.0.1:0", "--data", file]);
    for server in [ServerProcess::on(&other.store), ServerProcess::start(&mut in_memory)] {
        let again = create(&server, body);
        assert!(again.starts_with("HTTP/1.1 201") && again.contains("idempotency-replayed: true"), "{again}");
        assert!(again.contains(&id), "{again}");
        let reused = create(&server, &body.replace("Ann", "Bob"));
        assert!(reused.starts_with("HTTP/1.1 400"), "{reused}");
    }
}

#[test]
fn an_export_replaces_no_file_and_leaves_no_partial_file() {
    let database = Database::of_the_sample();
    let file = database.folder.path().join("export.json");
    fs::write(&file, "mine").unwrap();
    let export = ["data", "export", file.to_str().unwrap()];
    assert!(database.refuses(&export).contains("export.json already exists; use --force"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    database.run(&[&export[..], &["--force"]].concat());
    assert!(Dataset::parse(&fs::read_to_string(&file).unwrap()).is_ok());
    let files = || fs::read_dir(database.folder.path()).unwrap().count();
    let before = files();
    let limited = r#"trap "" XFSZ; ulimit -f 80; exec "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", BINARY, "data", "export", "--force"]).arg(&file);
    let output = command.args(["--store", &database.store]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write") && error.contains("export.json: File too large"), "{error}");
    assert!(Dataset::parse(&fs::read_to_string(&file).unwrap()).is_ok());
    assert_eq!(files(), before);
}

/// All tables. If a data set does not carry the rows of a table, the second value is the reason.
const TABLES: [(&str, Option<&str>); 14] = [
    ("audit", None),
    ("business", None),
    ("client", None),
    ("form", None),
    ("idempotency", None),
    ("lead", None),
    ("lineage", Some("the id of the store belongs to the store")),
    ("login_link", Some("a sign-in link lasts for minutes")),
    ("member", None),
    ("pipeline", None),
    ("session", Some("people sign in again")),
    ("stage", None),
    ("tally", Some("the import counts the leads")),
    ("token", None),
];

#[test]
fn an_export_carries_every_table_unless_there_is_a_reason() {
    let (old, new) = (Database::of_the_sample(), Database::empty());
    let token = old.token();
    let server = ServerProcess::on(&old.store);
    let create = |key: &str, name| server.post(&token, &format!("idempotency-key: {key}\r\n"), &lead(name));
    assert!(create("k1", "Ann").starts_with("HTTP/1.1 201"));
    server.signal("TERM");
    assert!(server.end().0);
    let by = |command: &[&str]| old.run(&[command, &OWNER].concat());
    by(&["token", "create", "--name", "second", "--scope", "read"]);
    by(&["login-link"]);
    let log = by(&["audit", "list"]);
    assert!(log.contains("token_created") && log.contains("login_link_created"), "{log}");
    let file = old.folder.path().join("export.json");
    old.run(&["data", "export", file.to_str().unwrap()]);
    new.run(&["data", "import", file.to_str().unwrap()]);

    let (before, after) = (old.open(), new.open());
    let tables = column(&before, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    assert_eq!(tables, TABLES.map(|(name, _)| name), "is the new table in a data set?");
    for (table, _) in TABLES.iter().filter(|(_, reason)| reason.is_none()) {
        let columns = column(&before, &format!("SELECT name FROM pragma_table_info('{table}')"));
        let columns: Vec<String> = columns.iter().map(|name| format!("quote({name})")).collect();
        let rows = format!("SELECT {} AS row FROM {table} ORDER BY row", columns.join(" || ' ' || "));
        let (before, after) = (column(&before, &rows), column(&after, &rows));
        assert!(!before.is_empty(), "{table} has no rows to carry");
        assert_eq!(before, after, "{table}");
    }
    assert_eq!(new.run(&[&["audit", "list"][..], &OWNER].concat()), log);
}

fn column(database: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).unwrap();
    statement.query_map((), |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn an_import_is_atomic_and_locates_the_error() {
    let database = Database::of_the_sample();
    let file = database.folder.path().join("sample.json");
    let before = database.run(&["data", "export"]);
    let error = database.refuses(&["data", "import", file.to_str().unwrap()]);
    assert!(error.contains("businesses[0].id: the business"), "{error}");
    let bad = database.folder.path().join("bad.json");
    fs::write(&bad, leadapi_core::dataset::SAMPLE.replacen("\"name\": ", "\"nmae\": ", 1)).unwrap();
    for args in [["data", "import", bad.to_str().unwrap()], ["data", "import", "nowhere.json"]] {
        database.refuses(&args);
    }
    assert_eq!(database.run(&["data", "export"]), before);
}

#[test]
fn a_check_prints_counts_or_the_error() {
    let database = Database::of_the_sample();
    let file = database.folder.path().join("sample.json");
    let check = |file: &str| Command::new(BINARY).args(["data", "check", "--json", file]).output().unwrap();
    let counts: serde_json::Value = serde_json::from_slice(&check(file.to_str().unwrap()).stdout).unwrap();
    assert_eq!((&counts["businesses"], &counts["leads"], &counts["stages"]), (&2.into(), &50.into(), &19.into()));
    fs::write(&file, r#"{"businesses": [{"id": "a b"}]}"#).unwrap();
    let output = check(file.to_str().unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("sample.json: invalid data at line 1 column"));
}

#[test]
fn a_backup_under_load_is_a_servable_snapshot() {
    let database = Database::of_the_sample();
    let token = database.token();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--writes-per-minute", "100000"];
    let server = ServerProcess::start(&mut database.command(&serve));
    let mut copy = Database::empty();
    let path = copy.folder.path().join("copy.db");
    thread::scope(|scope| {
        let writer = scope.spawn(|| (0..200).filter(|nth| create(&server, &token, *nth)).count());
        let leads = || database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get::<_, i64>(0)).unwrap();
        wait_until("20 creates", || leads() >= 70);
        database.run(&["data", "backup", path.to_str().unwrap()]);
        assert_eq!(writer.join().unwrap(), 200);
    });
    assert!(
        database.refuses(&["data", "backup", path.to_str().unwrap()]).contains("copy.db already exists; use --force")
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    copy.store = format!("sqlite:{}", path.display());
    copy.assert_lead_counts();
    let leads: i64 = copy.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap();
    assert!((70..=250).contains(&leads), "{leads}");
    assert!(create(&ServerProcess::on(&copy.store), &token, 0));
}

fn create(server: &ServerProcess, token: &str, nth: usize) -> bool {
    server.post(token, "", &lead(&format!("lead {nth}"))).starts_with("HTTP/1.1 201")
}

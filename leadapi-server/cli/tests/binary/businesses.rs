//! Tests of the commands that add, rename and remove businesses.

use crate::{
    init::on_a_terminal,
    process::{BINARY, BUSINESS, Database, OWNER, ServerProcess, equals, wait_until},
};

const LEADS: &str = "SELECT count(*) FROM lead WHERE business_id = ?1";

fn count(database: &Database, sql: &str) -> i64 {
    database.open().query_row(sql, [BUSINESS], |row| row.get(0)).unwrap()
}

/// Returns each table that has the `business_id` column, and how many of its rows belong to the sample's first
/// business.
fn rows(database: &Database) -> Vec<(String, i64)> {
    let connection = database.open();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN \
        (SELECT t.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE c.name = 'business_id')";
    let mut tables = connection.prepare(tables).unwrap();
    let tables = tables.query_map((), |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
    tables
        .map(|table| (table.clone(), count(database, &format!("SELECT count(*) FROM {table} WHERE business_id = ?1"))))
        .collect()
}

#[test]
fn a_business_is_added_with_an_owner_and_renamed() {
    let database = Database::of_the_sample();
    let added = database.json(&["business", "add", "--name", " Sol ", "--owner", "ann@sol.example", "--id", "sol"]);
    assert_eq!((&added["id"], &added["name"]), (&"sol".into(), &"Sol".into()));
    database.run(&[
        "token",
        "create",
        "--business",
        "sol",
        "--as",
        "ann@sol.example",
        "--name",
        "t",
        "--scope",
        "read",
    ]);
    assert_eq!(
        database.run(&["business", "rename", "sol", "--name", "Sol GmbH"]),
        "business sol is now \"Sol GmbH\"\n"
    );
    assert_eq!(database.json(&["business", "list"])[2]["name"], "Sol GmbH");
    for (args, rule) in [
        (
            &["business", "add", "--name", "x", "--owner", "a@b.example", "--id", "sol"][..],
            "the business sol already exists",
        ),
        (&["business", "add", "--name", " ", "--owner", "a@b.example"], "name must be 1 to 200"),
        (&["business", "add", "--name", "x", "--owner", "a"], "email must be an e-mail address"),
        (&["business", "rename", "none", "--name", "x"], "no such business: none"),
        (&["business", "rename", "sol", "--name", ""], "name must be 1 to 200"),
        (&["business", "remove", "none"], "no such business: none"),
    ] {
        let error = database.refuses(args);
        assert!(error.contains(rule), "{args:?}: {error}");
    }
    assert_eq!(database.json(&["business", "list"]).as_array().unwrap().len(), 3);
    // The business has no leads, but a valid token.
    let refused = database.refuses(&["business", "remove", "Sol GmbH"]);
    assert!(refused.contains("--confirm is required"), "{refused}");
    assert!(database.refuses(&["business", "remove", "sol", "--confirm", "Sol GmbH"]).contains("nothing was removed"));
    database.run(&["token", "revoke", "t", "--business", "sol"]);
    assert_eq!(
        database.run(&["business", "remove", "Sol GmbH"]),
        "business \"Sol GmbH\" (sol) was removed with 0 leads\n"
    );
    assert_eq!(database.json(&["business", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_business_with_leads_is_removed_only_if_its_id_is_repeated() {
    let database = Database::of_the_sample();
    let leads = count(&database, LEADS);
    for (args, rule) in [
        (
            &["business", "remove", BUSINESS][..],
            format!("the business has {leads} leads: use --with-leads to remove them too"),
        ),
        (&["business", "remove", BUSINESS, "--with-leads"], "--confirm is required".into()),
        (&["business", "remove", BUSINESS, "--with-leads", "--confirm", "yes"], "nothing was removed".into()),
    ] {
        let error = database.refuses(args);
        assert!(error.contains(&rule), "{args:?}: {error}");
        assert_eq!(count(&database, LEADS), leads, "{args:?}");
    }
    let command = format!("{BINARY} business remove {BUSINESS} --with-leads --store {}", database.store);
    let (success, shown) = on_a_terminal(&command, "y\n");
    assert!(
        !success && shown.contains(&format!("Repeat the id to remove the business with {leads} leads and ")),
        "{shown}"
    );
    assert_eq!(count(&database, LEADS), leads);
    let (success, shown) = on_a_terminal(&command, &format!("{BUSINESS}\n"));
    assert!(success && shown.contains(&format!("was removed with {leads} leads")), "{shown}");
    assert_eq!(count(&database, LEADS), 0);
}

/// Before the removal, every table with the `business_id` column has a row, so a table that the command forgets fails
/// the test.
#[test]
fn a_removed_business_leaves_no_record_behind() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(std::process::Command::new(BINARY).args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        "127.0.0.1:0",
        "--store",
        &database.store,
    ]));
    let token = database.token();
    let created = server.post(&token, "idempotency-key: k\r\n", &crate::process::lead("Ann"));
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
    for _ in 0..2 {
        database.run(&[&["login-link"][..], &OWNER].concat());
    }
    let session = "INSERT INTO session VALUES (?1, 's', x'00', 'owner@harbour.example', 0, 0, NULL)";
    database.open().execute(session, [BUSINESS]).unwrap();
    let before = rows(&database);
    assert!(before.len() >= 13 && before.iter().all(|(_, rows)| *rows > 0), "{before:?}");

    database.run(&["business", "remove", BUSINESS, "--with-leads", "--confirm", BUSINESS]);
    assert!(rows(&database).iter().all(|(_, rows)| *rows == 0), "{:?}", rows(&database));
    wait_until("the token is refused", || equals(server.status("/v1/clients", &token), "401"));
    database.assert_lead_counts();
    let left = database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get::<_, i64>(0)).unwrap();
    assert!(left > 0, "the other business keeps its leads");
}

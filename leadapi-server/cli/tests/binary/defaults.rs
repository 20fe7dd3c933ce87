//! Tests of the settings that commands take from the environment, a settings file and the content of the store.

use std::{
    fs,
    process::{Command, Output},
};

use crate::process::{BINARY, BUSINESS, Database, ServerProcess};

/// Runs a command without `--store`, and returns its exit code and its output.
fn run(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn the_only_business_and_its_only_owner_are_the_defaults() {
    let database = Database::empty();
    let none = database.refuses(&["client", "list"]);
    assert!(none.contains("no such database"), "{none}");
    database.run(&["migrate"]);
    let none = database.refuses(&["client", "list"]);
    assert!(none.contains("the store has no business: \"leadapi init\" creates the first one"), "{none}");
    database.run(&["init", "--name", "Sol", "--id", "sol", "--owner", "ann@sol.example", "--token", "site"]);
    let listed = database.json(&["token", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["created_by"]), (&"site".into(), &"ann@sol.example".into()));
    let revoked = database.run(&["token", "revoke", "site"]);
    assert!(revoked.contains("of business \"Sol\" (sol) was revoked"), "{revoked}");

    // A default never chooses one of several.
    database.run(&["member", "add", "bob@sol.example", "--role", "owner"]);
    let owners = database.refuses(&["token", "list"]);
    assert!(owners.contains("--as is required, because the business has 2 owners: ann@sol.example, bob@"), "{owners}");
    database.run(&["business", "add", "Luna", "--id", "luna", "--owner", "eve@luna.example"]);
    for args in [&["client", "list"][..], &["client", "remove", "Sol"], &["token", "list"], &["login-link"]] {
        let error = database.refuses(args);
        assert!(error.contains("--business is required, because the store has 2 businesses: "), "{args:?}: {error}");
        assert!(error.contains("Sol (sol)") && error.contains("Luna (luna)"), "{args:?}: {error}");
    }
    assert_eq!(database.json(&["client", "list", "--business", "luna"]).as_array().unwrap().len(), 0);
    let removed = database.run(&["client", "remove", "Sol", "--business", "Sol"]);
    assert!(removed.contains("with 0 leads from business \"Sol\" (sol)"), "{removed}");
}

/// Each row has a value on the command line, in the environment and in the file, and the business that is used.
#[test]
fn commands_use_options_then_variables_then_the_settings_file() {
    let database = Database::of_the_sample();
    let path = database.folder.path().join("server.toml");
    let other = "019bb16e-fe80-7ce5-9b8a-5d9d5b6f0d11";
    let settings = format!("store = {:?}\nmax-requests = 7\nbusiness = \"{BUSINESS}\"\n", database.store);
    fs::write(&path, format!("{settings}as = \"owner@harbour.example\"\n")).unwrap();
    for (args, variable, expected) in [
        (&[][..], None, Ok("owner@harbour.example")),
        (&["--business", "none"], None, Err("no such business: none")),
        (&[], Some("none"), Err("no such business: none")),
        (&["--business", BUSINESS], Some("none"), Ok("owner@harbour.example")),
        (&["--store", "sqlite:none.db"], None, Err("no such database")),
    ] {
        let mut command = Command::new(BINARY);
        command.args(["member", "list"]).args(args).env("LEADAPI_CONFIG", &path);
        command.envs(variable.map(|business| ("LEADAPI_BUSINESS", business)));
        let (code, text) = run(&mut command);
        assert_eq!(code, Some(i32::from(expected.is_err())), "{args:?}: {text}");
        assert!(text.contains(expected.unwrap_or_else(|error| error)), "{args:?}: {text}");
    }
    let (code, text) = run(Command::new(BINARY).args(["token", "list", "--config"]).arg(&path));
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(Command::new(BINARY).args(["token", "list", "--as", other, "--config"]).arg(&path));
    assert!(code == Some(1) && text.contains("is not a member"), "{text}");

    fs::write(&path, "store = \"memory\"\n").unwrap();
    let (code, text) = run(Command::new(BINARY).args(["member", "list", "--config"]).arg(&path));
    assert!(code == Some(2) && text.contains("--store <STORE> must be sqlite:PATH"), "{text}");
    fs::write(&path, "busines = \"x\"\n").unwrap();
    let (code, text) = run(Command::new(BINARY).args(["member", "list", "--config"]).arg(&path));
    assert!(code == Some(2) && text.contains("busines is not a setting, did you mean business?"), "{text}");
}

#[test]
fn a_sign_in_link_leads_to_the_pages_of_the_server() {
    let database = Database::empty();
    database.run(&["init", "--name", "Sol", "--owner", "ann@sol.example"]);
    let mut serve = Command::new(BINARY);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--store", &database.store]);
    let server = ServerProcess::start(&mut serve);
    let address = server.listener("API settings").unwrap().to_owned();
    let path = database.folder.path().join("server.toml");
    fs::write(&path, format!("store = {:?}\nadmin-listen = \"{address}\"\n", database.store)).unwrap();
    let link = || {
        let mut command = Command::new(BINARY);
        command.args(["login-link", "--config"]).arg(&path);
        command
    };
    let (code, text) = run(&mut link());
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with(&format!("http://{address}/sign-in/")), "{text}");
    assert!(!text.contains("warning") && text.contains("acts as ann@sol.example in business \"Sol\""), "{text}");
    for (args, expected) in [
        (&["--admin-url", "https://settings.example.com"][..], "https://settings.example.com/sign-in/"),
        (&["--admin-listen", "0.0.0.0:1"], "http://0.0.0.0:1/sign-in/"),
        (&["--admin-listen", "0.0.0.0:1", "--tls-cert", "x"], "https://0.0.0.0:1/sign-in/"),
        (&["--admin-listen", "127.0.0.1:1", "--tls-cert", "x"], "http://127.0.0.1:1/sign-in/"),
        (&["--admin-listen", "127.0.0.1:1"], "warning: nothing listens at 127.0.0.1:1"),
        (&["--admin-listen", "unix:/run/x.sock"], "needs --admin-url"),
    ] {
        let (_, text) = run(link().args(args));
        assert!(text.contains(expected), "{args:?}: {text}");
    }
}

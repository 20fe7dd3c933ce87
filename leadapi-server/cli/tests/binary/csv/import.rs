//! Tests of the leads that an import creates, the rows that it refuses, and its report.

use std::{fs, process::Command};

use super::{Site, output, remote};
use crate::process::{BINARY, BUSINESS, CLIENT, OWNER, ServerProcess};

#[test]
fn refused_rows_can_be_corrected_and_imported() {
    let site = Site::empty();
    let file = site.write(
        "leads.csv",
        "\u{feff}Name;E-Mail;Extra\nAnn;ann@x.org;1\nBo;bo;2\n\"Cy\";cy@x.org\nDi;di@x.org;\"a;b\"\n",
    );
    let (code, report, error) = site.import(&file, &["--ignore-unknown"]);
    assert_eq!((code, &*error), (5, "leadapi: the API refuses 2 of the rows\n"));
    assert!(report.contains("4 rows: 2 leads created, 2 refused\n"), "{report}");
    let refused = site.path("leads.csv.refused.csv");
    assert!(report.contains(refused.to_str().unwrap()), "{report}");
    let text = fs::read_to_string(&refused).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "\u{feff}refused_line;refused_because;Name;E-Mail;Extra");
    assert!(lines[1].starts_with("3;email must be") && lines[1].ends_with(";Bo;bo;2"), "{text}");
    assert_eq!(lines[2], "4;the row has 2 fields instead of 3;Cy;cy@x.org");
    assert_eq!(lines.len(), 3);

    // The user corrects only the first row.
    fs::write(&refused, text.replace(";bo;", ";bo@x.org;")).unwrap();
    let (code, report, _) = site.import(&refused, &["--ignore-unknown"]);
    assert_eq!(code, 5, "{report}");
    let again = fs::read_to_string(site.path("leads.csv.refused.csv.refused.csv")).unwrap();
    assert_eq!(again.lines().next(), Some("\u{feff}refused_line;refused_because;Name;E-Mail;Extra"));
    assert_eq!(again.lines().count(), 2, "{again}");

    // Repeating the first import keeps the corrected file and writes the refused rows to a second file.
    let (code, report, _) = site.import(&file, &["--ignore-unknown"]);
    assert!(code == 5 && report.contains("0 leads created, 2 already imported, 2 refused"), "{report}");
    assert!(fs::read_to_string(&refused).unwrap().contains("bo@x.org"));
    assert_eq!(fs::read_to_string(site.path("leads.csv.refused-2.csv")).unwrap(), text);
    let (_, report, _) = site.import(&file, &["--ignore-unknown"]);
    assert!(report.contains("if you have imported a row from that file, do not import it again"), "{report}");
    assert!(report.contains("refused-2.csv") && !site.path("leads.csv.refused-3.csv").exists(), "{report}");
    assert_eq!(site.rows("name"), ["Ann", "Bo", "Di"]);
}

#[test]
fn refused_rows_are_imported_with_the_options_of_their_file() {
    let site = Site::empty();
    let text = b"Leads of November\nVorname;E-Mail;;Wert\nJos\xe9;jose@x.org;;1.234,50\nZo\xeb;zoe;VIP;1.234\n";
    let file = site.write("leads.csv", text);
    let options = ["--encoding", "windows-1252", "--skip-lines", "1", "--map", "Vorname=first_name"];
    let options = [&options[..], &["--map", "#3=notes", "--map", "Wert=value"]].concat();
    assert_eq!(site.import(&file, &options).0, 5);
    let refused = site.path("leads.csv.refused.csv");
    let text = fs::read_to_string(&refused).unwrap();
    fs::write(&refused, text.replace(";zoe;", ";zoe@x.org;")).unwrap();
    // Without the other rows, nothing shows that 1.234 has no decimal places.
    let (code, _, error) = site.import(&refused, &options);
    assert!(code == 1 && error.contains("line 3: value 1.234 is ambiguous"), "{error}");
    let (code, report, error) = site.import(&refused, &[&options[..], &["--decimal-comma"]].concat());
    assert_eq!((code, &*error), (0, ""), "{report}");
    assert_eq!(site.rows("name,notes,value"), ["José,,1234.5", "Zoë,VIP,1234"]);
}

#[test]
fn a_dry_run_finds_every_refused_row_and_changes_nothing() {
    let site = Site::empty();
    let rows = "name,email,stage_id,client_id\nAnn,,,\nBo,bo,,\nCy,,no-stage,\nDi,,,no-client\n";
    let file = site.write("leads.csv", rows);
    let (code, report, error) = site.import(&file, &["--dry-run"]);
    assert_eq!((code, &*error), (5, "leadapi: the API refuses 3 of the rows\n"));
    assert!(report.contains("4 rows: 1 lead would be created, 3 refused\n"), "{report}");
    for problem in
        ["\nline 3: email must be", "\nline 4: stage_id: no such stage", "\nline 5: client_id: no such client account"]
    {
        assert!(report.contains(problem), "{problem}: {report}");
    }
    assert_eq!(site.rows("name"), [""; 0]);
    let files: Vec<_> = fs::read_dir(site.database.folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!files.iter().any(|name| name.to_string_lossy().starts_with("leads.csv.")), "{files:?}");

    let (code, json, _) = site.import(&file, &["--dry-run", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (code, &json["created"], &json["refused"], &json["problems"][2]["line"]),
        (5, &1.into(), &3.into(), &5.into())
    );
    // The real import refuses the same rows.
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 5 && report.contains("1 lead created, 3 refused"), "{report}");
    let (code, report, _) = site.import(&file, &["--dry-run"]);
    assert!(code == 5 && report.contains("0 leads would be created, 1 already imported, 3 refused"), "{report}");
}

#[test]
fn equal_rows_create_equal_leads_and_another_name_creates_them_again() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\nAnn\n");
    for (args, created) in [(&[][..], 2), (&[], 2), (&["--name", "again"], 4)] {
        assert_eq!(site.import(&file, args).0, 0);
        assert_eq!(site.rows("name").len(), created);
    }
    // Other rows may change in the meantime.
    site.write("leads.csv", "email,name\nbo@x.org,Bo\n,Ann\n,Ann\n,Ann\n");
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 0 && report.contains("2 leads created, 2 already imported"), "{report}");
}

#[test]
fn a_server_imports_the_same_rows_as_a_store() {
    let site = Site::empty();
    let token = site.database.token();
    let server = ServerProcess::on(&site.database.store);
    let url = format!("http://{}/v1", server.address);
    let file = site.write("leads.csv", "name,email\nAnn,ann@x.org\nBo,bo\n");
    let import = |url: &str, token: &str, client: &str| {
        output(remote("import-csv", &file, url, token).args(["--client", client]))
    };

    let (code, _, error) = import(&url, "pak_wrong", CLIENT);
    assert!(code == 1 && error.contains("401") && !error.contains("again") && error.lines().count() == 1, "{error}");
    let (code, report, error) = import(&url, &token, "nobody");
    assert!(code == 1 && error.contains("--client: client_id: no such client account"), "{report}{error}");
    let (code, _, error) = import(&format!("{url}/wrong"), &token, CLIENT);
    assert!(code == 1 && error.contains("404"), "{error}");
    fs::remove_file(site.path("leads.csv.journal")).unwrap();

    let (code, report, _) = import(&url, &token, CLIENT);
    assert!(code == 5 && report.contains("1 lead created, 1 refused"), "{report}");
    let (code, _, error) = import(&format!("{url}/wrong"), &token, CLIENT);
    assert!(code == 1 && error.contains("journal of an import into"), "{error}");
    // The API recognizes the row without the journal, even if an operator imports it directly into the store.
    fs::remove_file(site.path("leads.csv.journal")).unwrap();
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 5 && report.contains("0 leads created, 1 already imported"), "{report}");
    assert_eq!(site.rows("name,email"), ["Ann,ann@x.org"]);
}

#[test]
fn the_target_must_be_named() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\n");
    let file = file.to_str().unwrap();
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(BINARY);
        command.args(["data", "import-csv", file, "--client", CLIENT]).args(args);
        for name in ["LEADAPI_URL", "LEADAPI_TOKEN", "LEADAPI_STORE"] {
            command.env_remove(name);
        }
        output(command.envs(variables.iter().copied()))
    };
    let store = site.database.store.as_str();
    for (args, variables, code, expected) in [
        (&[][..], &[][..], 2, "pass --url, or --store"),
        (&["--url", "http://127.0.0.1:1/v1"], &[], 2, "LEADAPI_TOKEN must be set"),
        (&["--url", "ftp://x"], &[("LEADAPI_TOKEN", "pak_CANARY")], 1, "the base URL must start with http"),
        (&["--url", "http://x/v1", "--business", BUSINESS], &[], 2, "cannot be used with"),
        (&["--url", "http://x/v1", "--store", store], &[], 2, "cannot be used with"),
        (&["--business", BUSINESS], &[], 2, "--business needs --store"),
        (
            &["--business", BUSINESS],
            &[("LEADAPI_STORE", "mysql://u:CANARY@h")],
            2,
            "--store <STORE> must be sqlite:PATH",
        ),
        (&["--business", "nobody", "--store", store], &[], 1, "no such business: nobody"),
        (&["--business", BUSINESS, "--store", "sqlite:/missing.db"], &[], 1, "no such database"),
    ] {
        let (found, _, error) = run(args, variables);
        assert!(found == code && error.contains(expected) && !error.contains("CANARY"), "{args:?}: {found} {error}");
    }
    assert_eq!(run(&["--business", BUSINESS], &[("LEADAPI_STORE", store), ("LEADAPI_URL", "http://x")]).0, 0);
    assert_eq!(site.rows("name"), ["Ann"]);
    // A URL on the command line precedes a store in the environment.
    let (code, _, error) = run(&["--url", "http://127.0.0.1:1/v1"], &[("LEADAPI_STORE", store)]);
    assert!(code == 2 && error.contains("LEADAPI_TOKEN must be set"), "{error}");
    // The store has only one business, so it is the default.
    let (code, _, error) = run(&["--name", "again", "--dry-run"], &[("LEADAPI_STORE", store)]);
    assert_eq!(code, 0, "{error}");
}

/// `script` runs a command on a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_token_that_cannot_read_is_told_to_import_without_a_preview() {
    let site = Site::empty();
    let token = site.database.json(&[&["token", "create", "--name", "t", "--scope", "write"][..], &OWNER].concat());
    let token = token["token"].as_str().unwrap();
    let server = ServerProcess::on(&site.database.store);
    let file = site.write("leads.csv", "name\nAnn\n");
    let import = |args: &str| {
        let url = format!("http://{}/v1", server.address);
        let command = format!("{BINARY} data import-csv {} --url {url} --client {CLIENT} {args}", file.display());
        output(Command::new("script").args(["-qec", &command, "/dev/null"]).env("LEADAPI_TOKEN", token))
    };
    let (code, terminal, _) = import("");
    assert!(code == 1 && terminal.contains("pass --yes to import without a preview"), "{terminal}");
    let (code, terminal, _) = import("--dry-run");
    assert!(code == 1 && !terminal.contains("--yes"), "{terminal}");
    let (code, terminal, _) = import("--yes");
    assert!(code == 0 && terminal.contains("1 lead created"), "{terminal}");
}

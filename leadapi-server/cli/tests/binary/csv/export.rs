//! Tests of exports, and of imports of exported files.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use super::{Site, output, remote, sorted};
use crate::process::{Database, ServerProcess};

/// The fields that an import can set.
const WRITABLE: &str = "client_id,name,email,phone,source,notes,value,pipeline_id,stage_id,business_name";

#[test]
fn an_export_can_be_imported_into_an_empty_business() {
    let source = Site { database: Database::of_the_sample() };
    let more = source.write(
        "more.csv",
        "name,email,phone,source,notes,value\n\
         \"'=HYPERLINK(\"\"x\"\")\",,'+34 600 000 000,\"a,b\",\"=1+1\n@two;\ttabs\",1e-7\n\
         ''t Hooft,,+1 (555) 01,'@x,'-,-0.1\n",
    );
    assert_eq!(source.import(&more, &[]).0, 0);
    for (args, file) in [
        (&[][..], "all.csv"),
        (&["--delimiter", "semicolon", "--bom"], "excel.csv"),
        (&["--delimiter", "tab", "--raw"], "raw.csv"),
        (&["--delimiter", "semicolon", "--decimal-comma"], "comma.csv"),
    ] {
        let site = Site::empty();
        let path = site.path(file);
        let (code, report, error) = output(&mut source.command("export-csv", &path, args));
        assert_eq!((code, &*error), (0, ""), "{report}");
        assert!(report.contains(" leads were exported to "), "{report}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let same: Vec<&str> = args.iter().copied().filter(|arg| ["--raw", "--decimal-comma"].contains(arg)).collect();
        // No --client is needed, because each exported row contains its client account.
        let (code, report, error) = output(&mut site.command("import-csv", &path, &same));
        assert_eq!((code, &*error), (0, ""), "{report}");
        assert_eq!(site.rows(WRITABLE), source.rows(WRITABLE));
    }
}

#[test]
fn text_that_looks_like_a_formula_is_marked() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name,phone\n=1+1,+34 600\n");
    assert_eq!(site.import(&file, &["--raw"]).0, 0);
    assert_eq!(sorted(&site.export(&["--columns", "name,phone"])), ["'=1+1,+34 600"]);
    assert_eq!(sorted(&site.export(&["--columns", "phone, name", "--raw"])), ["+34 600,=1+1"]);
}

#[test]
fn a_server_exports_the_same_file_as_the_store() {
    let site = Site { database: Database::of_the_sample() };
    let (token, server) = (site.database.token(), ServerProcess::on(&site.database.store));
    let url = format!("http://{}/v1", server.address);
    let path = site.path("leads.csv");
    let remote = |args: &[&str]| output(remote("export-csv", &path, &url, &token).args(args));
    let whole = site.export(&[]);
    assert_eq!(remote(&[]).0, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    let (code, _, error) = remote(&["--columns", "name"]);
    assert!(code == 1 && error.contains("already exists; use --force"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    assert_eq!(remote(&["--columns", "name,stage_id", "--force"]).0, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), site.export(&["--columns", "name,stage_id"]));

    let stage = &site.rows("stage_id").pop().unwrap();
    let in_stage = site.export(&["--columns", "name,stage_id", "--stage", stage]);
    let expected: Vec<String> = site.rows("name,stage_id").into_iter().filter(|row| row.ends_with(stage)).collect();
    assert!(!expected.is_empty() && expected.len() < site.rows("id").len());
    assert_eq!(sorted(&in_stage), expected);
}

#[test]
fn a_failed_export_leaves_the_earlier_file() {
    let site = Site::empty();
    let path = site.write("leads.csv", "earlier");
    let export = |client: &str| output(&mut site.command("export-csv", &path, &["--force", "--client", client]));
    let (code, _, error) = export("nobody");
    assert!(code == 1 && error.contains("client_id: no such client account"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "earlier");
    let names: Vec<_> = fs::read_dir(site.database.folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with(".leads.csv")), "{names:?}");
    let (code, _, error) = output(&mut site.command("export-csv", Path::new("-"), &["--columns", "nmae"]));
    assert!(code == 2 && error.contains("the fields are id, client_id"), "{error}");
    let (code, _, error) = output(&mut remote("export-csv", &path, "http://127.0.0.1:1/v1", "pak_x"));
    assert!(code == 1 && error.contains("already exists"), "{error}");
}

//! Tests of the files that can be imported, and of the mapping of their columns.

use std::fs;

use super::{Site, output};
use crate::process::CLIENT;

#[test]
fn a_file_of_excel_is_imported() {
    let site = Site::empty();
    let file = site.write(
        "leads.csv",
        "\u{feff}Name;E-Mail;Firma;Wert;Notes;Intern\r\n\
         Åsa;asa@example.se;\"Fjord; Co\";1.234,50;\"two\r\nlines\";x\r\n\
         Bo;;;-5;;\r\n\
         ;;;;;\r\n",
    );
    let (code, report, error) = site
        .import(&file, &["--map", "Firma=business_name", "--map", "Wert=value", "--map", "Intern=", "--decimal-comma"]);
    assert_eq!((code, &*error), (0, ""), "{report}");
    assert_eq!(report, format!("{}: 2 rows: 2 leads created\n", file.display()));
    let exported = site.export(&["--columns", "name,email,business_name,value,notes"]);
    assert!(exported.contains("Åsa,asa@example.se,Fjord; Co,1234.5,\"two\r\nlines\""), "{exported}");
    assert!(exported.contains("Bo,,,-5,\n"), "{exported}");
}

#[test]
fn the_delimiter_is_detected_or_given() {
    let site = Site::empty();
    for (name, text, args) in [
        ("comma", "name,notes\ncomma,a;b\n", &[][..]),
        ("semicolon", "name;notes\nsemicolon;a,b\n", &[]),
        ("tab", "name\tnotes\ntab\ta,b;c\n", &[]),
        ("one-column", "name\none;column\n", &[]),
        ("given", "\"name\";\"notes\"\ngiven;x\n", &["--delimiter", "semicolon"]),
    ] {
        let file = site.write(&format!("{name}.csv"), text);
        let (code, report, error) = site.import(&file, args);
        assert_eq!(code, 0, "{name}: {report}{error}");
    }
    let expected = ["comma,a;b", "given,x", "one;column,", "semicolon,\"a,b\"", "tab,\"a,b;c\""];
    assert_eq!(site.rows("name,notes"), expected);
}

#[test]
fn a_file_that_cannot_be_imported_is_rejected_before_any_row_is_sent() {
    let site = Site::empty();
    let cases: [(&str, &[u8], &[&str], &str); 17] = [
        ("empty", b"", &[], "the file is empty"),
        ("no name", b"email\na@x.org\n", &[], "no column is mapped to name"),
        ("titles of a row", b"Ann,a@x.org\n", &[], "the columns are \"Ann\", \"a@x.org\""),
        ("unknown column", b"name,Firma\nAnn,X\n", &[], "unknown columns: \"Firma\"; use --map"),
        ("mapped twice", b"name,Name\nAnn,X\n", &[], "two columns are mapped to name"),
        ("map of no column", b"name\nAnn\n", &["--map", "Firma=notes"], "there is no column \"Firma\""),
        ("not UTF-8", b"name\nAnn\nJos\xe9\n", &[], "line 3 is not UTF-8"),
        ("title not UTF-8", b"name,T\xe9l\nAnn,1\n", &[], "line 1 is not UTF-8"),
        ("cut UTF-16", b"\xff\xfen\0a\0m\0e\0\n\0A", &[], "line 2 is not UTF-16LE"),
        ("open quote", b"name,notes\nAnn,x\nBo,\"y\nCy,z\n", &[], "line 3: the quote that opens here is never closed"),
        ("open quote, no line break", b"name\n\"Ann", &[], "line 2: the quote that opens here is never closed"),
        (
            "two stray quotes",
            b"name,notes\nAnn,ok\nBo,\"open\nCy,c\nDi,d\nEd,\"closed\"\nFo,f\n",
            &[],
            "line 3: the quote that opens here is closed on line 6",
        ),
        (
            "two stray quotes, CRLF",
            b"name;notes\r\n\r\nBo;\"open\r\nCy;c\r\nDi;closed\"\r\n",
            &[],
            "line 3: a quoted cell has several lines, and each one looks like a row",
        ),
        ("nickname", b"name,notes\n\"Ann\" Lee,x\n", &[], "line 2: text follows the closing quote of a cell"),
        ("inches", b"name,notes\nAnn,\"5\" pipe\"\n", &[], "line 2: text follows the closing quote of a cell"),
        ("wrong delimiter", b"name;notes\nAnn;x\n", &["--delimiter", "comma"], "no column is mapped to name"),
        ("wrong mapping", b"name\nAnn\n", &["--map", "name=nmae"], "the fields are client_id, name, email"),
    ];
    for (case, content, args, expected) in cases {
        let file = site.write("leads.csv", content);
        let (code, report, error) = site.import(&file, args);
        assert!(code != 0 && report.is_empty(), "{case}: {report}");
        assert!(error.contains(expected), "{case}: {error}");
        assert!(!site.path("leads.csv.journal").exists(), "{case}");
    }
    let (code, _, error) = site.import(&site.path("missing.csv"), &[]);
    assert!(code == 1 && error.contains("missing.csv: cannot read the file"), "{error}");
    let file = site.write("leads.csv", "name\nAnn\n");
    let (code, _, error) = output(&mut site.command("import-csv", &file, &[]));
    assert!(code == 1 && error.contains("no client account: pass --client"), "{error}");
    assert_eq!(site.rows("name"), [""; 0]);
}

#[test]
fn a_row_can_name_its_own_client_account() {
    let site = Site::empty();
    let other = site.database.json(&["client", "list", "--business", crate::process::BUSINESS]);
    let other = other
        .as_array()
        .unwrap()
        .iter()
        .find_map(|it| it["id"].as_str().filter(|id| *id != CLIENT))
        .unwrap()
        .to_owned();
    let file = site.write("leads.csv", format!("client_id,name\n{other},Ann\n,Bo\nnobody,Cy\n"));
    let (code, report, _) = site.import(&file, &[]);
    assert_eq!(code, 5, "{report}");
    let mut expected = vec![format!("Ann,{other}"), format!("Bo,{CLIENT}")];
    expected.sort();
    assert_eq!(site.rows("name,client_id"), expected);
    let refused = fs::read_to_string(site.path("leads.csv.refused.csv")).unwrap();
    assert!(refused.contains("4,client_id: no such client account in this business,nobody,Cy\n"), "{refused}");
}

#[test]
fn quotes_inside_a_cell_are_text_and_a_cell_can_have_several_lines() {
    let site = Site::empty();
    let file = site.write(
        "leads.csv",
        "name,notes\r\nAnn,5\" pipe\r\nBo,\"say \"\"hello\"\"\r\n\r\n,,bye\"\r\nCy,\"Dear Cy,\r\nthank you\"\r\n",
    );
    let (code, report, error) = site.import(&file, &[]);
    assert_eq!((code, &*error), (0, ""), "{report}");
    assert!(report.contains("3 rows: 3 leads created"), "{report}");
    let exported = site.export(&["--columns", "name,notes"]);
    for row in ["Ann,\"5\"\" pipe\"\n", "Bo,\"say \"\"hello\"\"\r\n\r\n,,bye\"\n", "Cy,\"Dear Cy,\r\nthank you\"\n"] {
        assert!(exported.contains(row), "{row:?}: {exported}");
    }
    let file = site.write("letters.csv", "name,notes\nDi,\"Hello\nKind regards, Di\"\n");
    assert_eq!(site.import(&file, &[]).0, 1);
    assert_eq!(site.import(&file, &["--multiline"]).0, 0);
}

#[test]
fn a_refused_row_is_reported_with_its_line_in_the_file() {
    let site = Site::empty();
    for (name, text, line) in [
        ("unix", "name,email\nAnn,a@x.de\nBo,bad\n", 3),
        ("windows", "name,email\r\nAnn,a@x.de\r\nBo,bad\r\n", 3),
        ("old-mac", "name,email\rAnn,a@x.de\rBo,bad\r", 3),
        ("blank", "\n\r\n\nname,email\n\nBo,bad", 6),
        ("cells", "name,email,notes\r\nAnn,,\"a\r\nb\r\n\r\nc\"\r\nBo,bad,x\r\n", 6),
    ] {
        let file = site.write(&format!("{name}.csv"), text);
        let (code, report, error) = site.import(&file, &["--dry-run"]);
        assert!(code == 5 && report.contains(&format!("\nline {line}: email")), "{name}: {report}{error}");
    }
}

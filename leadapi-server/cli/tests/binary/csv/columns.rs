//! Tests of how the cells of a row become the fields of a lead.

use super::Site;

#[test]
fn an_amount_in_another_notation_is_refused_and_never_changed() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name;value\nAnn;1.234,50\nBo;99.95\nCy;12.34,5\nDi;1,234.50\nEd;1.000\nFo;\n");
    let (code, report, _) = site.import(&file, &["--decimal-comma", "--dry-run"]);
    assert_eq!(code, 5, "{report}");
    assert!(report.contains("\nvalue: decimal comma, 1.234,50 → 1234.5\n"), "{report}");
    for (line, cell) in [(3, "99.95"), (4, "12.34,5"), (5, "1,234.50")] {
        let problem = format!("\nline {line}: value must be a number such as 450 or 1.234,5, not \"{cell}\"");
        assert!(report.contains(&problem), "{problem}: {report}");
    }
    let (_, json, _) = site.import(&file, &["--decimal-comma", "--dry-run", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let reading = serde_json::json!({"notation": "decimal comma", "text": "1.234,50", "number": 1234.5});
    assert_eq!(json["value"], reading);
    assert_eq!(site.import(&file, &["--decimal-comma"]).0, 5);
    assert_eq!(site.rows("name,value"), ["Ann,1234.5", "Ed,1000", "Fo,"]);
}

#[test]
fn amounts_with_two_readings_need_an_option() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name;value\r\nAnn;450\r\nBo;1.234\r\n");
    let (code, report, error) = site.import(&file, &[]);
    assert!(code == 1 && report.is_empty(), "{report}");
    assert!(error.contains("line 3: value 1.234 is ambiguous") && error.contains("--decimal-point"), "{error}");
    assert_eq!(site.import(&file, &["--decimal-point"]).0, 0);
    let (code, _, error) = site.import(&file, &["--decimal-comma"]);
    assert!(code == 1 && error.contains("mapped the columns or read the text or the amounts differently"), "{error}");
    assert_eq!(site.import(&file, &["--decimal-comma", "--name", "other"]).0, 0);
    assert_eq!(site.rows("name,value"), ["Ann,450", "Ann,450", "Bo,1.234", "Bo,1234"]);
    assert_eq!(site.import(&file, &["--decimal-point", "--decimal-comma"]).0, 2);
}

#[test]
fn names_and_answers_in_several_columns_are_joined() {
    let site = Site::empty();
    let file = site.write(
        "crm.csv",
        "Record ID,First Name,Last Name,Email,Which plan?,Comment\r\n\
         1,Ada, Lovelace ,ada@x.org,big,\"two\r\nlines\"\r\n\
         2,Grace,,g@x.org,,ok\r\n\
         3,,Hopper,,,\r\n\
         4,,,nobody@x.org,small,\r\n",
    );
    let map = ["--map", "First Name=first_name", "--map", "Last Name=last_name", "--ignore-unknown"];
    let notes = ["--map", "Which plan?=notes", "--map", "Comment=notes"];
    let (code, report, _) = site.import(&file, &[&map[..], &notes, &["--dry-run"]].concat());
    assert!(code == 5 && report.contains("\nline 6: name is required"), "{report}");
    let (code, report, error) = site.import(&file, &[&map[..], &notes, &["--stand-in-names"]].concat());
    assert!(code == 0 && report.contains("4 leads created"), "{report}{error}");
    assert_eq!(site.rows("name"), ["Ada Lovelace", "Grace", "Hopper", "nobody@x.org"]);
    let exported = site.export(&["--columns", "name,notes"]);
    assert!(exported.contains("Ada Lovelace,\"Which plan?: big\nComment: two\r\nlines\"\n"), "{exported}");
    assert!(exported.contains("Grace,Comment: ok\n") && exported.contains("Hopper,\n"), "{exported}");

    let (code, _, error) = site.import(&file, &["--map", "First Name=name", "--map", "Last Name=name"]);
    assert!(code == 1 && error.contains("two columns are mapped to name"), "{error}");
    assert!(error.contains("first_name"), "{error}");
    let (code, _, error) = site.import(&file, &["--ignore-unknown", "--profile", "none"]);
    assert!(code == 1 && error.contains("no column is mapped to name"), "{error}");
}

#[test]
fn a_full_name_precedes_its_parts_and_a_single_column_of_notes_stays_as_it_is() {
    let site = Site::empty();
    let file = site.write("leads.csv", "Name,First,Notes\nAnn Lee,Ann,x\n,Bo,y\n");
    assert_eq!(site.import(&file, &["--map", "First=first_name"]).0, 0);
    assert_eq!(site.rows("name,notes"), ["Ann Lee,x", "Bo,y"]);
}

#[test]
fn a_phone_number_that_a_spreadsheet_rounded_is_refused() {
    let site = Site::empty();
    let file = site.write(
        "leads.csv",
        "name,phone\nAnn,4.91512E+11\nBo,\"=\"\"0151123456\"\"\"\nCy,p:+447700900123\nDi,+1 555 0100 ext. 12\nEd,\n",
    );
    let (code, report, _) = site.import(&file, &["--dry-run"]);
    let column = "\ncolumn \"phone\" → phone: \"=\\\"0151123456\\\"\" → \"0151123456\", \"p:+447700900123\" → \
                  \"+447700900123\", \"+1 555 0100 ext. 12\"; 1 refused\n";
    assert!(report.contains(column), "{report}");
    assert!(report.contains("\nphone: 1 of 4 phone numbers was rounded by a spreadsheet\n"), "{report}");
    assert!(code == 5 && report.contains("\nline 2: phone \"4.91512E+11\" was rounded by a spreadsheet"), "{report}");
    assert_eq!(site.import(&file, &[]).0, 5);
    assert_eq!(site.rows("name,phone"), ["Bo,0151123456", "Cy,+447700900123", "Di,+1 555 0100 ext. 12", "Ed,"]);
}

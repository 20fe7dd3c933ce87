//! Tests of unusual and hostile workbooks.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::archive;
use crate::{csv_file::CsvFile, error::ImportError, options::ReadOptions};

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns a workbook with a sheet per text, which contains its rows, and with other parts.
fn workbook(sheets: &[&str], parts: &[(&str, &str)]) -> Vec<u8> {
    let numbers = 1..=sheets.len();
    let sheet = |n: usize| format!("<sheet name=\"Sheet{n}\" sheetId=\"{n}\" r:id=\"r{n}\"/>");
    let target = |n: usize| {
        format!("<Relationship Id=\"r{n}\" Type=\"{RELATIONSHIPS}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>")
    };
    let (names, targets): (String, String) = (numbers.clone().map(sheet).collect(), numbers.map(target).collect());
    let main = format!("<Relationship Id=\"r1\" Type=\"{RELATIONSHIPS}/officeDocument\" Target=\"xl/workbook.xml\"/>");
    let mut all = vec![
        ("_rels/.rels".to_owned(), format!("<Relationships>{main}</Relationships>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), format!("<Relationships>{targets}</Relationships>")),
        (
            "xl/workbook.xml".to_owned(),
            format!("<workbook xmlns:r=\"{RELATIONSHIPS}\"><sheets>{names}</sheets></workbook>"),
        ),
    ];
    all.extend(sheets.iter().zip(1..).map(|(rows, n)| {
        let name = format!("xl/worksheets/sheet{n}.xml");
        (name, format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"))
    }));
    all.extend(parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in all {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a cell with text.
fn cell(at: &str, text: &str) -> String {
    format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

fn row(number: u32, cells: &[(&str, &str)]) -> String {
    let cells: String = cells.iter().map(|(at, text)| cell(at, text)).collect();
    format!("<row r=\"{number}\">{cells}</row>")
}

fn open(workbook: &[u8]) -> Result<CsvFile, ImportError> {
    CsvFile::copy("leads.xlsx", workbook, &ReadOptions::default().client("c1").ignore_unknown(true))
}

/// Returns the fields of each row, or the reason why it is refused.
fn rows(file: &CsvFile) -> Vec<String> {
    let rows = file.read().unwrap().map(Result::unwrap);
    rows.map(|row| row.fault.unwrap_or_else(|| row.record.iter().collect::<Vec<_>>().join("|"))).collect()
}

#[test]
fn a_cell_outside_of_the_sheet_or_out_of_order_is_an_error() {
    let header = row(1, &[("A1", "name"), ("B1", "email")]);
    for (case, cells, expected) in [
        ("a row too low", row(2, &[("A4294967295", "Ann")]), "a cell is outside of the sheet"),
        ("the first row below the sheet", row(2, &[("A1048577", "Ann")]), "a cell is outside of the sheet"),
        ("a column too far", row(2, &[("XFE2", "Ann")]), "outside"),
        ("cells in the wrong order", row(2, &[("B2", "a@x.org"), ("A2", "Ann")]), "not in order"),
        ("a cell twice", row(2, &[("A2", "Ann"), ("A2", "Bo")]), "not in order"),
    ] {
        let error = open(&workbook(&[&(header.clone() + &cells)], &[])).unwrap_err().to_string();
        assert!(error.contains(expected), "{case}: {error}");
    }
}

#[test]
fn only_the_header_decides_the_width_of_a_row() {
    let sheet = [
        row(1, &[("A1", "name"), ("B1", "email"), ("C1", "notes")]),
        row(2, &[("A2", "Ann"), ("XFD2", "stray")]),
        row(3, &[("A3", "Bo")]),
        "<row r=\"1048576\"><c r=\"A1048576\" s=\"0\"/></row>".to_owned(),
    ];
    let file = open(&workbook(&[&sheet.concat()], &[])).unwrap();
    assert_eq!(rows(&file), ["the row has 16384 fields instead of 3", "Bo||"]);
}

#[test]
fn a_workbook_that_would_need_too_much_memory_is_an_error() {
    let sheet = row(1, &[("A1", "name")]) + &row(2, &[("A2", "Ann")]);
    let texts = "<sst count=\"1\" uniqueCount = '99999999999'><si><t>Ann</t></si></sst>";
    let error = open(&workbook(&[&sheet], &[("xl/sharedStrings.xml", texts)])).unwrap_err().to_string();
    assert!(error.contains("more texts than it has"), "{error}");
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&workbook(&[&sheet], &[("xl/media/image1.png", &"0".repeat(100_000))])).unwrap();
    let error = archive::check(&file, 100_000).unwrap_err().to_string();
    assert!(error.contains("larger than 1 GiB"), "{error}");
    archive::check(&file, 110_000).unwrap();
}

#[test]
fn a_number_has_no_mark_in_a_title_or_next_to_a_text_for_empty_cells() {
    let number = |at: &str, number: u32| format!("<c r=\"{at}\"><v>{number}</v></c>");
    let header = format!("<row r=\"1\">{}{}{}</row>", cell("A1", "name"), number("B1", 2026), cell("C1", "phone"));
    let ann = format!("<row r=\"2\">{}{}{}</row>", cell("A2", "Ann"), number("B2", 7), number("C2", 0));
    let mut options = ReadOptions::default().client("c1").map("2026", "notes".parse().unwrap());
    options.empty = vec!["0".to_owned()];
    let file = CsvFile::copy("leads.xlsx", &*workbook(&[&(header + &ann)], &[]), &options).unwrap();
    let row = file.read().unwrap().next().unwrap().unwrap();
    assert_eq!((row.new.notes.as_deref(), row.new.phone), (Some("7"), None));
    assert!(file.columns().any(|column| column == ("2026", Some("notes"))));
}

#[test]
fn a_formula_without_a_result_is_an_error() {
    let sheet = |cell: &str| {
        let header = row(1, &[("A1", "name"), ("AB1", "email")]);
        format!("{header}<row r=\"2\"><c r=\"A2\" t=\"str\"><f>B9</f><v>Ann</v></c>{cell}</row>")
    };
    let error = open(&workbook(&[&sheet("<c r=\"AB2\"><f>A2</f><v></v></c>")], &[])).unwrap_err().to_string();
    assert!(error.contains("cell AB2 has a formula without a result: open the workbook, and save it"), "{error}");
    let empty = workbook(&[&sheet("<c r=\"AB2\" t=\"str\"><f>A3</f><v></v></c>")], &[]);
    assert_eq!(rows(&open(&empty).unwrap()), ["Ann".to_owned() + &"|".repeat(27)]);
}

#[test]
fn a_sheet_with_nothing_but_styles_is_empty() {
    let filled = row(1, &[("A1", "name")]) + &row(2, &[("A2", "Ann")]);
    let file = open(&workbook(&["<row r=\"1\"><c r=\"A1\" s=\"0\"/></row>", &filled], &[])).unwrap();
    assert_eq!(rows(&file), ["Ann"]);
    assert!(open(&workbook(&[&filled, &filled], &[])).unwrap_err().to_string().contains("several sheets"));
}

#[test]
fn the_refused_rows_of_a_sheet_are_read_with_its_options() {
    let mut options = ReadOptions::default().client("c1");
    options.sheet = Some("Leads".to_owned());
    let refused = "refused_line,refused_because,name\n2,email must be valid,Ann\n".as_bytes();
    assert_eq!(CsvFile::copy("leads.xlsx.refused.csv", refused, &options).unwrap().rows(), 1);
    let error = CsvFile::copy("leads.csv", &b"name\nAnn\n"[..], &options).unwrap_err().to_string();
    assert!(error.contains("this is not an Excel workbook"), "{error}");
}

#[test]
fn a_row_with_an_error_in_a_mapped_column_is_refused() {
    let error = |at: &str| format!("<c r=\"{at}\" t=\"e\"><v>#N/A</v></c>");
    let header = row(1, &[("A1", "name"), ("B1", "email"), ("C1", "Price")]);
    let ann = format!("<row r=\"2\">{}{}</row>", cell("A2", "Ann"), error("B2"));
    let bo = format!("<row r=\"3\">{}{}</row>", cell("A3", "Bo"), error("C3"));
    let workbook = workbook(&[&(header + &ann + &bo)], &[]);
    let file = open(&workbook).unwrap();
    let read: Vec<_> = file.read().unwrap().map(|row| row.unwrap().fault).collect();
    assert_eq!(read, [Some("email: the cell has the error #N/A".to_owned()), None]);
    let mut options = ReadOptions::default().client("c1").ignore_unknown(true);
    options.empty = vec!["#n/a".to_owned()];
    let file = CsvFile::copy("leads.xlsx", &*workbook, &options).unwrap();
    assert!(file.read().unwrap().all(|row| row.unwrap().fault.is_none()));
}

use proptest::{collection::vec, prelude::*};

use super::*;

use crate::encoding::Decoded;

fn reader(bytes: &[u8], delimiter: u8, length: u64, numbering: Numbering) -> Records<Decoded<&[u8]>> {
    let input = Decoded::new(bytes, Encoding::UTF_8);
    Records::new(input, delimiter, length, numbering, Encoding::UTF_8)
}

fn read(text: &str) -> Result<Vec<Record>, FileProblem> {
    reader(text.as_bytes(), b',', 0, Numbering::Lines).collect()
}

/// Returns the line and the fields of each record.
fn records(text: &str) -> Vec<(u64, Vec<String>)> {
    let fields = |record: &Record| record.fields.iter().map(str::to_owned).collect();
    read(text).unwrap().iter().map(|record| (record.line, fields(record))).collect()
}

fn expected(records: &[(u64, &[&str])]) -> Vec<(u64, Vec<String>)> {
    records.iter().map(|(line, fields)| (*line, fields.iter().map(|field| (*field).to_owned()).collect())).collect()
}

#[test]
fn each_record_has_the_number_of_its_first_line() {
    for (text, found) in [
        ("a,b\nc,d", &[(1, &["a", "b"][..]), (2, &["c", "d"])][..]),
        ("a\r\nb\r\n", &[(1, &["a"]), (2, &["b"])]),
        ("a\rb\r", &[(1, &["a"]), (2, &["b"])]),
        ("\n\r\n\ra\n", &[(1, &[""]), (2, &[""]), (3, &[""]), (4, &["a"])]),
        ("\"a\r\nb\rc\nd\",e\r\nf", &[(1, &["a\r\nb\rc\nd", "e"]), (5, &["f"])]),
        ("\"a\r\"\r\nb", &[(1, &["a\r"]), (3, &["b"])]),
        ("a,\n,", &[(1, &["a", ""]), (2, &["", ""])]),
        ("\"\",\"\"\"\",\"a \"\"b\"\"\"", &[(1, &["", "\"", "a \"b\""])]),
        ("5\" pipe, \"x\",y\"", &[(1, &["5\" pipe", " \"x\"", "y\""])]),
        ("", &[]),
    ] {
        assert_eq!(records(text), expected(found), "{text:?}");
    }
}

#[test]
fn an_unbalanced_quote_is_an_error() {
    for (text, problem) in [
        ("a,b\nx,\"open\ny,c\n", "line 2: the quote that opens here is never closed"),
        ("a,b\r\nx,\"open\r\ny,c\r\nz,\"closed\"\r\n", "line 2: the quote that opens here is closed on line 4"),
        ("a\n\"Ann\" Lee\n", "line 2: text follows the closing quote"),
        ("a\n\"5\" pipe\"\n", "line 2: text follows the closing quote"),
        ("a\n\n\"x\" \n", "line 3: text follows the closing quote"),
        ("a\n\"", "line 2: the quote that opens here is never closed"),
    ] {
        let error = read(text).err().unwrap().to_string();
        assert!(error.starts_with(problem), "{text:?}: {error}");
    }
}

#[test]
fn a_cell_whose_lines_look_like_rows_is_recognized() {
    let last = |text: &str| read(text).unwrap().pop().unwrap();
    for (text, columns, resembles) in [
        ("Bo,\"open\nCy,c\n\nDi,closed\"", 2, true),
        ("Bo,\"open\r\nCy,\"\"\r\nDi,closed\"", 2, true),
        ("Bo,\"two\nlines\"", 2, false),
        ("Bo,\"Hello,\nlines, and more\"", 2, false),
        ("Bo,\"x\ny\",c", 3, false),
        ("\"Bo\nCy\"", 1, false),
        ("Bo,b", 2, false),
    ] {
        assert_eq!(last(text).resembles_rows(columns), resembles, "{text:?}");
    }
}

#[test]
fn an_error_names_the_line_of_the_wrong_byte() {
    let error = |bytes: &[u8]| reader(bytes, b',', 0, Numbering::Lines).find_map(Result::err).unwrap();
    assert!(error(b"a\r\nb\xe9\r\n").to_string().starts_with("line 2 is not UTF-8"));
    assert!(error(b"a,\"b\r\nc\rd\xe9\"\n").to_string().starts_with("line 3 is not UTF-8"));
    let mut records = reader(b"a\nb,", b',', 5, Numbering::Lines);
    assert_eq!(records.next().unwrap().unwrap().line, 1);
    assert!(matches!(records.next().unwrap(), Err(FileProblem::Changed)));
    assert!(records.next().is_none());
}

#[test]
fn skipped_lines_and_rows_are_counted() {
    let lines = |text: &str, skip, numbering| {
        let mut records = reader(text.as_bytes(), b',', 0, numbering);
        records.skip_first(skip).unwrap();
        records
            .map(|record| record.unwrap())
            .map(|record| (record.line, record.fields[0].to_owned()))
            .collect::<Vec<_>>()
    };
    for text in ["a \"\nb\nc\nd\n", "a \"\r\nb\r\nc\r\nd\r\n", "a \"\rb\rc\rd"] {
        assert_eq!(lines(text, 2, Numbering::Lines), [(3, "c".to_owned()), (4, "d".to_owned())], "{text:?}");
    }
    assert_eq!(lines("a\n", 5, Numbering::Lines), []);
    let sheet = "a\n\"b\nb\"\n\nc\n";
    assert_eq!(lines(sheet, 2, Numbering::Rows), [(3, String::new()), (4, "c".to_owned())]);
}

fn line_ends(text: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    u64::try_from(text.matches(['\r', '\n']).count()).unwrap()
}

proptest! {
    #[test]
    fn the_records_of_another_writer_are_read_as_they_were_written(
        rows in vec(vec("[ab,;\"\r\n \u{e9}]{0,6}", 2..5), 0..6),
        delimiter in prop::sample::select(&b",;\t"[..]),
        always in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let style = if always { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new();
        let mut writer =
            writer.delimiter(delimiter).quote_style(style).terminator(terminator).flexible(true).from_writer(Vec::new());
        let mut starts = Vec::new();
        for row in &rows {
            writer.flush().unwrap();
            starts.push(1 + line_ends(writer.get_ref()));
            writer.write_record(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let length = u64::try_from(text.len()).unwrap();
        let records: Vec<Record> = reader(&text, delimiter, length, Numbering::Lines).map(Result::unwrap).collect();
        let fields: Vec<Vec<&str>> = records.iter().map(|record| record.fields.iter().collect()).collect();
        prop_assert_eq!(fields, rows);
        prop_assert_eq!(records.iter().map(|record| record.line).collect::<Vec<_>>(), starts);
    }

    /// A stray quote stays in its cell, or the file is refused. It never silently hides a row in a cell.
    #[test]
    fn a_stray_quote_swallows_no_row(cells in vec(("[ab\"]{1,3}", "[ab\" ]{0,3}"), 1..6)) {
        let text = cells.iter().fold(String::new(), |text, (name, notes)| text + name + "," + notes + "\n");
        if let Ok(records) = read(&text) {
            let suspicious = records.iter().any(|record| record.resembles_rows(2));
            prop_assert!(suspicious || records.len() == cells.len(), "{text:?}");
        }
    }
}

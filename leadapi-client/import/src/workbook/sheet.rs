//! The cells of a worksheet.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Read, Seek},
};

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx, XlsxError};

use super::{ERROR, LARGEST, NUMBER, archive::too_large};
use crate::error::FileProblem;

type Workbook = Xlsx<BufReader<File>>;

/// The numbers of rows and columns of the largest sheet that Excel supports.
const ROWS: u32 = 1_048_576;
const COLUMNS: u32 = 16_384;

pub(super) fn to_csv(file: File, name: Option<&str>, skipped: u64) -> Result<File, FileProblem> {
    let mut workbook: Workbook = Xlsx::new(BufReader::new(file)).map_err(problem)?;
    let name = find(&mut workbook, name)?;
    let mut copy = tempfile::tempfile()?;
    write(&mut workbook, &name, skipped, &copy)?;
    copy.rewind()?;
    Ok(copy)
}

/// Returns the name of the sheet, or of the only visible sheet with cells.
fn find(workbook: &mut Workbook, name: Option<&str>) -> Result<String, FileProblem> {
    let sheets: Vec<_> =
        workbook.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet).cloned().collect();
    if let Some(name) = name {
        let names = || sheets.iter().map(|sheet| sheet.name.clone()).collect();
        let found = sheets.iter().any(|sheet| sheet.name == name);
        return if found { Ok(name.to_owned()) } else { Err(FileProblem::NoSuchSheet { sheets: names() }) };
    }
    let mut filled = Vec::new();
    for sheet in sheets.iter().filter(|sheet| sheet.visible == SheetVisible::Visible) {
        let mut cells = workbook.worksheet_cells_reader(&sheet.name).map_err(problem)?;
        while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(problem)? {
            if cell.formula.is_some() || !text(&cell.value).is_empty() {
                filled.push(sheet.name.clone());
                break;
            }
        }
    }
    match (filled.pop(), filled.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => Err(FileProblem::SeveralSheets { sheets: [filled, vec![last]].concat() }),
        (None, _) => Err(FileProblem::Empty),
    }
}

fn write(workbook: &mut Xlsx<impl Read + Seek>, name: &str, skipped: u64, to: &File) -> Result<(), FileProblem> {
    let mut cells = workbook.worksheet_cells_reader(name).map_err(problem)?;
    let mut to = csv::WriterBuilder::new().flexible(true).from_writer(BufWriter::new(to));
    let mut row = Row { number: 0, cells: Vec::new(), skipped, width: None, left: LARGEST };
    while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(problem)? {
        let (number, column) = cell.pos;
        if cell.formula.is_some() && cell.value == DataRef::Empty {
            let at = format!("{}{}", letters(column), u64::from(number) + 1);
            let problem = format!("cell {at} has a formula without a result: open the workbook, and save it");
            return Err(FileProblem::Workbook(problem));
        }
        let text = text(&cell.value);
        if text.is_empty() {
            continue;
        }
        if number >= ROWS || column >= COLUMNS || number < row.number {
            return Err(FileProblem::Workbook("a cell is outside of the sheet".to_owned()));
        }
        while row.number < number {
            row.finish(&mut to)?;
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column < row.cells.len() {
            return Err(FileProblem::Workbook("the cells of a row are not in order".to_owned()));
        }
        row.cells.resize(column, String::new());
        row.cells.push(text);
    }
    row.finish(&mut to)?;
    to.flush()?;
    Ok(())
}

/// A row of the copy that is being written.
struct Row {
    /// The number of the row. The first row has the number 0.
    number: u32,
    cells: Vec<String>,
    /// The number of rows before the header.
    skipped: u64,
    /// The number of cells of the header. Shorter rows are padded to this width.
    width: Option<usize>,
    /// The maximum number of bytes of the further rows.
    left: u64,
}

impl Row {
    fn finish(&mut self, to: &mut csv::Writer<BufWriter<&File>>) -> Result<(), FileProblem> {
        let is_header = u64::from(self.number) >= self.skipped && self.cells.iter().any(|cell| !cell.trim().is_empty());
        if is_header {
            self.width.get_or_insert(self.cells.len());
        }
        let width = self.width.unwrap_or_default().max(self.cells.len()).max(1);
        self.cells.resize(width, String::new());
        // Each cell has a delimiter or a line end.
        let size: usize = self.cells.iter().map(|cell| cell.len() + 1).sum();
        let left = u64::try_from(size).ok().and_then(|size| self.left.checked_sub(size));
        self.left = left.ok_or_else(too_large)?;
        to.write_record(&self.cells).map_err(std::io::Error::from)?;
        self.cells.clear();
        self.number += 1;
        Ok(())
    }
}

/// Returns the letters of a column. The first column has the number 0.
fn letters(column: u32) -> String {
    let letter = ('A'..='Z').nth(usize::try_from(column % 26).unwrap_or_default()).into_iter();
    let first = (column / 26).checked_sub(1).map(letters).unwrap_or_default();
    first.chars().chain(letter).collect()
}

fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => format!("{NUMBER}{number}"),
        // Rust writes a number without an exponent and with all its digits.
        DataRef::Float(number) => format!("{NUMBER}{number}"),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::DateTime(time) if time.is_datetime() => date_time(*time),
        DataRef::DateTime(duration) => format!("{NUMBER}{}", duration.as_f64()),
        DataRef::Error(error) => format!("{ERROR}{error}"),
        DataRef::Empty => String::new(),
    }
}

fn date_time(time: ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) { date } else { format!("{date} {hour:02}:{minute:02}:{second:02}") }
}

fn problem(error: XlsxError) -> FileProblem {
    match error {
        XlsxError::Io(error) => error.into(),
        XlsxError::Password => FileProblem::Workbook("it is protected with a password".to_owned()),
        error => FileProblem::Workbook(error.to_string()),
    }
}

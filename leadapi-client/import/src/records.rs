//! Reads the records of a CSV file and their line numbers. Misplaced quotes are errors.
//!
//! The `csv` crate accepts misplaced quotes. After an unbalanced quote, it reads the following rows as text of one
//! cell.

use std::io::{BufReader, Bytes, Read};

use csv::StringRecord;

use crate::error::FileProblem;

/// The records of a file. After an error, the iterator ends.
///
/// A cell is quoted if it starts with a quote. Only a delimiter or a line end can follow its closing quote, and each
/// quote inside it is written twice. In any other cell, a quote is text. A line ends with LF, CRLF or CR.
pub(crate) struct Records<R> {
    bytes: Bytes<BufReader<R>>,
    delimiter: u8,
    /// The minimum number of bytes that the input must contain.
    length: u64,
    read: u64,
    /// The number of the current line.
    line: u64,
    is_after_cr: bool,
    has_ended: bool,
}

/// A record and its position in the file.
pub(crate) struct Record {
    /// The line at which the record starts.
    pub(crate) line: u64,
    pub(crate) fields: StringRecord,
    lines: Lines,
}

impl Record {
    /// Returns whether all fields are blank, as in the rows that spreadsheets write below the last row with data.
    pub(crate) fn is_blank(&self) -> bool {
        self.fields.iter().all(|field| field.trim().is_empty())
    }

    /// Returns whether the record consists of several lines, and each one looks like a row with this number of columns.
    /// Two misplaced quotes produce such a record: the first one opens a cell, and the second one closes it several
    /// rows later.
    pub(crate) fn resembles_rows(&self, columns: usize) -> bool {
        let delimiters = u64::try_from(columns).unwrap_or(u64::MAX).checked_sub(1).filter(|number| *number > 0);
        self.lines.count > 1 && delimiters.is_some() && self.lines.delimiters == delimiters && !self.lines.differ
    }
}

/// The lines of a record that are not blank.
#[derive(Default)]
struct Lines {
    count: u64,
    /// The number of delimiters in the first line.
    delimiters: Option<u64>,
    /// Whether the lines have different numbers of delimiters.
    differ: bool,
}

impl Lines {
    fn add(&mut self, delimiters: u64) {
        self.count += 1;
        self.differ |= *self.delimiters.get_or_insert(delimiters) != delimiters;
    }
}

/// The position of the reader in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Start,
    Text,
    Quoted,
    AfterQuote,
}

/// A record that is being read.
struct Partial {
    line: u64,
    fields: StringRecord,
    position: Position,
    cell: Vec<u8>,
    /// The line at which the current cell starts.
    cell_line: u64,
    lines: Lines,
    delimiters: u64,
    is_blank_line: bool,
}

impl<R: Read> Records<R> {
    /// Reads records up to the end of the input. An end before `length` bytes is an error.
    pub(crate) fn new(input: R, delimiter: u8, length: u64) -> Self {
        let bytes = BufReader::new(input).bytes();
        Self { bytes, delimiter, length, read: 0, line: 1, is_after_cr: false, has_ended: false }
    }

    /// Returns the number of bytes that have been read.
    pub(crate) const fn bytes_read(&self) -> u64 {
        self.read
    }

    fn record(&mut self) -> Result<Option<Record>, FileProblem> {
        let mut partial: Option<Partial> = None;
        while let Some(byte) = self.bytes.next().transpose()? {
            self.read += 1;
            let is_second_half = self.is_after_cr && byte == b'\n';
            self.is_after_cr = byte == b'\r';
            if partial.is_none() && is_second_half {
                continue;
            }
            let current = partial.get_or_insert_with(|| Partial::new(self.line));
            let ends_line = matches!(byte, b'\r' | b'\n') && !is_second_half;
            let ends_record = current.add(byte, self.delimiter, self.line, ends_line)?;
            self.line += u64::from(ends_line);
            if ends_record {
                return partial.take().map(Partial::finish).transpose();
            }
        }
        if self.read < self.length {
            return Err(FileProblem::Changed);
        }
        let Some(partial) = partial else { return Ok(None) };
        if partial.position == Position::Quoted {
            return Err(FileProblem::UnclosedQuote { line: partial.cell_line });
        }
        partial.finish().map(Some)
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, FileProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let record = self.record().transpose();
        self.has_ended = !matches!(record, Some(Ok(_)));
        record
    }
}

impl Partial {
    fn new(line: u64) -> Self {
        Self {
            line,
            fields: StringRecord::new(),
            position: Position::Start,
            cell: Vec::new(),
            cell_line: line,
            lines: Lines::default(),
            delimiters: 0,
            is_blank_line: true,
        }
    }

    /// Adds a byte that is on this line. Returns whether the byte ends the record.
    fn add(&mut self, byte: u8, delimiter: u8, line: u64, ends_line: bool) -> Result<bool, FileProblem> {
        if ends_line {
            self.end_line();
        } else if byte == delimiter {
            self.delimiters += 1;
            self.is_blank_line = false;
        } else {
            self.is_blank_line &= byte.is_ascii_whitespace();
        }
        let is_line_end = matches!(byte, b'\r' | b'\n');
        match (self.position, byte) {
            (Position::Quoted, b'"') => self.position = Position::AfterQuote,
            (Position::Quoted, _) => self.cell.push(byte),
            (Position::Start, b'"') => self.position = Position::Quoted,
            (Position::AfterQuote, b'"') => {
                self.cell.push(byte);
                self.position = Position::Quoted;
            }
            _ if is_line_end => return Ok(true),
            _ if byte == delimiter => {
                self.end_cell()?;
                (self.position, self.cell_line) = (Position::Start, line);
            }
            (Position::AfterQuote, _) if self.cell_line == line => {
                return Err(FileProblem::TextAfterQuote { line });
            }
            (Position::AfterQuote, _) => {
                return Err(FileProblem::QuoteClosedLater { line: self.cell_line, closed: line });
            }
            (Position::Start | Position::Text, _) => {
                self.cell.push(byte);
                self.position = Position::Text;
            }
        }
        Ok(false)
    }

    fn end_line(&mut self) {
        if !self.is_blank_line {
            self.lines.add(self.delimiters);
        }
        (self.delimiters, self.is_blank_line) = (0, true);
    }

    fn end_cell(&mut self) -> Result<(), FileProblem> {
        let text = str::from_utf8(&self.cell).map_err(|error| {
            let before = self.cell.get(..error.valid_up_to()).unwrap_or_default();
            FileProblem::NotUtf8 { line: self.cell_line + line_ends(before) }
        })?;
        self.fields.push_field(text);
        self.cell.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Record, FileProblem> {
        self.end_line();
        self.end_cell()?;
        Ok(Record { line: self.line, fields: self.fields, lines: self.lines })
    }
}

fn line_ends(text: &[u8]) -> u64 {
    let mut previous = 0;
    let ends = text.iter().filter(|byte| {
        let ends = **byte == b'\r' || (**byte == b'\n' && previous != b'\r');
        previous = **byte;
        ends
    });
    u64::try_from(ends.count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;

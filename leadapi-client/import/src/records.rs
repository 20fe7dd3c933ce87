//! Reads the records of a CSV file and their line numbers. Misplaced quotes are errors.
//!
//! The `csv` crate accepts misplaced quotes. After an unbalanced quote, it reads the following rows as text of one
//! cell.

use std::{
    io::{self, BufReader, Bytes, Read},
    mem,
};

use csv::StringRecord;

use crate::{encoding::Encoding, error::FileProblem};

/// The records of a file in UTF-8. After an error, the iterator ends.
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
    is_after_blank: bool,
    has_ended: bool,
    numbering: Numbering,
    encoding: Encoding,
}

/// The meaning of the line numbers of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// The lines of the file.
    Lines,
    /// The rows of a worksheet, which are the records of the input.
    Rows,
}

/// A byte of the input.
struct Byte {
    value: u8,
    /// Whether this is the second byte of a CRLF.
    is_second_half: bool,
    ends_line: bool,
}

/// A record and its position in the file.
pub(crate) struct Record {
    /// The line at which the record starts.
    pub(crate) line: u64,
    pub(crate) fields: StringRecord,
    /// Whether the previous record is blank.
    pub(crate) follows_blank: bool,
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
    pub(crate) fn new(input: R, delimiter: u8, length: u64, numbering: Numbering, encoding: Encoding) -> Self {
        let bytes = BufReader::new(input).bytes();
        Self {
            bytes,
            delimiter,
            length,
            read: 0,
            line: 1,
            is_after_cr: false,
            is_after_blank: false,
            has_ended: false,
            numbering,
            encoding,
        }
    }

    /// Skips lines, or rows of a worksheet.
    pub(crate) fn skip_first(&mut self, count: u64) -> Result<(), FileProblem> {
        while self.line <= count {
            let is_at_end = match self.numbering {
                Numbering::Rows => self.record()?.is_none(),
                Numbering::Lines => {
                    let byte = self.byte()?;
                    self.line += u64::from(byte.as_ref().is_some_and(|byte| byte.ends_line));
                    byte.is_none()
                }
            };
            if is_at_end {
                break;
            }
        }
        Ok(())
    }

    /// Returns the number of bytes that have been read.
    pub(crate) const fn bytes_read(&self) -> u64 {
        self.read
    }

    fn byte(&mut self) -> Result<Option<Byte>, FileProblem> {
        let byte = self.bytes.next().transpose().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => FileProblem::WrongEncoding { line: self.line, encoding: self.encoding },
            _ => error.into(),
        });
        let Some(byte) = byte? else { return Ok(None) };
        self.read += 1;
        let is_second_half = self.is_after_cr && byte == b'\n';
        self.is_after_cr = byte == b'\r';
        let ends_line = matches!(byte, b'\r' | b'\n') && !is_second_half;
        Ok(Some(Byte { value: byte, is_second_half, ends_line }))
    }

    fn record(&mut self) -> Result<Option<Record>, FileProblem> {
        let mut partial: Option<Partial> = None;
        while let Some(Byte { value, is_second_half, ends_line }) = self.byte()? {
            if partial.is_none() && is_second_half {
                continue;
            }
            let current = partial.get_or_insert_with(|| Partial::new(self.line));
            let ends_record = current.add(value, self.delimiter, self.line, ends_line)?;
            self.line += u64::from(match self.numbering {
                Numbering::Lines => ends_line,
                Numbering::Rows => ends_record,
            });
            if ends_record {
                return Ok(partial.take().map(Partial::finish));
            }
        }
        if self.read < self.length {
            return Err(FileProblem::Changed);
        }
        let Some(partial) = partial else { return Ok(None) };
        if partial.position == Position::Quoted {
            return Err(FileProblem::UnclosedQuote { line: partial.cell_line });
        }
        Ok(Some(partial.finish()))
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, FileProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let mut record = self.record().transpose();
        if let Some(Ok(record)) = &mut record {
            record.follows_blank = mem::replace(&mut self.is_after_blank, record.is_blank());
        }
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
                self.end_cell();
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

    fn end_cell(&mut self) {
        // The input has been converted to UTF-8, so no character is replaced.
        self.fields.push_field(&String::from_utf8_lossy(&self.cell));
        self.cell.clear();
    }

    fn finish(mut self) -> Record {
        self.end_line();
        self.end_cell();
        Record { line: self.line, fields: self.fields, follows_blank: false, lines: self.lines }
    }
}

#[cfg(test)]
mod tests;

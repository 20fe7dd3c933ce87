//! Rows of answers, and what their columns are read as.

use std::{ops::Range, sync::Arc};

use leadapi_core::{
    auth::TokenHash,
    id::{BusinessId, ClientId, FormId, LeadId, PipelineId, StageId, TokenId},
    model::{Amount, IdempotencyKey, Timestamp},
};

use super::session::SqlError;

/// A value in a column.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cell<'r> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'r str),
    Bytes(&'r [u8]),
}

impl Cell<'_> {
    /// It is not as it was written; what it holds is not said.
    fn strange(self) -> SqlError {
        let found = match self {
            Self::Null => "nothing",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a double",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
        };
        SqlError::other(format!("a row of the database holds {found} where something else belongs"))
    }
}

/// The rows of an answer, as they are read.
///
/// All texts lie in one, behind each other: a page of leads has hundreds, and to give each a place of its own would cost
/// more than the database takes to find them.
#[derive(Default)]
pub(crate) struct Answer {
    texts: String,
    columns: Vec<Column>,
    /// Where each row ends among the columns.
    ends: Vec<usize>,
}

enum Column {
    Null,
    Int(i64),
    Real(f64),
    /// Where it lies.
    Text(Range<usize>),
    Bytes(Vec<u8>),
}

impl Answer {
    /// Copies a row of so many columns, each of which is asked for once and in its turn.
    pub(crate) fn copy<'r, E>(&mut self, columns: usize, cell: impl Fn(usize) -> Result<Cell<'r>, E>) -> Result<(), E> {
        for at in 0..columns {
            self.columns.push(match cell(at)? {
                Cell::Null => Column::Null,
                Cell::Int(number) => Column::Int(number),
                Cell::Real(number) => Column::Real(number),
                Cell::Text(text) => {
                    let start = self.texts.len();
                    self.texts.push_str(text);
                    Column::Text(start..self.texts.len())
                }
                Cell::Bytes(bytes) => Column::Bytes(bytes.to_vec()),
            });
        }
        self.ends.push(self.columns.len());
        Ok(())
    }

    pub(crate) fn rows(self) -> Vec<Row> {
        let answer = Arc::new(self);
        let starts = [0].into_iter().chain(answer.ends.iter().copied());
        let rows = starts.zip(&answer.ends);
        rows.map(|(start, end)| Row { answer: answer.clone(), columns: start..*end }).collect()
    }
}

/// A row of an answer; its columns are taken from left to right.
pub(crate) struct Row {
    answer: Arc<Answer>,
    columns: Range<usize>,
}

impl Row {
    /// The next column.
    pub(crate) fn take<T: FromCell>(&mut self) -> Result<T, SqlError> {
        let column = self.columns.next().and_then(|at| self.answer.columns.get(at));
        T::from_cell(match column.ok_or_else(|| SqlError::other("a row of the database has too few columns"))? {
            Column::Null => Cell::Null,
            Column::Int(number) => Cell::Int(*number),
            Column::Real(number) => Cell::Real(*number),
            Column::Text(place) => Cell::Text(self.answer.texts.get(place.clone()).unwrap_or_default()),
            Column::Bytes(bytes) => Cell::Bytes(bytes),
        })
    }
}

/// What a column can be read as.
pub(crate) trait FromCell: Sized {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError>;
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        if cell == Cell::Null { Ok(None) } else { T::from_cell(cell).map(Some) }
    }
}

macro_rules! plain {
    ($($type:ty = $variant:ident)*) => {$(
        impl FromCell for $type {
            fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
                match cell {
                    Cell::$variant(value) => Ok(value.into()),
                    other => Err(other.strange()),
                }
            }
        }
    )*};
}

plain! { i64 = Int f64 = Real String = Text Vec<u8> = Bytes }

/// Reads what is written as a text.
pub(super) fn parsed<T, E>(cell: Cell<'_>, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, SqlError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    match cell {
        Cell::Text(text) => parse(text).map_err(SqlError::other),
        other => Err(other.strange()),
    }
}

macro_rules! texts {
    ($($type:ty)*) => {$(
        impl FromCell for $type {
            fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
                parsed(cell, |text| Self::parse(text))
            }
        }
    )*};
}

texts! { BusinessId ClientId FormId LeadId PipelineId StageId TokenId IdempotencyKey }

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl FromCell for $type {
            fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
                i64::from_cell(cell)?.try_into().map_err(SqlError::other)
            }
        }
    )*};
}

numbers! { u32 u64 }

impl FromCell for Timestamp {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        let at = chrono::DateTime::from_timestamp_millis(i64::from_cell(cell)?);
        at.map(Self::from).ok_or_else(|| SqlError::other("a moment of the database is out of range"))
    }
}

impl FromCell for Amount {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        Self::try_from(f64::from_cell(cell)?).map_err(SqlError::other)
    }
}

impl FromCell for [u8; 32] {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        let bytes = Vec::from_cell(cell)?;
        Self::try_from(bytes).map_err(|_| SqlError::other("a hash of the database is not 32 bytes"))
    }
}

impl FromCell for TokenHash {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        FromCell::from_cell(cell).map(Self::from_bytes)
    }
}

//! Result rows, and conversions from their columns.

use leadapi_core::{
    auth::TokenHash,
    id::{AuditEntryId, BusinessId, ClientId, FormId, LeadId, PipelineId, SessionId, StageId, TokenId},
    model::{Amount, IdempotencyKey, Timestamp},
};

use super::error::SqlError;

/// A column value, borrowed from the driver. Most values are converted immediately, so a copy would be wasted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cell<'r> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'r str),
    Bytes(&'r [u8]),
}

impl Cell<'_> {
    /// Creates the error for a value of an unexpected type, without revealing the value.
    fn type_mismatch(self) -> SqlError {
        let found = match self {
            Self::Null => "NULL",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a float",
            Self::Text(_) => "a string",
            Self::Bytes(_) => "bytes",
        };
        SqlError::other(format!("a database column has an unexpected type: {found}"))
    }
}

/// A row in the driver's own representation.
pub(crate) trait Cells {
    /// Returns the value at a zero-based column index.
    fn cell(&self, column: usize) -> Result<Cell<'_>, SqlError>;
}

/// A result row, whose columns are read from left to right.
pub(crate) struct Row<'r> {
    cells: &'r dyn Cells,
    next: usize,
}

impl<'r> Row<'r> {
    pub(crate) fn new(cells: &'r dyn Cells) -> Self {
        Self { cells, next: 0 }
    }

    /// Takes the next column.
    pub(crate) fn take<T: FromCell>(&mut self) -> Result<T, SqlError> {
        self.cell().and_then(T::from_cell)
    }

    /// Takes the next column. If `known` contains the value, returns a clone that shares its memory. Otherwise, adds
    /// the value to `known`, up to its capacity.
    pub(crate) fn take_shared<T: FromCell + Clone + AsRef<str>>(
        &mut self,
        known: &mut Vec<T>,
    ) -> Result<Option<T>, SqlError> {
        let cell = self.cell()?;
        let Cell::Text(text) = cell else { return FromCell::from_cell(cell) };
        if let Some(known) = known.iter().find(|known| (*known).as_ref() == text) {
            return Ok(Some(known.clone()));
        }
        let new = T::from_cell(cell)?;
        if known.len() < known.capacity() {
            known.push(new.clone());
        }
        Ok(Some(new))
    }

    fn cell(&mut self) -> Result<Cell<'r>, SqlError> {
        self.next += 1;
        self.cells.cell(self.next - 1)
    }
}

/// A type that can be converted from a column value.
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
                    other => Err(other.type_mismatch()),
                }
            }
        }
    )*};
}

plain! { i64 = Int f64 = Real String = Text Vec<u8> = Bytes }

/// Parses a value that is stored as text.
pub(super) fn parsed<T, E>(cell: Cell<'_>, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, SqlError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    match cell {
        Cell::Text(text) => parse(text).map_err(SqlError::other),
        other => Err(other.type_mismatch()),
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

texts! { AuditEntryId BusinessId ClientId FormId LeadId PipelineId SessionId StageId TokenId IdempotencyKey }

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
        Self::from_unix_millis(i64::from_cell(cell)?)
            .map_err(|_| SqlError::other("a timestamp in the database is out of range"))
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
        Self::try_from(bytes).map_err(|_| SqlError::other("a hash in the database is not 32 bytes long"))
    }
}

impl FromCell for TokenHash {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        FromCell::from_cell(cell).map(Self::from_bytes)
    }
}

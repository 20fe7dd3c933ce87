//! A session on a connection. All operations are synchronous, so the futures complete on the first poll.

use std::collections::BTreeSet;

use async_trait::async_trait;
use futures_util::FutureExt;
use leadapi_core::id::BusinessId;
use rusqlite::{
    CachedStatement, Connection, ErrorCode,
    types::{ToSql, ToSqlOutput, ValueRef},
};

use crate::{
    change::Changes,
    error::SqlError,
    lookup::{Found, Lookup},
    row::{Cell, Cells, Row},
    session::{Query, Read, Session, Value},
    write::WriteSession,
};

/// A session within the current transaction of a connection.
pub(super) struct SqliteSession<'c>(pub(super) &'c mut Connection);

#[async_trait]
impl Session for SqliteSession<'_> {
    async fn query(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        queries.iter().enumerate().try_for_each(|(nth, query)| run(self.0, query, |row| read(nth, row)))
    }

    async fn execute(&mut self, query: Query) -> Result<(), SqlError> {
        run(self.0, &query, |_| Ok(()))
    }
}

/// Runs a statement for each row, because SQLite needs no round trips.
#[async_trait]
impl WriteSession for SqliteSession<'_> {
    async fn look_up(
        &mut self,
        business: &BusinessId,
        lookups: BTreeSet<Lookup>,
        found: &mut (dyn FnMut(Found) + Send),
    ) -> Result<(), SqlError> {
        for lookup in lookups {
            run(self.0, &lookup.query(business), |row| lookup.read(row).map(&mut *found))?;
        }
        Ok(())
    }

    async fn save(&mut self, _: &BusinessId, changes: Changes) -> Result<(), SqlError> {
        changes.0.into_values().flatten().try_for_each(|change| run(self.0, &change, |_| Ok(())))
    }
}

/// Runs a statement that has no parameters and returns no rows, such as BEGIN or COMMIT.
pub(super) fn execute(connection: &Connection, sql: &str) -> Result<(), SqlError> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute(())).map(drop).map_err(map_error)
}

/// Runs a statement, and passes each row to `read` without copying it.
pub(super) fn run(
    connection: &Connection,
    query: &Query,
    mut read: impl FnMut(Row<'_>) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let mut statement = bind(connection, query)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(map_error)? {
        read(Row::new(row))?;
    }
    Ok(())
}

/// Runs a statement, and returns its first row, mapped with `read`.
pub(super) fn first_row<T>(
    connection: &Connection,
    query: &Query,
    read: impl FnOnce(Row<'_>) -> Result<T, SqlError>,
) -> Result<Option<T>, SqlError> {
    let mut statement = bind(connection, query)?;
    let mut rows = statement.raw_query();
    rows.next().map_err(map_error)?.map(|row| read(Row::new(row))).transpose()
}

fn bind<'c>(connection: &'c Connection, query: &Query) -> Result<CachedStatement<'c>, SqlError> {
    let mut statement = connection.prepare_cached(query.sql).map_err(map_error)?;
    for (at, param) in query.params.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, param).map_err(map_error)?;
    }
    Ok(statement)
}

impl Cells for rusqlite::Row<'_> {
    fn cell(&self, column: usize) -> Result<Cell<'_>, SqlError> {
        match self.get_ref(column) {
            Ok(ValueRef::Null) => Ok(Cell::Null),
            Ok(ValueRef::Integer(number)) => Ok(Cell::Int(number)),
            Ok(ValueRef::Real(number)) => Ok(Cell::Real(number)),
            Ok(ValueRef::Text(text)) => str::from_utf8(text).map(Cell::Text).map_err(SqlError::other),
            Ok(ValueRef::Blob(bytes)) => Ok(Cell::Bytes(bytes)),
            Err(error) => Err(map_error(error)),
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::List(_) => return Err(rusqlite::Error::ToSqlConversionFailure("SQLite has no lists".into())),
        }))
    }
}

/// Polls a future that completes on the first poll, because a SQLite session never waits.
pub(super) fn poll_ready<T>(work: impl Future<Output = Result<T, SqlError>>) -> Result<T, SqlError> {
    work.now_or_never().unwrap_or_else(|| Err(SqlError::other("work on SQLite did not complete immediately")))
}

/// Maps a SQLite error. I/O errors and corruption are fatal: the state of the disk is unknown, so the store must stop.
pub(super) fn map_error(error: rusqlite::Error) -> SqlError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) if is_key(&error) => SqlError::Conflict(std::sync::Arc::new(error)),
        Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            SqlError::Fatal(std::sync::Arc::new(error))
        }
        // Another program held the write lock for longer than the timeout, so nothing was written.
        Some(ErrorCode::DatabaseBusy) => SqlError::Retry(std::sync::Arc::new(error)),
        _ => SqlError::other(error),
    }
}

fn is_key(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID, SQLITE_CONSTRAINT_UNIQUE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_ROWID | SQLITE_CONSTRAINT_UNIQUE))
}

//! The interface between the store logic and the databases: parameters, statements and transactions.
//!
//! A statement that both databases run has the same text for both. Parameters are `$1`, `$2` and so on, numbered in the
//! order of their first appearance.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use leadapi_core::{
    auth::TokenHash,
    id::{AuditEntryId, BusinessId, ClientId, FormId, LeadId, PipelineId, SessionId, StageId, TokenId},
    model::{Amount, IdempotencyKey, Timestamp},
};

use super::{error::SqlError, row::Row};

/// A statement parameter. Timestamps are milliseconds since the Unix epoch, so both databases sort them identically.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(Arc<str>),
    Bytes(Vec<u8>),
    /// The values of a column, for PostgreSQL.
    List(Vec<Self>),
}

impl Value {
    /// Returns the name of the type, which does not reveal the value.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a float",
            Self::Text(_) => "a string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "a list",
        }
    }
}

/// Shows only the type, because drivers log statement parameters, and lead data must never be logged.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

/// A statement and its parameters.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) sql: &'static str,
    pub(crate) params: Vec<Value>,
}

/// Builds a [`Query`] from a statement and values that convert to parameters.
macro_rules! query {
    ($sql:expr $(, $param:expr)* $(,)?) => {
        $crate::session::Query { sql: $sql, params: vec![$($crate::session::Value::from($param)),*] }
    };
}
pub(crate) use query;

/// A callback that receives each result row with the zero-based index of its statement.
pub(crate) type Read<'a> = dyn FnMut(usize, Row<'_>) -> Result<(), SqlError> + Send + 'a;

/// A transaction. Its statements run in the order in which they are passed.
#[async_trait]
pub(crate) trait Session: Send {
    /// Runs statements and passes the rows of each to `read`, in order. On PostgreSQL, statements that are already
    /// prepared share one round trip.
    async fn query(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError>;

    /// Runs a statement and ignores its rows. A failure may be reported only by a later call, or when the transaction
    /// ends.
    async fn execute(&mut self, query: Query) -> Result<(), SqlError>;
}

impl dyn Session + '_ {
    /// Runs one statement, and maps each row with `read`.
    pub(crate) async fn rows<T: Send>(
        &mut self,
        query: Query,
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError> + Send,
    ) -> Result<Vec<T>, SqlError> {
        let mut rows = Vec::new();
        let mut each = |_, row: Row<'_>| read(row).map(|row| rows.push(row));
        self.query(vec![query], &mut each).await?;
        Ok(rows)
    }

    /// Runs one statement, and returns its first row, mapped with `read`.
    pub(crate) async fn row<T: Send>(
        &mut self,
        query: Query,
        read: impl FnMut(Row<'_>) -> Result<T, SqlError> + Send,
    ) -> Result<Option<T>, SqlError> {
        Ok(self.rows(query, read).await?.into_iter().next())
    }

    /// Runs a statement, and returns whether it returned a row.
    pub(crate) async fn finds(&mut self, query: Query) -> Result<bool, SqlError> {
        Ok(self.row(query, |_| Ok(())).await?.is_some())
    }
}

/// A unit of work that runs in one transaction and takes effect completely or not at all. It may be retried after a
/// failure.
#[async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    type Output: Send + 'static;

    async fn run(&self, session: &mut dyn Session) -> Result<Self::Output, SqlError>;
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! plain {
    ($($type:ty = $variant:ident)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

plain! { i64 = Int f64 = Real Vec<u8> = Bytes }

macro_rules! ids {
    ($($type:ty)*) => {$(
        impl From<&$type> for Value {
            fn from(id: &$type) -> Self {
                Self::Text(id.clone().into())
            }
        }
    )*};
}

ids! { AuditEntryId BusinessId ClientId FormId LeadId PipelineId SessionId StageId TokenId }

macro_rules! texts {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(text: $type) -> Self {
                Self::Text(text.as_str().into())
            }
        }
    )*};
}

texts! { String &String &IdempotencyKey }

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<Timestamp> for Value {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.unix_millis())
    }
}

impl From<Amount> for Value {
    fn from(amount: Amount) -> Self {
        Self::Real(amount.get())
    }
}

impl From<[u8; 32]> for Value {
    fn from(bytes: [u8; 32]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<&TokenHash> for Value {
    fn from(hash: &TokenHash) -> Self {
        hash.to_bytes().into()
    }
}

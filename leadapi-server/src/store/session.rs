//! The seam between what is done and the database that does it: parameters, statements, and a session of a transaction.
//!
//! The statements are written so that both databases take the same text: parameters are `$1`, `$2` and so on, in the
//! order in which they first appear.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    auth::TokenHash,
    id::{BusinessId, ClientId, FormId, LeadId, PipelineId, StageId, TokenId},
    model::{Amount, IdempotencyKey, Timestamp},
};

use super::row::Row;

/// Why a piece of work was not done.
///
/// It can be cloned, because all who share a transaction share its end.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SqlError {
    /// What was asked for cannot be done to the data as they are; the text is for the person who asked.
    #[error("{0}")]
    Refused(String),
    /// A key is there already.
    #[error("a record with this key exists already")]
    Conflict(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Another transaction was in the way; the same work may succeed when it is done again.
    #[error("another transaction was in the way")]
    Retry(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The connection is gone, and with it the transaction.
    #[error("the connection to the database was lost")]
    Lost(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Nobody knows whether the transaction was committed, so the work must not be done again.
    #[error("a commit was not answered, and its outcome could not be established")]
    Unknown(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The storage can no longer be trusted; nothing more must be acknowledged.
    #[error("the storage has failed")]
    Fatal(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Anything else.
    #[error("the database failed")]
    Other(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl SqlError {
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    pub(crate) fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into().into())
    }

    pub(crate) fn lost(error: impl Into<BoxError>) -> Self {
        Self::Lost(error.into().into())
    }
}

/// A parameter. Moments are milliseconds since 1970, so that both databases order them alike.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(Arc<str>),
    Bytes(Vec<u8>),
}

impl Value {
    /// What it is, without saying what it holds.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a double",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
        }
    }
}

/// Says of what kind it is: drivers write the parameters of statements to their logs, and a log holds no data of leads.
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

/// A [`Query`] of a statement and anything that can be a parameter.
macro_rules! query {
    ($sql:expr $(, $param:expr)* $(,)?) => {
        $crate::store::session::Query { sql: $sql, params: vec![$($crate::store::session::Value::from($param)),*] }
    };
}
pub(crate) use query;

/// What is done with the rows of answers: it is told which statement a row answers, counted from 0.
pub(crate) type Read<'a> = dyn FnMut(usize, Row<'_>) -> Result<(), SqlError> + Send + 'a;

/// A transaction, in which statements are run in the order in which they are given.
#[async_trait]
pub(crate) trait Session: Send {
    /// Runs them and hands over the rows of each, in order; in one round trip, where there is one.
    async fn ask(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError>;

    /// Runs it. Whether it succeeded may be known only when something is asked, or at the end of the transaction.
    async fn tell(&mut self, query: Query) -> Result<(), SqlError>;
}

impl dyn Session + '_ {
    /// What is read of the rows of one statement.
    pub(crate) async fn rows<T: Send>(
        &mut self,
        query: Query,
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError> + Send,
    ) -> Result<Vec<T>, SqlError> {
        let mut rows = Vec::new();
        let mut each = |_, row: Row<'_>| read(row).map(|row| rows.push(row));
        self.ask(vec![query], &mut each).await?;
        Ok(rows)
    }

    /// What is read of the first row of one statement.
    pub(crate) async fn row<T: Send>(
        &mut self,
        query: Query,
        read: impl FnMut(Row<'_>) -> Result<T, SqlError> + Send,
    ) -> Result<Option<T>, SqlError> {
        Ok(self.rows(query, read).await?.into_iter().next())
    }

    /// Whether one statement finds anything.
    pub(crate) async fn finds(&mut self, query: Query) -> Result<bool, SqlError> {
        Ok(self.row(query, |_| Ok(())).await?.is_some())
    }
}

/// Something that is done within one transaction: wholly or not at all. It may be done again where that failed.
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

ids! { BusinessId ClientId FormId LeadId PipelineId StageId TokenId }

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
        Self::Int(at.to_utc().timestamp_millis())
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

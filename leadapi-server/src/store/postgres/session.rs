//! A session on a connection: statements are sent as they are given, and answers are waited for only where they are
//! needed.

use std::{collections::VecDeque, error::Error, pin::Pin, sync::Arc};

use async_trait::async_trait;
use deadpool_postgres::Object;
use futures_util::FutureExt;
use tokio_postgres::{
    error::SqlState,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use crate::store::{
    row::{Cell, Cells, Row},
    session::{Query, Read, Session, SqlError, Value},
};

type Answer = Pin<Box<dyn Future<Output = Result<Vec<tokio_postgres::Row>, tokio_postgres::Error>> + Send>>;

/// So many answers are left unread at most.
const MOST_UNREAD: usize = 1_024;

/// A transaction on a connection of its own.
///
/// Unless it is ended in good order, the connection ends with it: one that comes back to the pool is in no transaction.
pub(super) struct PgSession {
    connection: Option<Arc<Object>>,
    /// What has been told, and not been heard of yet.
    told: VecDeque<Answer>,
}

impl PgSession {
    /// Begins a transaction with the statement that says of which kind.
    pub(super) fn begin(connection: Object, begin: &'static str) -> Result<Self, SqlError> {
        let mut session = Self { connection: Some(Arc::new(connection)), told: VecDeque::new() };
        session.send(command(session.connection()?, begin));
        Ok(session)
    }

    /// Commits, and gives the connection back. Where the answer is lost, nobody knows yet whether that was done.
    pub(super) async fn commit(mut self) -> Result<(), SqlError> {
        // It is on its way behind all that was told: had that failed, the database would make a rollback of it.
        self.send(command(self.connection()?, "COMMIT"));
        self.hear().await?;
        self.connection = None;
        Ok(())
    }

    /// Ends a transaction that has only read, and gives the connection back without waiting for its end.
    pub(super) async fn end_of_reading(mut self) -> Result<(), SqlError> {
        self.hear().await?;
        self.send(command(self.connection()?, "COMMIT"));
        self.told.clear();
        self.connection = None;
        Ok(())
    }

    fn connection(&self) -> Result<Arc<Object>, SqlError> {
        self.connection.clone().ok_or_else(|| SqlError::other("the session has ended"))
    }

    fn send(&mut self, answer: Answer) {
        self.told.push_back(sent(answer));
    }

    /// Waits for all that was told.
    async fn hear(&mut self) -> Result<(), SqlError> {
        while let Some(answer) = self.told.pop_front() {
            answer.await.map_err(failure)?;
        }
        Ok(())
    }
}

impl Drop for PgSession {
    fn drop(&mut self) {
        self.told.clear();
        if let Some(connection) = self.connection.take().and_then(Arc::into_inner) {
            drop(Object::take(connection));
        }
    }
}

#[async_trait]
impl Session for PgSession {
    async fn ask(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        let mut asked = Vec::with_capacity(queries.len());
        for query in queries {
            asked.push(sent(prepared(self.connection()?, query).await?));
        }
        self.hear().await?;
        for (nth, answer) in asked.into_iter().enumerate() {
            for row in &answer.await.map_err(failure)? {
                read(nth, Row::new(row))?;
            }
        }
        Ok(())
    }

    async fn tell(&mut self, query: Query) -> Result<(), SqlError> {
        let answer = prepared(self.connection()?, query).await?;
        self.send(answer);
        if self.told.len() > MOST_UNREAD { self.hear().await } else { Ok(()) }
    }
}

/// A statement is sent when its answer is first asked for, so that is done at once and in order.
fn sent(mut answer: Answer) -> Answer {
    match (&mut answer).now_or_never() {
        Some(answer) => Box::pin(std::future::ready(answer)),
        None => answer,
    }
}

fn command(connection: Arc<Object>, text: &'static str) -> Answer {
    Box::pin(async move { connection.batch_execute(text).await.map(|()| Vec::new()) })
}

async fn prepared(connection: Arc<Object>, query: Query) -> Result<Answer, SqlError> {
    let statement = connection.prepare_cached(query.sql).await.map_err(failure)?;
    Ok(Box::pin(async move {
        let params: Vec<&(dyn ToSql + Sync)> =
            query.params.iter().map(|param| -> &(dyn ToSql + Sync) { param }).collect();
        connection.query(&statement, &params).await
    }))
}

/// Runs one statement that reads, in a transaction of its own.
pub(super) async fn query(connection: Object, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
    let connection = Arc::new(connection);
    let rows = match prepared(connection.clone(), query).await {
        Ok(answer) => answer.await.map_err(failure),
        Err(error) => Err(error),
    };
    if rows.is_err()
        && let Some(connection) = Arc::into_inner(connection)
    {
        drop(Object::take(connection));
    }
    rows
}

/// What an error means.
pub(super) fn failure(error: tokio_postgres::Error) -> SqlError {
    let Some(state) = error.code().cloned() else {
        // Not from the database: the connection is closed, or has said something that is no answer.
        return SqlError::lost(error);
    };
    let error = Arc::new(error);
    if state == SqlState::T_R_SERIALIZATION_FAILURE || state == SqlState::T_R_DEADLOCK_DETECTED {
        SqlError::Retry(error)
    } else if state == SqlState::UNIQUE_VIOLATION {
        SqlError::Conflict(error)
    } else if state.code().starts_with("08") || state.code().starts_with("57P") {
        SqlError::Lost(error)
    } else {
        SqlError::Other(error)
    }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Real(number) => number.to_sql(ty, out),
            Self::Text(text) => text.as_ref().to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(ty)
    }

    to_sql_checked!();
}

impl Cells for tokio_postgres::Row {
    fn cell(&self, column: usize) -> Result<Cell<'_>, SqlError> {
        self.try_get(column).map_err(SqlError::other)
    }
}

impl<'a> FromSql<'a> for Cell<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(ty, raw)?),
            Type::BYTEA => Self::Bytes(FromSql::from_sql(ty, raw)?),
            _ => Self::Text(FromSql::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(ty)
    }
}

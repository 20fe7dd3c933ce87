//! A session on a connection. Statements are pipelined: each is sent at once, and its answer is awaited only where it
//! is needed.

use std::{
    collections::VecDeque,
    error::Error,
    pin::{Pin, pin},
    sync::Arc,
};

use async_trait::async_trait;
use deadpool_postgres::Object;
use futures_util::{
    FutureExt,
    future::{Either, select},
};
use tokio_postgres::{
    Statement,
    error::SqlState,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use crate::store::{
    error::SqlError,
    row::{Cell, Cells, Row},
    session::{Query, Read, Session, Value},
};

type Answer = Pin<Box<dyn Future<Output = Result<Vec<tokio_postgres::Row>, tokio_postgres::Error>> + Send>>;

/// The maximum number of answers left unread.
const MOST_UNREAD: usize = 1_024;

/// A transaction on a connection of its own.
///
/// Unless the transaction ends properly, its connection is closed. So a connection in the pool is never in a
/// transaction.
pub(super) struct PgSession {
    connection: Option<Arc<Object>>,
    /// Pending statements: sent, but with unread answers.
    told: VecDeque<Answer>,
}

impl PgSession {
    /// Begins a transaction with a statement that sets its mode.
    pub(super) fn begin(connection: Object, begin: &'static str) -> Result<Self, SqlError> {
        let mut session = Self { connection: Some(Arc::new(connection)), told: VecDeque::new() };
        session.send(command(session.connection()?, begin));
        Ok(session)
    }

    /// Commits, and returns the connection to the pool. If the answer is lost, the outcome is unknown.
    pub(super) async fn commit(mut self) -> Result<(), SqlError> {
        // Sent right behind the pending statements: if one of them failed, PostgreSQL turns the commit into a rollback.
        self.send(command(self.connection()?, "COMMIT"));
        self.hear().await?;
        self.connection = None;
        Ok(())
    }

    /// Ends a read transaction, and returns the connection to the pool without waiting for the answer.
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

    /// Prepares a statement, and reads pending answers meanwhile.
    ///
    /// The driver stops reading a connection while an answer of several pieces is unread. So pending answers would keep
    /// this one from arriving. If a pending statement failed, its error is returned, and not that the transaction is
    /// aborted.
    async fn prepare(&mut self, sql: &'static str) -> Result<Statement, SqlError> {
        let connection = self.connection()?;
        let prepare = pin!(connection.prepare_cached(sql));
        let prepared = match select(prepare, pin!(hear(&mut self.told))).await {
            Either::Left((prepared, _)) => prepared,
            Either::Right((heard, prepare)) => {
                heard?;
                prepare.await
            }
        };
        match prepared {
            Ok(statement) => Ok(statement),
            Err(error) => {
                self.hear().await?;
                Err(failure(error))
            }
        }
    }

    /// Waits for the answers to all pending statements.
    async fn hear(&mut self) -> Result<(), SqlError> {
        hear(&mut self.told).await
    }
}

/// Reads answers in order. Each is removed once it is read, so the queue stays consistent if this future is dropped.
async fn hear(told: &mut VecDeque<Answer>) -> Result<(), SqlError> {
    while let Some(answer) = told.front_mut() {
        let heard = answer.await;
        told.pop_front();
        heard.map_err(failure)?;
    }
    Ok(())
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
        // All are prepared before any is run: the unread answer to one would keep the next from being prepared.
        let mut prepared = Vec::with_capacity(queries.len());
        for query in queries {
            prepared.push((self.prepare(query.sql).await?, query));
        }
        let connection = self.connection()?;
        let run = |(statement, query)| sent(run(connection.clone(), statement, query));
        let asked: Vec<Answer> = prepared.into_iter().map(run).collect();
        self.hear().await?;
        for (nth, answer) in asked.into_iter().enumerate() {
            for row in &answer.await.map_err(failure)? {
                read(nth, Row::new(row))?;
            }
        }
        Ok(())
    }

    async fn tell(&mut self, query: Query) -> Result<(), SqlError> {
        let statement = self.prepare(query.sql).await?;
        self.send(run(self.connection()?, statement, query));
        if self.told.len() > MOST_UNREAD { self.hear().await } else { Ok(()) }
    }
}

/// The driver sends a statement when its answer is first polled. Polling at once keeps statements in order.
fn sent(mut answer: Answer) -> Answer {
    match (&mut answer).now_or_never() {
        Some(answer) => Box::pin(std::future::ready(answer)),
        None => answer,
    }
}

fn command(connection: Arc<Object>, text: &'static str) -> Answer {
    Box::pin(async move { connection.batch_execute(text).await.map(|()| Vec::new()) })
}

fn run(connection: Arc<Object>, statement: Statement, query: Query) -> Answer {
    Box::pin(async move {
        let params: Vec<&(dyn ToSql + Sync)> =
            query.params.iter().map(|param| -> &(dyn ToSql + Sync) { param }).collect();
        connection.query(&statement, &params).await
    })
}

/// Runs one read statement in a transaction of its own.
pub(super) async fn query(connection: Object, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
    let connection = Arc::new(connection);
    let rows = match connection.prepare_cached(query.sql).await {
        Ok(statement) => run(connection.clone(), statement, query).await,
        Err(error) => Err(error),
    };
    let rows = rows.map_err(failure);
    if rows.is_err()
        && let Some(connection) = Arc::into_inner(connection)
    {
        drop(Object::take(connection));
    }
    rows
}

/// Maps an error of the driver.
pub(super) fn failure(error: tokio_postgres::Error) -> SqlError {
    let Some(state) = error.code().cloned() else {
        // Not from the database: the connection is closed, or the answer is not valid.
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

/// Whether the error is due to a single write: the database refused its data, and has rolled the transaction back.
pub(super) fn is_of_one_write(error: &SqlError) -> bool {
    match error {
        SqlError::Conflict(_) => true,
        SqlError::Other(cause) => {
            let state = cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code);
            // Data exceptions, constraint violations, and rows that are too large.
            state.is_some_and(|state| ["22", "23", "54"].iter().any(|class| state.code().starts_with(class)))
        }
        _ => false,
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

//! A session on a connection. Statements are pipelined: each is sent immediately, and its response is awaited only when
//! it is needed.

use std::{
    collections::VecDeque,
    error::Error,
    pin::{Pin, pin},
    sync::Arc,
};

use async_trait::async_trait;
use futures_util::{
    FutureExt,
    future::{Either, select},
};
use tokio_postgres::{
    Statement,
    types::{FromSql, IsNull, Kind, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::{commit_error::CommitError, share::Connection, sql_state::map_error};
use crate::{
    error::SqlError,
    row::{Cell, Cells, Row},
    session::{Query, Read, Session, Value, Work},
};

type PendingRows = Pin<Box<dyn Future<Output = Result<Vec<tokio_postgres::Row>, tokio_postgres::Error>> + Send>>;

/// The number of pending statements above which `execute` waits for their responses.
const MAX_PENDING: usize = 1_024;

/// A transaction or a statement on a dedicated connection.
///
/// If it does not end properly, its connection is closed. So a connection in the pool is never inside a transaction, and
/// a request to cancel a statement never reaches a later one.
pub(super) struct PgSession {
    connection: Option<Arc<Connection>>,
    /// Whether a statement is running, which is cancelled if its caller stops waiting. A commit is never cancelled,
    /// because it might then neither be replicated nor undone.
    is_running: bool,
    /// The unread responses, in the order in which their statements were sent.
    pending: VecDeque<PendingRows>,
}

impl PgSession {
    fn new(connection: Connection) -> Self {
        Self { connection: Some(Arc::new(connection)), is_running: false, pending: VecDeque::new() }
    }

    /// Begins a transaction with a statement that sets its mode.
    pub(super) fn begin(connection: Connection, begin: &'static str) -> Result<Self, SqlError> {
        let mut session = Self::new(connection);
        session.send(simple_query(session.connection()?, begin));
        Ok(session)
    }

    /// Commits, and returns the connection to the pool.
    pub(super) async fn commit(mut self) -> Result<(), CommitError> {
        // Sent without waiting for the pending statements. If one of them failed, PostgreSQL turns the commit into a
        // rollback.
        let connection = self.connection().map_err(CommitError::RolledBack)?;
        let response = start(simple_query(connection, "COMMIT"));
        self.drain().await.map_err(CommitError::of_statement)?;
        response.await.map_err(CommitError::of_commit)?;
        self.connection = None;
        Ok(())
    }

    /// Ends a read transaction, and returns the connection to the pool without waiting for the response.
    pub(super) async fn end_read(mut self) -> Result<(), SqlError> {
        self.drain().await?;
        self.send(simple_query(self.connection()?, "COMMIT"));
        self.pending.clear();
        self.connection = None;
        Ok(())
    }

    fn connection(&self) -> Result<Arc<Connection>, SqlError> {
        self.connection.clone().ok_or_else(|| SqlError::other("the session has ended"))
    }

    fn send(&mut self, response: PendingRows) {
        self.pending.push_back(start(response));
    }

    /// Prepares a statement while reading pending responses.
    ///
    /// The driver stops reading from a connection while a multi-message response is unread, so unread responses would
    /// block this one. If a pending statement failed, its error is returned instead of the resulting error about an
    /// aborted transaction.
    async fn prepare(&mut self, sql: &'static str) -> Result<Statement, SqlError> {
        let connection = self.connection()?;
        let prepare = pin!(connection.prepare_cached(sql));
        let prepared = match select(prepare, pin!(drain(&mut self.pending))).await {
            Either::Left((prepared, _)) => prepared,
            Either::Right((drained, prepare)) => {
                drained?;
                prepare.await
            }
        };
        match prepared {
            Ok(statement) => Ok(statement),
            Err(error) => {
                self.drain().await?;
                Err(map_error(error))
            }
        }
    }

    /// Waits for the responses to all pending statements.
    async fn drain(&mut self) -> Result<(), SqlError> {
        drain(&mut self.pending).await
    }
}

/// Reads responses in order. Each is removed only after it has been read, so the queue stays consistent if this future
/// is dropped.
async fn drain(pending: &mut VecDeque<PendingRows>) -> Result<(), SqlError> {
    while let Some(response) = pending.front_mut() {
        let drained = response.await;
        pending.pop_front();
        drained.map_err(map_error)?;
    }
    Ok(())
}

impl Drop for PgSession {
    fn drop(&mut self) {
        self.pending.clear();
        match self.connection.take().and_then(Arc::into_inner) {
            Some(connection) if self.is_running => connection.cancel(),
            Some(connection) => connection.close(),
            None => {}
        }
    }
}

#[async_trait]
impl Session for PgSession {
    async fn query(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        self.is_running = true;
        let done = self.run_all(queries, read).await;
        self.is_running = false;
        done
    }

    async fn execute(&mut self, query: Query) -> Result<(), SqlError> {
        self.is_running = true;
        let sent = self.start_one(query).await;
        self.is_running = false;
        sent
    }
}

impl PgSession {
    async fn rows(&mut self, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
        let statement = self.prepare(query.sql).await?;
        run(self.connection()?, statement, query).await.map_err(map_error)
    }

    async fn run_all(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        // All statements are prepared before any is run, because an unread response would block the next preparation.
        let mut prepared = Vec::with_capacity(queries.len());
        for query in queries {
            prepared.push((self.prepare(query.sql).await?, query));
        }
        let connection = self.connection()?;
        let run = |(statement, query)| start(run(connection.clone(), statement, query));
        let started: Vec<PendingRows> = prepared.into_iter().map(run).collect();
        self.drain().await?;
        for (nth, response) in started.into_iter().enumerate() {
            for row in &response.await.map_err(map_error)? {
                read(nth, Row::new(row))?;
            }
        }
        Ok(())
    }

    async fn start_one(&mut self, query: Query) -> Result<(), SqlError> {
        let statement = self.prepare(query.sql).await?;
        self.send(run(self.connection()?, statement, query));
        if self.pending.len() > MAX_PENDING { self.drain().await } else { Ok(()) }
    }
}

/// Sends a statement by polling its future once. The driver sends nothing before the first poll, so this keeps
/// statements in order.
fn start(mut response: PendingRows) -> PendingRows {
    match (&mut response).now_or_never() {
        Some(response) => Box::pin(std::future::ready(response)),
        None => response,
    }
}

fn simple_query(connection: Arc<Connection>, text: &'static str) -> PendingRows {
    Box::pin(async move { connection.batch_execute(text).await.map(|()| Vec::new()) })
}

fn run(connection: Arc<Connection>, statement: Statement, query: Query) -> PendingRows {
    Box::pin(async move {
        let params: Vec<&(dyn ToSql + Sync)> =
            query.params.iter().map(|param| -> &(dyn ToSql + Sync) { param }).collect();
        connection.query(&statement, &params).await
    })
}

/// Runs read statements in a transaction.
pub(super) async fn read<W: Work>(
    connection: Connection,
    begin: &'static str,
    work: &W,
) -> Result<W::Output, SqlError> {
    let mut session = PgSession::begin(connection, begin)?;
    let done = work.run(&mut session).await?;
    session.end_read().await?;
    Ok(done)
}

/// Runs one read statement outside an explicit transaction.
pub(super) async fn query(connection: Connection, query: Query) -> Result<Vec<tokio_postgres::Row>, SqlError> {
    let mut session = PgSession::new(connection);
    session.is_running = true;
    let rows = session.rows(query).await;
    session.is_running = false;
    if rows.is_ok() {
        session.connection = None;
    }
    rows
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Real(number) => number.to_sql(ty, out),
            Self::Text(text) => text.as_ref().to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
            Self::List(values) => values.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        let of_values = match ty.kind() {
            Kind::Array(of_values) => of_values,
            _ => ty,
        };
        [Type::INT8, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(of_values)
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

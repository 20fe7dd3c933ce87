//! A direct connection to the database of the store under test, used to inspect and undo the store's writes.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use rusqlite::types::Value;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A direct connection, and a copy of the contents that the database had when the connection was opened.
#[derive(Debug)]
pub struct Raw {
    connection: Connection,
    /// The SQL statements that restore the copy.
    reset: String,
}

enum Connection {
    Sqlite(Mutex<rusqlite::Connection>),
    Postgres(Client),
}

impl Raw {
    /// Opens a SQLite file.
    pub(crate) fn sqlite(path: &Path) -> Self {
        let connection = rusqlite::Connection::open(path).unwrap();
        // Syncs are skipped to save time, because test data need not survive a power loss.
        connection.pragma_update(None, "synchronous", "OFF").unwrap();
        connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        connection.execute_batch("ATTACH ':memory:' AS copy").unwrap();
        let tables =
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
        let tables: Vec<String> =
            connection.prepare(tables).unwrap().query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        connection.execute_batch(&copied(&tables, "main")).unwrap();
        Self { connection: Connection::Sqlite(Mutex::new(connection)), reset: reset(&tables, "main") }
    }

    /// Connects to the PostgreSQL database with this URL.
    pub(crate) async fn postgres(url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        // Oids follow the order of creation, so each table precedes the tables with foreign keys to it.
        let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' \
            ORDER BY oid";
        let tables: Vec<String> = client.query(tables, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
        client.batch_execute("CREATE SCHEMA copy").await.unwrap();
        client.batch_execute(&copied(&tables, "public")).await.unwrap();
        Self { connection: Connection::Postgres(client), reset: reset(&tables, "public") }
    }

    /// Restores the contents that the database had when this connection was opened.
    pub(crate) async fn reset(&self) {
        match &self.connection {
            Connection::Sqlite(sqlite) => lock(sqlite).execute_batch(&self.reset).unwrap(),
            Connection::Postgres(client) => client.batch_execute(&self.reset).await.unwrap(),
        }
    }

    /// Runs a statement that both databases understand. Returns its rows with every value as text, and NULL as an empty
    /// string.
    pub async fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        match &self.connection {
            Connection::Sqlite(sqlite) => rows(&lock(sqlite), sql),
            Connection::Postgres(client) => {
                let messages = client.simple_query(sql).await.unwrap();
                let rows = messages.iter().filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                rows.map(|row| (0..row.len()).map(|at| row.get(at).unwrap_or_default().to_owned()).collect()).collect()
            }
        }
    }
}

fn lock(sqlite: &Mutex<rusqlite::Connection>) -> std::sync::MutexGuard<'_, rusqlite::Connection> {
    sqlite.lock().unwrap_or_else(PoisonError::into_inner)
}

fn copied(tables: &[String], from: &str) -> String {
    let copy = |table: &String| format!("CREATE TABLE copy.\"{table}\" AS SELECT * FROM {from}.\"{table}\";");
    tables.iter().map(copy).collect::<Vec<_>>().concat()
}

/// Builds the statements that restore the copy. Foreign keys dictate the order: rows are deleted before the rows that
/// they reference, and inserted after them.
fn reset(tables: &[String], into: &str) -> String {
    let delete = tables.iter().rev().map(|table| format!("DELETE FROM {into}.\"{table}\";"));
    let insert = tables.iter().map(|table| format!("INSERT INTO {into}.\"{table}\" SELECT * FROM copy.\"{table}\";"));
    let statements: Vec<String> = delete.chain(insert).collect();
    format!("BEGIN;{}COMMIT", statements.concat())
}

fn rows(sqlite: &rusqlite::Connection, sql: &str) -> Vec<Vec<String>> {
    let mut statement = sqlite.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map((), |row| (0..columns).map(|at| row.get::<_, Value>(at).map(text)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}

fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{bytes:?}"),
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite(_) => "Sqlite",
            Self::Postgres(_) => "Postgres",
        })
    }
}

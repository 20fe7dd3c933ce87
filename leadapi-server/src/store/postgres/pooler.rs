//! Poolers that give each transaction another session, such as PgBouncer in transaction mode.
//!
//! Statements are prepared in one session and limits are set for one, so behind such a pooler the server would fail at
//! random. It is refused at the start instead.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Error};

use super::{connect::OpenError, hosts::Hosts};

/// How often two connections are compared: a pooler that uses its sessions in turn may give the first one back by chance.
const ROUNDS: usize = 3;
/// A pooler with a single session lets the second connection wait for it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Which session of which server a statement runs in.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// Fails where a connection has not got a session to itself.
pub(super) async fn refuse(hosts: &Hosts) -> Result<(), OpenError> {
    let (one, _) = hosts.connect_to_any().await?;
    let before = session(&one).await?;
    let mut held = Vec::new();
    for _ in 0..ROUNDS {
        let (other, _) = hosts.connect_to_any().await?;
        // In a transaction, so that its session is its own until the end of that.
        other.batch_execute("BEGIN").await?;
        let taken = session(&other).await?;
        held.push(other);
        let after = timeout(PATIENCE, session(&one)).await;
        if taken == before || after.map_err(|_| OpenError::TransactionPooler)?? != before {
            return Err(OpenError::TransactionPooler);
        }
    }
    Ok(())
}

async fn session(client: &Client) -> Result<String, Error> {
    // Not prepared, which is what such a pooler may not be able to do.
    for message in client.simple_query(SESSION).await? {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
            return row.try_get(0).map(|session| session.unwrap_or_default().to_owned());
        }
    }
    Ok(String::new())
}

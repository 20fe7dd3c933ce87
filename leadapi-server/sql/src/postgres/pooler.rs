//! Rejects poolers that may run each transaction in a different session, such as PgBouncer in transaction mode.
//!
//! Prepared statements and timeouts belong to a session, so the server would fail unpredictably behind one of these
//! poolers. It refuses to start instead.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Error};

use super::{connect::OpenError, hosts::Hosts};

/// The number of attempts. A single attempt is not enough, because a pooler that rotates its sessions may assign the
/// same session by chance.
const ATTEMPTS: usize = 3;
/// How long to wait for a response on the first connection. A pooler with a single session blocks that connection until
/// the transaction on the other connection ends.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Selects a value that identifies the database server and the session.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// Fails if connections do not have dedicated sessions.
pub(super) async fn refuse(hosts: &Hosts) -> Result<(), OpenError> {
    let (one, _) = hosts.connect_to_any().await?;
    let before = session(&one).await?;
    let mut held = Vec::new();
    for _ in 0..ATTEMPTS {
        let (other, _) = hosts.connect_to_any().await?;
        // The open transaction keeps its session busy, even if the database presets a short timeout.
        other.batch_execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0").await?;
        let taken = session(&other).await?;
        held.push(other);
        let after = timeout(TIMEOUT, session(&one)).await;
        if taken == before || after.map_err(|_| OpenError::TransactionPooler)?? != before {
            return Err(OpenError::TransactionPooler);
        }
    }
    Ok(())
}

async fn session(client: &Client) -> Result<String, Error> {
    // Uses a simple query, because a pooler in transaction mode may not support prepared statements.
    for message in client.simple_query(SESSION).await? {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
            return row.try_get(0).map(|session| session.unwrap_or_default().to_owned());
        }
    }
    Ok(String::new())
}

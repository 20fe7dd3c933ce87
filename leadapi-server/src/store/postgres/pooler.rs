//! Refuses poolers that give each transaction another session, such as PgBouncer in transaction mode.
//!
//! Prepared statements and limits belong to a session, so behind such a pooler the server would fail at random. It
//! refuses to start instead.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Error};

use super::{connect::OpenError, hosts::Hosts};

/// The number of attempts: a pooler that rotates its sessions may return the first one by chance.
const ATTEMPTS: usize = 3;
/// With a single session, such a pooler makes one connection wait until the transaction of the other ends.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Identifies the server and the session that a statement runs in.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// Fails if a connection does not have a session to itself.
pub(super) async fn refuse(hosts: &Hosts) -> Result<(), OpenError> {
    let (one, _) = hosts.connect_to_any().await?;
    let before = session(&one).await?;
    let mut held = Vec::new();
    for _ in 0..ATTEMPTS {
        let (other, _) = hosts.connect_to_any().await?;
        // The transaction keeps its session busy.
        other.batch_execute("BEGIN").await?;
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
    // A simple query: such a pooler may not support prepared statements.
    for message in client.simple_query(SESSION).await? {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
            return row.try_get(0).map(|session| session.unwrap_or_default().to_owned());
        }
    }
    Ok(String::new())
}

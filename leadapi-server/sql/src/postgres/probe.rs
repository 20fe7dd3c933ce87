//! Readiness probes on a connection of their own, so that a server stays ready while its pool is busy.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::Mutex, time::timeout};
use tokio_postgres::{Client, Error};

use super::{connect, hosts::Hosts, sql_state::map_error};
use crate::error::SqlError;

/// The time limit for a probe on an open connection. It is longer than the time limit of the readiness check, which
/// therefore reports the timeout.
const TIMEOUT: Duration = Duration::from_millis(2_500);

/// The timeouts end a probe within the time limit of the readiness check. Temporary tables are created in the same
/// tablespace as the other tables, so that a probe allocates space where the data is.
const SETTINGS: &str = "SET lock_timeout = 1000; SET statement_timeout = 1500; SET temp_tablespaces = ''";

const MAY_CREATE: &str = "SELECT has_database_privilege(current_database(), 'TEMPORARY')";
const CREATE: &str = "CREATE TEMPORARY TABLE readiness_space (at bigint) ON COMMIT DELETE ROWS";

const READ: &str = "SELECT FROM lead WHERE business_id = 'nobody' AND id = 'nothing'";

/// Inserts a row, because a commit that contains a change must reach the disk. The row is deleted in the same
/// transaction, so no other server waits for it. Unlike `TRUNCATE`, these statements do not wait for a backup.
macro_rules! write_row {
    ($more:literal) => {
        concat!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; INSERT INTO readiness_probe VALUES (0); \
             DELETE FROM readiness_probe; ",
            $more,
            "COMMIT"
        )
    };
}

const WRITE: &str = write_row!("");
/// The temporary table is empty at the beginning of each transaction, so the insert must allocate disk space.
const WRITE_AND_ALLOCATE: &str = write_row!("INSERT INTO pg_temp.readiness_space VALUES (0); ");

#[derive(Debug, Clone, Copy)]
pub(crate) enum Probe {
    Read,
    Write,
}

/// Runs one probe at a time.
pub(super) struct Prober {
    hosts: Hosts,
    connection: Arc<Mutex<Option<Connection>>>,
}

struct Connection {
    client: Client,
    write: &'static str,
}

impl Prober {
    pub(super) fn new(hosts: Hosts) -> Self {
        Self { hosts, connection: Arc::default() }
    }

    /// Runs a probe after the previous one has ended.
    pub(super) async fn run(&self, probe: Probe) -> Result<(), SqlError> {
        let mut slot = self.connection.clone().lock_owned().await;
        let hosts = self.hosts.clone();
        // Runs in a separate task, so that a probe whose caller has stopped waiting still delays the next one.
        let task = tokio::spawn(async move {
            if let Some(connection) = slot.take() {
                match connection.run(&hosts, probe).await {
                    // The connection may have died while it was idle, or its host may have failed.
                    Err(SqlError::Lost(_)) => drop(connection),
                    Ok(()) => {
                        *slot = Some(connection);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
            let connected = timeout(hosts.max_connect_time() + TIMEOUT, Connection::open(&hosts)).await;
            let connection = connected.map_err(SqlError::lost)?.map_err(map_error)?;
            connection.run(&hosts, probe).await?;
            *slot = Some(connection);
            Ok(())
        });
        task.await.map_err(SqlError::other)?
    }
}

impl Connection {
    async fn open(hosts: &Hosts) -> Result<Self, Error> {
        let (client, _) = hosts.connect_to_any().await?;
        connect::set_up(&client).await?;
        client.batch_execute(SETTINGS).await?;
        if !client.query_one(MAY_CREATE, &[]).await?.try_get(0)? {
            return Ok(Self { client, write: WRITE });
        }
        client.batch_execute(CREATE).await?;
        Ok(Self { client, write: WRITE_AND_ALLOCATE })
    }

    async fn run(&self, hosts: &Hosts, probe: Probe) -> Result<(), SqlError> {
        let statements = match probe {
            Probe::Read => READ,
            Probe::Write => self.write,
        };
        match timeout(TIMEOUT, self.client.batch_execute(statements)).await {
            Ok(done) => done.map_err(map_error),
            Err(elapsed) => {
                // No timeout of the database ends a commit that waits for a standby.
                hosts.cancel(self.client.cancel_token()).await;
                Err(SqlError::lost(elapsed))
            }
        }
    }
}

impl fmt::Debug for Prober {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prober").finish_non_exhaustive()
    }
}

//! The layout of the tables in a database that Citus distributes over several nodes.
//!
//! The tables of a business are distributed by its id, so each business is on one node. Tables whose secrets determine
//! the business are replicated to all nodes. Small tables that belong to no business stay on the coordinator, but all
//! nodes know them. `leadapi_schema` is an ordinary table of the coordinator, because its object id is part of the id
//! of the store.

use std::time::Duration;

use deadpool_postgres::{GenericClient, Object};
use tokio::time::sleep;

use super::{connect::OpenError, layout_error::LayoutError};

/// Where the rows of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// On the node that holds the business.
    ByBusiness,
    /// On every node.
    Reference,
    /// On the coordinator.
    Coordinator,
}

use Placement::{ByBusiness, Coordinator, Reference};

/// The tables, in an order in which each table precedes those that refer to it.
const TABLES: [(&str, Placement); 19] = [
    ("business", ByBusiness),
    ("member", ByBusiness),
    ("client", ByBusiness),
    ("pipeline", ByBusiness),
    ("stage", ByBusiness),
    ("lead", ByBusiness),
    ("tally", ByBusiness),
    ("idempotency", ByBusiness),
    ("form", ByBusiness),
    ("operation", ByBusiness),
    ("audit", ByBusiness),
    ("token", Reference),
    ("login_link", Reference),
    ("session", Reference),
    ("readiness_probe", Coordinator),
    ("rate_server", Coordinator),
    ("rate_limit", Coordinator),
    ("key_clock", Coordinator),
    ("exclusive_task", Coordinator),
];

/// The table of Citus that lists the tables it knows.
const CATALOG: &str = "pg_catalog.pg_dist_partition";

/// Finds out how Citus places a table. Returns no row if Citus does not know the table.
const PLACEMENT: &str = "SELECT CASE WHEN partkey IS NULL THEN repmodel::text \
    WHEN column_to_column_name(logicalrelid, partkey) <> 'business_id' THEN 'other' \
    WHEN colocationid IS DISTINCT FROM (SELECT colocationid FROM pg_dist_partition \
        WHERE logicalrelid = to_regclass('business')) THEN 'other' \
    ELSE 'business' END FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)";

const TRUNCATE: &str = "SELECT truncate_local_data_after_distributing_table($1::text::regclass)";

/// Changes the tables one after another on one connection to each node, as foreign keys between them require.
const PREPARE: &str = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'; SET LOCAL client_min_messages = warning; \
    SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'; \
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// Counts the connections of servers and commands, including those that run in another role.
const OTHERS: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
    AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
/// The number of attempts to find no other connections. A connection exists for a moment after it has been closed.
const ATTEMPTS: usize = 20;
const INTERVAL: Duration = Duration::from_millis(100);

impl Placement {
    const fn name(self) -> &'static str {
        match self {
            ByBusiness => "distributed by business_id",
            Reference => "a reference table",
            Coordinator => "a local table that all nodes know",
        }
    }

    /// Returns the statement that moves a table to its placement.
    const fn statement(self, is_first: bool) -> &'static str {
        match self {
            ByBusiness if is_first => "SELECT create_distributed_table($1::text::regclass, 'business_id')",
            ByBusiness => {
                "SELECT create_distributed_table($1::text::regclass, 'business_id', colocate_with => 'business')"
            }
            Reference => "SELECT create_reference_table($1::text::regclass)",
            Coordinator => "SELECT citus_add_local_table_to_metadata($1::text::regclass)",
        }
    }
}

/// Fails if the database does not have Citus, or is that of a worker.
pub(super) async fn require_coordinator(client: &impl GenericClient) -> Result<(), OpenError> {
    if !has_citus(client).await? {
        return Err(LayoutError::NoCitus.into());
    }
    refuse_worker(client).await
}

/// Fails if servers or commands use a database that is not distributed yet. Their writes would wait until the tables
/// have been copied, and then fail.
pub(super) async fn refuse_servers(client: &impl GenericClient) -> Result<(), OpenError> {
    if matches!(check(client).await, Ok(true)) {
        return Ok(());
    }
    let mut connections = 0;
    for _ in 0..ATTEMPTS {
        connections = client.query_one(OTHERS, &[]).await?.try_get(0)?;
        if connections == 0 {
            return Ok(());
        }
        sleep(INTERVAL).await;
    }
    Err(LayoutError::InUse { connections }.into())
}

/// Fails if the database is that of a worker, whose own tables are not those of the cluster.
pub(super) async fn refuse_worker(client: &impl GenericClient) -> Result<(), OpenError> {
    if !has_citus(client).await? {
        return Ok(());
    }
    // The coordinator belongs to group 0.
    let group = client.query_one("SELECT coalesce((SELECT groupid FROM pg_dist_local_group), 0)", &[]).await?;
    if group.try_get::<_, i32>(0)? == 0 { Ok(()) } else { Err(LayoutError::Worker.into()) }
}

/// Distributes the tables that are not distributed yet, in one transaction. Returns the number of these tables.
pub(super) async fn distribute(client: &mut Object) -> Result<usize, OpenError> {
    let transaction = client.transaction().await?;
    let changed = place_tables(&transaction).await?;
    transaction.commit().await?;
    Ok(changed)
}

/// Distributes the tables that a migration has added to a distributed database, in the transaction of the migration.
/// Does nothing in a database that is not distributed.
pub(super) async fn complete(transaction: &impl GenericClient) -> Result<(), OpenError> {
    if has_citus(transaction).await? && placement(transaction, "business").await?.is_some() {
        place_tables(transaction).await?;
    }
    Ok(())
}

/// Returns whether Citus distributes the database. Fails if it distributes only some of the tables, or places one of
/// them elsewhere.
pub(super) async fn check(client: &impl GenericClient) -> Result<bool, OpenError> {
    if !has_citus(client).await? || placement(client, "business").await?.is_none() {
        return Ok(false);
    }
    for (table, expected) in TABLES {
        let found = placement(client, table).await?;
        if found != Some(Ok(expected)) {
            return Err(misplaced(table, found, expected).into());
        }
    }
    Ok(true)
}

async fn place_tables(transaction: &impl GenericClient) -> Result<usize, OpenError> {
    transaction.batch_execute(PREPARE).await?;
    let (mut changed, mut copied) = (0, Vec::new());
    for (nth, (table, expected)) in TABLES.into_iter().enumerate() {
        match placement(transaction, table).await? {
            None => {
                transaction.execute(expected.statement(nth == 0), &[&table]).await?;
                changed += 1;
                copied.extend(Some(table).filter(|_| expected != Coordinator));
            }
            Some(Ok(found)) if found == expected => {}
            other => return Err(misplaced(table, other, expected).into()),
        }
    }
    // The rows that were copied to the other nodes would otherwise stay on the coordinator, hidden.
    for table in copied {
        transaction.execute(TRUNCATE, &[&table]).await?;
    }
    Ok(changed)
}

fn misplaced(table: &'static str, found: Option<Result<Placement, ()>>, expected: Placement) -> LayoutError {
    let (found, remedy) = match found {
        None => ("not distributed", "run: leadapi db distribute"),
        Some(found) => (
            found.map_or("distributed differently", Placement::name),
            "undistribute it first, and then run: leadapi db distribute",
        ),
    };
    LayoutError::Misplaced { table, found, expected: expected.name(), remedy }
}

/// Returns the placement of a table, `Err` if it is none of those that the server uses, or `None` if Citus does not
/// know the table.
async fn placement(
    client: &impl GenericClient,
    table: &str,
) -> Result<Option<Result<Placement, ()>>, tokio_postgres::Error> {
    let Some(row) = client.query_opt(PLACEMENT, &[&table]).await? else { return Ok(None) };
    Ok(Some(match row.try_get(0)? {
        "business" => Ok(ByBusiness),
        "t" => Ok(Reference),
        "s" => Ok(Coordinator),
        _ => Err(()),
    }))
}

/// Returns whether a table exists.
pub(super) async fn exists(client: &impl GenericClient, table: &str) -> Result<bool, tokio_postgres::Error> {
    client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table]).await?.try_get(0)
}

async fn has_citus(client: &impl GenericClient) -> Result<bool, tokio_postgres::Error> {
    exists(client, CATALOG).await
}

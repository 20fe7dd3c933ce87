//! The reasons why a database that Citus distributes cannot be used.

/// The error for a database that Citus does not distribute as the server needs it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LayoutError {
    #[error(
        "PostgreSQL does not have the extension citus, which distributes a database over several nodes; a single node \
         needs no distribution"
    )]
    NoCitus,
    #[error("this node is a worker: connect to the coordinator of the Citus cluster")]
    Worker,
    #[error("servers or commands have {connections} open connections to the database: stop them first")]
    InUse { connections: i64 },
    #[error("the table {table} is {found}, but must be {expected}: {remedy}")]
    Misplaced { table: &'static str, found: &'static str, expected: &'static str, remedy: &'static str },
}

//! `db`: changes how a database stores the data.

use clap::{Args, Subcommand};
use leadapi_sql::SqlStore;
use serde_json::json;

use super::{CommandError, store::StoreArgs};

#[derive(Debug, Subcommand)]
pub(super) enum DbCommand {
    Distribute(Distribute),
}

impl DbCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Distribute(distribute) => distribute.run().await,
        }
    }
}

/// Distribute the tables of a PostgreSQL database by business over the nodes of its Citus cluster.
///
/// Stop the servers first. The command also migrates the database to this version's schema. It changes nothing if the
/// tables are already distributed. Later migrations distribute the tables that they create.
#[derive(Debug, Args)]
pub(super) struct Distribute {
    #[command(flatten)]
    at: StoreArgs,
}

impl Distribute {
    async fn run(self) -> Result<(), CommandError> {
        let store = &self.at.store;
        let tables = SqlStore::distribute(&self.at.url()).await?;
        self.at.format.print(&json!({"distributed_tables": tables}), || match tables {
            0 => format!("{store} is already distributed"),
            _ => format!("{store} is distributed: {tables} tables were changed"),
        })
    }
}

//! `migrate`: the schema migration.

use clap::Args;
use serde_json::json;

use super::{CommandError, store::StoreArgs};

/// Migrate a database to the schema of this version, and create a SQLite file if there is none.
///
/// Every other command does this too when it opens the database. Use this command to migrate beforehand, or as
/// another user of PostgreSQL than the server.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    #[command(flatten)]
    at: StoreArgs,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        self.at.open_or_create().await?;
        self.at.format.print(&json!({"up_to_date": true}), || format!("{} is up to date", self.at.store))
    }
}

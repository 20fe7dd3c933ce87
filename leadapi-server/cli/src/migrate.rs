//! `migrate`: migrates the schema of a database.

use clap::Args;
use serde_json::json;

use super::{CommandError, store::StoreArgs};

/// Migrate a database to this version's schema, and create the SQLite file if it is missing.
///
/// Every other command that opens a database also migrates it. Use this command to migrate beforehand, or as a
/// different PostgreSQL user than the server.
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

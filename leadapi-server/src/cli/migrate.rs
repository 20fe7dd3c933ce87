//! `migrate`: the schema migration.

use clap::Args;
use serde_json::json;

use super::{CommandError, store::AtStore};

/// Migrate a database to the schema of this version, and create a SQLite file if there is none.
///
/// Every other command does this too when it opens the database. Use this command to migrate beforehand, or as
/// another user of PostgreSQL than the server.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    #[command(flatten)]
    at: AtStore,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        self.at.open_or_make().await?;
        self.at.format.say(&json!({"up_to_date": true}), || format!("{} is up to date", self.at.store))
    }
}

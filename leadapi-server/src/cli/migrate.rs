//! `migrate`: the schema of this version.

use clap::Args;
use serde_json::json;

use super::{CommandError, store::AtStore};

/// Brings a database to the schema of this version, and makes a SQLite file where there is none.
///
/// Every other command does so too when it opens the database; this is for those who want to do it beforehand, or as
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

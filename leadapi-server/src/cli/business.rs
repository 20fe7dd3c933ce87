//! `business`: the businesses of a store.

use clap::Subcommand;

use super::{CommandError, store::StoreArgs};

#[derive(Debug, Subcommand)]
pub(super) enum BusinessCommand {
    /// List the businesses. To add businesses, use "data import".
    List {
        #[command(flatten)]
        at: StoreArgs,
    },
}

impl BusinessCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Self::List { at } = self;
        let businesses = at.open().await?.businesses().await?;
        at.format.list(&businesses, ["id", "name", "created"], |business| {
            [business.id.to_string(), business.name.clone(), business.created_at.to_string()]
        })
    }
}

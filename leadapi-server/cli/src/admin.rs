//! The options of the commands that manage API settings: the store, the business, and the person who runs the command.

use clap::Args;
use leadapi_core::{admin::AdminExt, auth::TokenAdmin, id::BusinessId, port::SettingsStore, tokens::Tokens};
use leadapi_sql::{SqlStore, SqlStoreError, StoreClock};

use super::{CommandError, output::Format, store::BusinessArgs};

/// The business, and the person who manages its API settings.
#[derive(Debug, Args)]
pub(super) struct AdminArgs {
    #[command(flatten)]
    pub(super) business: BusinessArgs,
    /// Your email address; you must be an owner or an admin of the business.
    #[arg(long = "as", value_name = "EMAIL")]
    pub(super) person: String,
}

impl AdminArgs {
    /// Returns the token manager, the person's right to use it, and the clock that decides when a token expires.
    pub(super) async fn open(&self) -> Result<(Tokens, TokenAdmin, StoreClock), CommandError> {
        let store = self.business.at.open().await?;
        let Some(membership) =
            store.membership(&self.business.business, &self.person).await.map_err(SqlStoreError::from)?
        else {
            return Err(self.not_a_member(&store).await);
        };
        let clock = store.clock();
        Ok((Tokens::new(store, clock.clone()), membership.token_admin()?, clock))
    }

    /// Returns the error for a person who is not a member, or the error for a business that does not exist.
    pub(super) async fn not_a_member(&self, store: &SqlStore) -> CommandError {
        let business: &BusinessId = &self.business.business;
        match store.admin(business).members().list().await {
            Ok(_) => CommandError::NotAMember { business: business.clone(), person: self.person.clone() },
            Err(error) => error.into(),
        }
    }

    pub(super) const fn format(&self) -> Format {
        self.business.at.format
    }
}

//! `audit`: the audit log of a business.

use clap::Subcommand;
use leadapi_core::{model::Window, port::AuditEntry};
use leadapi_sql::SqlStoreError;

use super::{CommandError, admin::AdminArgs};

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// List the changes to the tokens and members of a business and the sign-ins to its API settings, newest first.
    #[command(after_help = "Example:
  leadapi audit list --json")]
    List {
        #[command(flatten)]
        by: AdminArgs,
        /// Maximum number of entries, from 1 to 200.
        #[arg(long, value_name = "N", default_value_t = Window::DEFAULT_LIMIT)]
        limit: u32,
        /// Number of entries to skip.
        #[arg(long, value_name = "N", default_value_t = 0)]
        offset: u64,
    },
}

impl AuditCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Self::List { by, limit, offset } = self;
        let window = Window::new(limit, offset)?;
        let open = by.open().await?;
        let page = open.tokens.audit(&open.admin, window).await.map_err(SqlStoreError::from)?;
        by.format().list(&page.data, ["time", "person", "address", "action", "token", "token id", "detail"], row)
    }
}

fn row(entry: &AuditEntry) -> [String; 7] {
    [
        entry.at.to_string(),
        entry.email.clone(),
        entry.address.map_or_else(|| "command line".to_owned(), |address| address.to_string()),
        entry.action.to_string(),
        entry.token_name.clone().unwrap_or_default(),
        entry.token_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        entry.detail.clone().unwrap_or_default(),
    ]
}

//! `client`: the client accounts of a business.

use clap::Subcommand;
use leadapi_core::{admin::AdminExt, id::ClientId, model::ClientAccount, port::Clock};
use serde_json::json;

use super::{CommandError, id::given_or_new, output::count, store::BusinessArgs};

#[derive(Debug, Subcommand)]
pub(super) enum ClientCommand {
    /// Add a client account.
    #[command(after_help = "Example:
  leadapi client add --name \"Casa Verde\" --store sqlite:leads.db --business sol")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The name: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// The id. Defaults to a new UUID.
        #[arg(long)]
        id: Option<ClientId>,
    },
    /// List the client accounts.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Rename a client account.
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the client account.
        id: ClientId,
        /// The new name.
        #[arg(long)]
        name: String,
    },
    /// Remove a client account. Fails if a form refers to it, or if it has leads (see --with-leads).
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the client account.
        id: ClientId,
        /// Also remove the leads of the client account.
        #[arg(long)]
        with_leads: bool,
    },
}

impl ClientCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, name, id } => {
                let store = of.at.open().await?;
                let client = ClientAccount::new(given_or_new(id)?, name, store.clock().now());
                let added = store.admin(&of.business).clients().add(client).await?;
                of.at.format.print(&added, || format!("client account {:?} was added: {}", added.name, added.id))
            }
            Self::List { of } => {
                let clients = of.at.open().await?.admin(&of.business).clients().list().await?;
                of.at.format.list(&clients, ["id", "name", "created"], |client| {
                    [client.id.to_string(), client.name.clone(), client.created_at.to_string()]
                })
            }
            Self::Rename { of, id, name } => {
                let renamed = of.at.open().await?.admin(&of.business).clients().rename(&id, &name).await?;
                of.at.format.print(&renamed, || format!("client account {id} is now {:?}", renamed.name))
            }
            Self::Remove { of, id, with_leads } => {
                let leads = of.at.open().await?.admin(&of.business).clients().delete(&id, with_leads).await?;
                let removed = json!({"removed": id, "leads": leads});
                of.at.format.print(&removed, || {
                    format!("client account {id} was removed with {}", count(leads, "lead", "leads"))
                })
            }
        }
    }
}

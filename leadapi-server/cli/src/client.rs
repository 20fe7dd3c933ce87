//! `client`: the client accounts of a business.

use clap::Subcommand;
use leadapi_core::{id::ClientId, model::ClientAccount, port::Clock};
use serde_json::json;

use super::{
    CommandError,
    admin::{BusinessArgs, OpenBusiness},
    id::given_or_new,
    lookup::find,
    name_arg::NameArg,
    output::count,
};

#[derive(Debug, Subcommand)]
pub(super) enum ClientCommand {
    /// Add a client account.
    #[command(after_help = "Example:
  leadapi client add \"Casa Verde\"")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        #[command(flatten)]
        name: NameArg,
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
    #[command(after_help = "Example:
  leadapi client rename \"Casa Verde\" \"Casa Azul\"")]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The client account: its id, or its name if no other has it.
        client: String,
        #[command(flatten)]
        name: NameArg,
    },
    /// Remove a client account. Fails if a form refers to it, or if it has leads (see --with-leads).
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The client account: its id, or its name if no other has it.
        client: String,
        /// Also remove the leads of the client account.
        #[arg(long)]
        with_leads: bool,
    },
}

impl ClientCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, name, id } => {
                let business = of.open().await?;
                let client = ClientAccount::new(given_or_new(id)?, String::from(name), business.store.clock().now());
                let added = business.admin().clients().add(client).await?;
                of.at.format.print(&added, || format!("client account {:?} was added: {}", added.name, added.id))
            }
            Self::List { of } => {
                let clients = of.open().await?.admin().clients().list().await?;
                of.at.format.list(&clients, ["id", "name", "created"], |client| {
                    [client.id.to_string(), client.name.clone(), client.created_at.to_string()]
                })
            }
            Self::Rename { of, client, name } => {
                let business = of.open().await?;
                let id = find_client(&business, &client).await?.id;
                let renamed = business.admin().clients().rename(&id, &String::from(name)).await?;
                of.at.format.print(&renamed, || format!("client account {id} is now {:?}", renamed.name))
            }
            Self::Remove { of, client, with_leads } => {
                let business = of.open().await?;
                let ClientAccount { id, name, .. } = find_client(&business, &client).await?;
                let leads = business.admin().clients().delete(&id, with_leads).await?;
                let removed = json!({"removed": id, "leads": leads, "business": business.id()});
                of.at.format.print(&removed, || {
                    let leads = count(leads, "lead", "leads");
                    format!("client account {name:?} ({id}) was removed with {leads} from {business}")
                })
            }
        }
    }
}

async fn find_client(business: &OpenBusiness, given: &str) -> Result<ClientAccount, CommandError> {
    Ok(find(&business.admin().clients().list().await?, given)?.clone())
}

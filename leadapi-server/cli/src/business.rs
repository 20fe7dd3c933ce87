//! `business`: the businesses of a store.

use clap::Subcommand;
use leadapi_core::{
    admin::{Admin, AdminError, AdminExt, NewBusiness},
    id::BusinessId,
    model::{LeadQuery, Window},
    port::{Clock, Listed, Store},
};
use leadapi_sql::{SqlStore, SqlStoreError};
use serde_json::json;

use super::{CommandError, id::given_or_new, output::count, prompt::given_or_asked, store::StoreArgs};

#[derive(Debug, Subcommand)]
pub(super) enum BusinessCommand {
    /// Add a business with its first owner. To add the first business of a store with everything it needs, use "init".
    #[command(after_help = "Example:
  leadapi business add --name \"Sol Marketing\" --owner owner@sol.example --store sqlite:leads.db")]
    Add {
        #[command(flatten)]
        at: StoreArgs,
        /// The name: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// The email address of the first owner.
        #[arg(long, value_name = "EMAIL")]
        owner: String,
        /// The id. Defaults to a new UUID.
        #[arg(long)]
        id: Option<BusinessId>,
    },
    /// List the businesses.
    List {
        #[command(flatten)]
        at: StoreArgs,
    },
    /// Rename a business.
    Rename {
        #[command(flatten)]
        at: StoreArgs,
        /// The id of the business.
        id: BusinessId,
        /// The new name.
        #[arg(long)]
        name: String,
    },
    /// Remove a business with all its records, including its tokens and its audit log. Fails if it has leads (see
    /// --with-leads).
    #[command(after_help = "Example:
  leadapi business remove sol --with-leads --confirm sol --store sqlite:leads.db")]
    Remove {
        #[command(flatten)]
        at: StoreArgs,
        /// The id of the business.
        id: BusinessId,
        /// Also remove the leads of the business. On a terminal, the command asks for the id again.
        #[arg(long)]
        with_leads: bool,
        /// The id of the business, repeated to confirm --with-leads.
        #[arg(long, value_name = "ID", requires = "with_leads")]
        confirm: Option<String>,
    },
}

impl BusinessCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { at, name, owner, id } => {
                let store = at.open().await?;
                let new = NewBusiness::new(given_or_new(id)?, &name, &owner, store.clock().now());
                let new = new.map_err(AdminError::from)?;
                store.add_business(&new).await?;
                let added = new.business();
                at.format.print(added, || format!("business {:?} was added: {}", added.name, added.id))
            }
            Self::List { at } => {
                let businesses = at.open().await?.businesses().await?;
                at.format.list(&businesses, ["id", "name", "created"], |business| {
                    [business.id.to_string(), business.name.clone(), business.created_at.to_string()]
                })
            }
            Self::Rename { at, id, name } => {
                let renamed = at.open().await?.admin(&id).rename(&name).await?;
                at.format.print(&renamed, || format!("business {id} is now {:?}", renamed.name))
            }
            Self::Remove { at, id, with_leads, confirm } => {
                let store = at.open().await?;
                if with_leads {
                    check_confirmation(&store, &id, confirm).await?;
                }
                let leads = store.admin(&id).delete(with_leads).await?;
                at.format.print(&json!({"removed": id, "leads": leads}), || {
                    format!("business {id} was removed with {}", count(leads, "lead", "leads"))
                })
            }
        }
    }
}

/// Returns an error unless `--confirm` or the person's answer repeats the id of the business.
async fn check_confirmation(store: &SqlStore, id: &BusinessId, given: Option<String>) -> Result<(), CommandError> {
    let query = LeadQuery::new().window(Window::new(1, 0)?);
    let leads = match store.list(id, &query).await.map_err(SqlStoreError::from)? {
        Listed::Page(page) => page.total,
        _ => 0,
    };
    let question = format!("Repeat the id to remove the business with {}", count(leads, "lead", "leads"));
    let repeated =
        given_or_asked(given, "--confirm", &question, None, |answer| Ok::<_, CommandError>(answer.to_owned()))?;
    if repeated == id.as_str() { Ok(()) } else { Err(CommandError::Unconfirmed(id.clone())) }
}

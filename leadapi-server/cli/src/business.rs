//! `business`: the businesses of a store.

use clap::Subcommand;
use leadapi_core::{
    admin::{Admin, AdminError, AdminExt, Business, NewBusiness},
    id::BusinessId,
    model::{LeadQuery, Window},
    port::{Clock, Listed, Store, TokenState, TokenStore},
};
use leadapi_sql::{SqlStore, SqlStoreError};
use serde_json::json;

use super::{
    CommandError, id::given_or_new, lookup::find, name_arg::NameArg, output::count, prompt::given_or_asked,
    store::StoreArgs,
};

#[derive(Debug, Subcommand)]
pub(super) enum BusinessCommand {
    /// Add a business with its first owner. To add the first business of a store with everything it needs, use "init".
    #[command(after_help = "Example:
  leadapi business add \"Sol Marketing\" --owner owner@sol.example")]
    Add {
        #[command(flatten)]
        at: StoreArgs,
        #[command(flatten)]
        name: NameArg,
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
        /// The business: its id, or its name if no other has it.
        business: String,
        #[command(flatten)]
        name: NameArg,
    },
    /// Remove a business with all its records, including its tokens and its audit log. Fails if it has leads (see
    /// --with-leads). If it has leads or valid tokens, you must repeat its id.
    #[command(after_help = "Example:
  leadapi business remove sol --with-leads --confirm sol")]
    Remove {
        #[command(flatten)]
        at: StoreArgs,
        /// The business: its id, or its name if no other has it.
        business: String,
        /// Also remove the leads of the business.
        #[arg(long)]
        with_leads: bool,
        /// The id of the business, repeated to confirm the removal. On a terminal, the command asks for it.
        #[arg(long, value_name = "ID")]
        confirm: Option<String>,
    },
}

impl BusinessCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { at, name, owner, id } => {
                let store = at.open().await?;
                let new = NewBusiness::new(given_or_new(id)?, &String::from(name), &owner, store.clock().now());
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
            Self::Rename { at, business, name } => {
                let store = at.open().await?;
                let id = find_business(&store, &business).await?.id;
                let renamed = store.admin(&id).rename(&String::from(name)).await?;
                at.format.print(&renamed, || format!("business {id} is now {:?}", renamed.name))
            }
            Self::Remove { at, business, with_leads, confirm } => {
                let store = at.open().await?;
                let Business { id, name, .. } = find_business(&store, &business).await?;
                check_confirmation(&store, &id, with_leads, confirm).await?;
                let leads = store.admin(&id).delete(with_leads).await?;
                at.format.print(&json!({"removed": id, "leads": leads}), || {
                    format!("business {name:?} ({id}) was removed with {}", count(leads, "lead", "leads"))
                })
            }
        }
    }
}

async fn find_business(store: &SqlStore, given: &str) -> Result<Business, CommandError> {
    Ok(find(&store.businesses().await?, given)?.clone())
}

/// Returns the number of leads of a business.
pub(super) async fn count_leads(store: &SqlStore, id: &BusinessId) -> Result<u64, CommandError> {
    let query = LeadQuery::new().window(Window::new(1, 0)?);
    match Store::list(store, id, &query).await.map_err(SqlStoreError::from)? {
        Listed::Page(page) => Ok(page.total),
        _ => Ok(0),
    }
}

/// Returns an error unless `--confirm` or the person's answer repeats the id of the business. A business that has
/// neither leads nor valid tokens needs no confirmation.
async fn check_confirmation(
    store: &SqlStore,
    id: &BusinessId,
    with_leads: bool,
    given: Option<String>,
) -> Result<(), CommandError> {
    let leads = count_leads(store, id).await?;
    let now = store.clock().now();
    let tokens = TokenStore::list(store, id).await.map_err(SqlStoreError::from)?;
    let tokens = tokens.iter().filter(|token| token.state(now) == TokenState::Good).count();
    // The removal is refused if there are leads without --with-leads, so nobody has to confirm it first.
    let is_needed = if leads > 0 { with_leads } else { tokens > 0 || given.is_some() };
    if !is_needed {
        return Ok(());
    }
    let records = format!("{} and {}", count(leads, "lead", "leads"), count(tokens, "valid token", "valid tokens"));
    let question = format!("Repeat the id to remove the business with {records}");
    let repeated =
        given_or_asked(given, "--confirm", &question, None, |answer| Ok::<_, CommandError>(answer.to_owned()))?;
    if repeated == id.as_str() { Ok(()) } else { Err(CommandError::Unconfirmed(id.clone())) }
}

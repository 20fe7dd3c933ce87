//! The options of the commands that work on one business: the store, the business, and the person who runs the command.

use std::fmt;

use clap::Args;
use leadapi_core::{
    admin::{Admin, AdminExt, Business, BusinessAdmin},
    auth::{Role, TokenAdmin},
    id::BusinessId,
    port::SettingsStore,
    tokens::Tokens,
};
use leadapi_sql::{SqlStore, SqlStoreError, StoreClock};

use super::{
    CommandError,
    lookup::{LookupError, find, name_and_id},
    output::Format,
    store::StoreArgs,
};

/// The business that a command works on.
#[derive(Debug, Args)]
pub(super) struct BusinessArgs {
    #[command(flatten)]
    pub(super) at: StoreArgs,
    /// The business: its id, or its name if no other business has it. Defaults to the only business of the store.
    #[arg(long, env = "LEADAPI_BUSINESS", value_name = "BUSINESS")]
    business: Option<String>,
}

/// The business that a command works on, and its store.
pub(super) struct OpenBusiness {
    pub(super) store: SqlStore,
    business: Business,
}

impl BusinessArgs {
    /// Opens the store, and finds the business.
    pub(super) async fn open(&self) -> Result<OpenBusiness, CommandError> {
        let store = self.at.open().await?;
        let business = choose(&store.businesses().await?, self.business.as_deref())?.clone();
        Ok(OpenBusiness { store, business })
    }
}

/// Returns the given business. Without one, returns the only business, and never one of several.
pub(super) fn choose<'b>(businesses: &'b [Business], given: Option<&str>) -> Result<&'b Business, LookupError> {
    match (given, businesses) {
        (Some(given), _) => find(businesses, given),
        (None, [only]) => Ok(only),
        (None, []) => Err(LookupError::NoBusiness),
        (None, all) => {
            let names = all.iter().map(|business| name_and_id(&business.name, &business.id));
            Err(LookupError::several("--business", "the store", "businesses", names))
        }
    }
}

impl OpenBusiness {
    pub(super) fn admin(&self) -> BusinessAdmin<'_, SqlStore> {
        self.store.admin(&self.business.id)
    }

    pub(super) const fn id(&self) -> &BusinessId {
        &self.business.id
    }
}

/// Names the business. A command that removes something prints it, because a default may have chosen the business.
impl fmt::Display for OpenBusiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "business {:?} ({})", self.business.name, self.business.id)
    }
}

/// The business, and the person who manages its API settings.
#[derive(Debug, Args)]
pub(super) struct AdminArgs {
    #[command(flatten)]
    pub(super) business: BusinessArgs,
    /// Your email address; you must be an owner or an admin of the business. Defaults to the only owner of the
    /// business.
    #[arg(long = "as", env = "LEADAPI_AS", value_name = "EMAIL")]
    person: Option<String>,
}

/// The token manager of a business, and the person's right to use it.
pub(super) struct OpenTokens {
    pub(super) tokens: Tokens,
    pub(super) admin: TokenAdmin,
    /// The clock that decides when a token expires.
    pub(super) clock: StoreClock,
    pub(super) business: OpenBusiness,
}

impl AdminArgs {
    /// Opens the store, and finds the business and the person.
    pub(super) async fn open(&self) -> Result<OpenTokens, CommandError> {
        let (business, person) = self.person().await?;
        let store = business.store.clone();
        let Some(membership) = store.membership(business.id(), &person).await.map_err(SqlStoreError::from)? else {
            return Err(not_a_member(&business, person));
        };
        let clock = store.clock();
        Ok(OpenTokens { tokens: Tokens::new(store, clock.clone()), admin: membership.token_admin()?, clock, business })
    }

    /// Opens the store, and returns the business and the person. Without an option, the person is the only owner, and
    /// never one of several.
    pub(super) async fn person(&self) -> Result<(OpenBusiness, String), CommandError> {
        let business = self.business.open().await?;
        if let Some(person) = &self.person {
            return Ok((business, person.clone()));
        }
        let members = business.admin().members().list().await?;
        let owners: Vec<String> =
            members.into_iter().filter(|member| member.role == Role::Owner).map(|member| member.email).collect();
        match &owners[..] {
            [only] => Ok((business, only.clone())),
            [] => Err(LookupError::NoOwner.into()),
            _ => Err(LookupError::several("--as", "the business", "owners", owners.into_iter()).into()),
        }
    }

    pub(super) const fn format(&self) -> Format {
        self.business.at.format
    }
}

/// Returns the error for a person who is not a member of the business.
pub(super) fn not_a_member(business: &OpenBusiness, person: String) -> CommandError {
    CommandError::NotAMember { business: business.id().clone(), person }
}

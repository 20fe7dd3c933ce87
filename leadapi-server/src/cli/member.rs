//! `member`: the people of a business.

use clap::Subcommand;
use leadapi_core::auth::Role;
use serde_json::json;

use super::{CommandError, store::BusinessArgs};

#[derive(Debug, Subcommand)]
pub(super) enum MemberCommand {
    /// Add a person.
    #[command(after_help = "Example:
  leadapi-server member add ann@sol.example --role admin --store sqlite:leads.db --business sol")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The person's e-mail address, which no other member has.
        email: String,
        /// The role: owner, admin or member; owners and admins manage tokens. The first member of a business must be
        /// an owner.
        #[arg(long, default_value_t = Role::Member)]
        role: Role,
    },
    /// List the people.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Give a person another role. The last owner keeps the role.
    #[command(after_help = "Example:
  leadapi-server member role ann@sol.example owner --store sqlite:leads.db --business sol")]
    Role {
        #[command(flatten)]
        of: BusinessArgs,
        /// The person's e-mail address.
        email: String,
        /// The new role: owner, admin or member.
        role: Role,
    },
    /// Give a person another e-mail address.
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true).args(["to", "role"])))]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The person's e-mail address.
        email: String,
        /// The new e-mail address.
        #[arg(long, value_name = "EMAIL")]
        to: Option<String>,
        /// The new role, as "member role" gives it.
        #[arg(long, hide = true)]
        role: Option<Role>,
    },
    /// Remove a person. The last owner cannot be removed.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The person's e-mail address.
        email: String,
    },
}

impl MemberCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, email, role } => {
                let added = of.at.open().await?.add_member(&of.business, &email, role).await?;
                of.at.format.print(&added, || format!("{} was added as {}", added.email, added.role))
            }
            Self::List { of } => {
                let members = of.at.open().await?.members(&of.business).await?;
                of.at.format.list(&members, ["email", "role"], |member| [member.email.clone(), member.role.to_string()])
            }
            Self::Role { of, email, role } => change(of, email, None, Some(role)).await,
            Self::Rename { of, email, to, role } => change(of, email, to, role).await,
            Self::Remove { of, email } => {
                let removed = of.at.open().await?.delete_member(&of.business, &email).await?;
                of.at.format.print(&json!({"removed": removed.email}), || format!("{} was removed", removed.email))
            }
        }
    }
}

async fn change(of: BusinessArgs, email: String, to: Option<String>, role: Option<Role>) -> Result<(), CommandError> {
    let changed = of.at.open().await?.change_member(&of.business, &email, to.as_deref(), role).await?;
    of.at.format.print(&changed, || format!("{email} is now {}, {}", changed.email, changed.role))
}

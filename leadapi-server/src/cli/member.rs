//! `member`: the members of a business.

use clap::Subcommand;
use leadapi_core::auth::Role;
use serde_json::json;

use super::{CommandError, store::BusinessArgs};

#[derive(Debug, Subcommand)]
pub(super) enum MemberCommand {
    /// Add a member.
    #[command(after_help = "Example:
  leadapi-server member add ann@sol.example --role admin --store sqlite:leads.db --business sol")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address, which must be unique in the business.
        email: String,
        /// The role: owner, admin or member. Owners and admins manage tokens. The first member of a business must be an
        /// owner.
        #[arg(long, default_value_t = Role::Member)]
        role: Role,
    },
    /// List the members.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Change a member's role. The last owner's role cannot be changed.
    #[command(after_help = "Example:
  leadapi-server member role ann@sol.example owner --store sqlite:leads.db --business sol")]
    Role {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
        email: String,
        /// The new role: owner, admin or member.
        role: Role,
    },
    /// Change a member's email address.
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true).args(["to", "role"])))]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
        email: String,
        /// The new email address.
        #[arg(long, value_name = "EMAIL")]
        to: Option<String>,
        /// The new role, as for "member role".
        #[arg(long, hide = true)]
        role: Option<Role>,
    },
    /// Remove a member. The last owner cannot be removed.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
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

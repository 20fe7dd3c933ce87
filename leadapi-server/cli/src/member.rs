//! `member`: the members of a business.

use clap::Subcommand;
use leadapi_core::{admin::RemovedMember, auth::Role, port::Clock};
use serde_json::{Value, json};

use super::{
    CommandError,
    admin::{BusinessArgs, OpenBusiness},
    output::count,
};

#[derive(Debug, Subcommand)]
pub(super) enum MemberCommand {
    /// Add a member.
    #[command(after_help = "Example:
  leadapi member add ann@sol.example --role admin")]
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
  leadapi member role ann@sol.example owner")]
    Role {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
        email: String,
        /// The new role: owner, admin or member.
        role: Role,
    },
    /// Change a member's email address.
    #[command(after_help = "Example:
  leadapi member rename ann@sol.example ann.lee@sol.example")]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
        email: String,
        /// The new email address.
        #[arg(required = true)]
        new_email: Option<String>,
        /// The new email address, as an option.
        #[arg(long, value_name = "EMAIL", hide = true, conflicts_with = "new_email")]
        to: Option<String>,
        /// The new role, as for "member role".
        #[arg(long, hide = true)]
        role: Option<Role>,
    },
    /// Remove a member, and list the tokens that the member created. The last owner cannot be removed.
    #[command(after_help = "Example:
  leadapi member remove ann@sol.example --revoke-tokens")]
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The member's email address.
        email: String,
        /// Also revoke the valid tokens that the member created. Integrations that use them stop working.
        #[arg(long)]
        revoke_tokens: bool,
    },
}

impl MemberCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, email, role } => {
                let business = of.open().await?;
                let added = business.admin().members().add(&email, role, business.store.clock().now()).await?;
                of.at.format.print(&added, || format!("{} was added as {}", added.email, added.role))
            }
            Self::List { of } => {
                let members = of.open().await?.admin().members().list().await?;
                of.at.format.list(&members, ["email", "role"], |member| [member.email.clone(), member.role.to_string()])
            }
            Self::Role { of, email, role } => change(of, email, None, Some(role)).await,
            Self::Rename { of, email, new_email, to, role } => change(of, email, new_email.or(to), role).await,
            Self::Remove { of, email, revoke_tokens } => {
                let business = of.open().await?;
                let now = business.store.clock().now();
                let removed = business.admin().members().delete(&email, revoke_tokens, now).await?;
                of.at.format.print(&to_json(&removed, &business), || describe(&removed, &business))
            }
        }
    }
}

async fn change(of: BusinessArgs, email: String, to: Option<String>, role: Option<Role>) -> Result<(), CommandError> {
    let business = of.open().await?;
    let now = business.store.clock().now();
    let changed = business.admin().members().change(&email, to.as_deref(), role, now).await?;
    of.at.format.print(&changed, || format!("{email} is now {}, {}", changed.email, changed.role))
}

fn to_json(removed: &RemovedMember, business: &OpenBusiness) -> Value {
    let tokens = removed.tokens.iter().map(|token| json!({"id": token.id, "name": token.name}));
    json!({
        "removed": removed.member.email,
        "tokens": tokens.collect::<Vec<_>>(),
        "tokens_revoked": removed.are_revoked,
        "business": business.id(),
    })
}

fn describe(removed: &RemovedMember, business: &OpenBusiness) -> String {
    let done = format!("{} was removed from {business}", removed.member.email);
    if removed.tokens.is_empty() {
        return done;
    }
    let tokens = count(removed.tokens.len(), "token that this member created", "tokens that this member created");
    let state = if removed.are_revoked { "revoked" } else { "still valid; \"token revoke\" revokes one" };
    let list: Vec<String> = removed.tokens.iter().map(|token| format!("\n  {} {:?}", token.id, token.name)).collect();
    format!("{done}\n\n{tokens}, {state}:{}", list.concat())
}

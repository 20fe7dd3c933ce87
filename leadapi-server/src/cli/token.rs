//! `token`: the tokens of a business, managed by its owners and admins (contract D8).

use std::{str::FromStr, time::Duration};

use clap::{Args, Subcommand};
use leadapi_core::{
    auth::{BearerToken, Scope, Scopes, TokenAdmin},
    id::TokenId,
    memory::SystemClock,
    model::Timestamp,
    port::{StoreError, TokenRecord},
    tokens::{NewToken, Tokens},
};
use serde::Serialize;
use serde_json::json;

use super::{CommandError, output::Format, store::BusinessArgs};
use crate::store::AdminError;

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Create a token and print its secret once.
    #[command(after_help = "Example:
  leadapi-server token create --store sqlite:leads.db --business sol --as owner@sol.example \\
    --name website --scope read,write --expires 90d")]
    Create {
        #[command(flatten)]
        by: AdminArgs,
        /// The name: 1 to 100 characters, unique among the valid tokens of the business.
        #[arg(long)]
        name: String,
        /// The scopes: read, write or both; write does not include read.
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',')]
        scopes: Vec<Scope>,
        /// The expiry: a time such as 2027-01-31T00:00:00Z, or a duration from now such as 90d or 12h. By default, the
        /// token never expires.
        #[arg(long, value_name = "WHEN")]
        expires: Option<Expiry>,
    },
    /// List the tokens, without their secrets.
    List {
        #[command(flatten)]
        by: AdminArgs,
    },
    /// Revoke a token; a running server rejects it within 2 seconds.
    Revoke {
        #[command(flatten)]
        by: AdminArgs,
        /// The id of the token; "token list" shows it.
        id: TokenId,
    },
    /// Delete a token; a running server rejects it within 2 seconds.
    Delete {
        #[command(flatten)]
        by: AdminArgs,
        /// The id of the token; "token list" shows it.
        id: TokenId,
    },
}

/// The business, and the person who manages its tokens.
#[derive(Debug, Args)]
pub(super) struct AdminArgs {
    #[command(flatten)]
    business: BusinessArgs,
    /// Your e-mail address; you must be an owner or an admin of the business.
    #[arg(long = "as", value_name = "EMAIL")]
    person: String,
}

impl AdminArgs {
    async fn open(&self) -> Result<(Tokens, TokenAdmin), CommandError> {
        let store = self.business.at.open().await?;
        let (business, person) = (&self.business.business, &self.person);
        let Some(member) = store.member(business, person).await? else {
            // If the business itself does not exist, listing its members fails with a more specific error.
            store.members(business).await?;
            return Err(CommandError::NotAMember { business: business.clone(), person: person.clone() });
        };
        Ok((Tokens::new(store, SystemClock), member.token_admin()?))
    }

    const fn format(&self) -> Format {
        self.business.at.format
    }
}

impl TokenCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Create { by, name, scopes, expires } => {
                let scopes = Scopes::try_from(scopes)?;
                let (tokens, admin) = by.open().await?;
                let expires_at = expires.map(|expiry| expiry.from(Timestamp::now()));
                refuse_duplicate_name(&tokens, &admin, name.trim()).await?;
                let mut new = NewToken::new(name, scopes);
                new.expires_at = expires_at;
                let (record, secret) = tokens.create(&admin, new).await?;
                let printed = by.format().print(&TokenView::with_secret(&record, &secret), || {
                    let TokenRecord { id, name, scopes, .. } = &record;
                    format!(
                        "token {name:?} ({scopes}) was created with the id {id}:\n\n{}\n\n\
                         This is the only time that the secret is shown: save it now.",
                        secret.expose()
                    )
                });
                printed.map_err(|_| CommandError::SecretLost(record.id.clone()))
            }
            Self::List { by } => {
                let (tokens, admin) = by.open().await?;
                let records = tokens.list(&admin).await.map_err(AdminError::from)?;
                let views: Vec<TokenView> = records.iter().map(TokenView::from).collect();
                by.format().list(
                    &views,
                    ["id", "name", "scopes", "prefix", "created", "expires", "state"],
                    TokenView::row,
                )
            }
            Self::Revoke { by, id } => {
                let (tokens, admin) = by.open().await?;
                let records = tokens.list(&admin).await.map_err(AdminError::from)?;
                let before = records.iter().find(|record| record.id == id).and_then(|record| record.revoked_at);
                let revoked = tokens.revoke(&admin, &id).await;
                check_found(revoked, &id)?;
                by.format().print(&json!({"revoked": id}), || match before {
                    Some(at) => format!("token {id} was already revoked at {at}"),
                    None => format!("token {id} was revoked"),
                })
            }
            Self::Delete { by, id } => {
                let (tokens, admin) = by.open().await?;
                let deleted = tokens.delete(&admin, &id).await;
                check_found(deleted, &id)?;
                by.format().print(&json!({"deleted": id}), || format!("token {id} was deleted"))
            }
        }
    }
}

/// Rejects the name of another valid token. If two valid tokens shared a name, people could not tell which one to
/// revoke.
async fn refuse_duplicate_name(tokens: &Tokens, admin: &TokenAdmin, name: &str) -> Result<(), CommandError> {
    let records = tokens.list(admin).await.map_err(AdminError::from)?;
    let mut good = records.iter().filter(|record| state(record) == "good");
    match good.find(|record| record.name == name) {
        Some(record) => Err(CommandError::TokenName { name: name.to_owned(), id: record.id.clone() }),
        None => Ok(()),
    }
}

fn check_found(found: Result<bool, StoreError>, id: &TokenId) -> Result<(), CommandError> {
    if found.map_err(AdminError::from)? { Ok(()) } else { Err(CommandError::NoSuchToken(id.clone())) }
}

/// A token in the format that the commands print.
#[derive(Serialize)]
struct TokenView<'t> {
    id: &'t TokenId,
    name: &'t str,
    scopes: Scopes,
    prefix: &'t str,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'t str>,
}

fn state(record: &TokenRecord) -> &'static str {
    if record.revoked_at.is_some() {
        "revoked"
    } else if record.expires_at.is_some_and(|at| at <= Timestamp::now()) {
        "expired"
    } else {
        "good"
    }
}

impl<'t> From<&'t TokenRecord> for TokenView<'t> {
    fn from(record: &'t TokenRecord) -> Self {
        let TokenRecord { id, name, scopes, hint, created_at, expires_at, revoked_at, .. } = record;
        let state = state(record);
        let (scopes, created_at, expires_at, revoked_at) = (*scopes, *created_at, *expires_at, *revoked_at);
        Self { id, name, scopes, prefix: hint, created_at, expires_at, revoked_at, state, token: None }
    }
}

impl<'t> TokenView<'t> {
    /// Includes the secret, which is shown only at creation (contract 5.3).
    fn with_secret(record: &'t TokenRecord, secret: &'t BearerToken) -> Self {
        Self { token: Some(secret.expose()), ..record.into() }
    }

    fn row(&self) -> [String; 7] {
        let state = self.revoked_at.map_or_else(|| self.state.to_owned(), |at| format!("{} {at}", self.state));
        let expires = self.expires_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let (id, name, prefix) = (self.id.to_string(), self.name.to_owned(), self.prefix.to_owned());
        [id, name, self.scopes.to_string(), prefix, self.created_at.to_string(), expires, state]
    }
}

/// The expiry of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expiry {
    At(Timestamp),
    In(Duration),
}

/// The value is not a valid expiry.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a time such as 2027-01-31T00:00:00Z, or a duration from now such as 90d or 12h")]
pub(super) struct InvalidExpiry;

impl Expiry {
    fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            // A time after the year 9999 falls back to the current time, which token creation rejects as expired.
            Self::In(time) => now.checked_add(time).unwrap_or(now),
        }
    }
}

impl FromStr for Expiry {
    type Err = InvalidExpiry;

    /// Accepts at most 65,535 days or hours, so that the duration cannot overflow.
    fn from_str(text: &str) -> Result<Self, InvalidExpiry> {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let number = |digits: &str| digits.parse::<u16>().map(u32::from).map_err(|_| InvalidExpiry);
        match (text.strip_suffix('d'), text.strip_suffix('h')) {
            (Some(days), _) => Ok(Self::In(HOUR * 24 * number(days)?)),
            (_, Some(hours)) => Ok(Self::In(HOUR * number(hours)?)),
            _ => text.parse().map(Self::At).map_err(|_| InvalidExpiry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_time_or_a_duration_from_now() {
        let now: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("2027-01-31T00:00:00Z", "2027-01-31T00:00:00.000Z"),
            ("90d", "2026-08-02T12:00:00.000Z"),
            ("12h", "2026-05-05T00:00:00.000Z"),
        ] {
            assert_eq!(text.parse::<Expiry>().unwrap().from(now).to_string(), at);
        }
        for bad in ["", "d", "90", "-1d", "1w", "1.5h", "65536d", "tomorrow"] {
            assert_eq!(bad.parse::<Expiry>(), Err(InvalidExpiry), "{bad:?}");
        }
    }
}

//! `token`: the tokens of a business, managed by its owners and admins (contract D8).

use clap::Subcommand;
use leadapi_core::{
    auth::{BearerToken, Scope, Scopes},
    id::TokenId,
    model::Timestamp,
    port::{Clock, TokenRecord, TokenRefusal},
    tokens::{NewToken, Rotation, TokenError},
};
use leadapi_sql::SqlStoreError;
use serde::Serialize;
use serde_json::json;

use super::{CommandError, admin::AdminArgs, expiry::Expiry};

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Create a token and print its secret once.
    #[command(after_help = "Example:
  leadapi token create --store sqlite:leads.db --business sol --as owner@sol.example \\
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
    /// Replace a token with a new one of the same name and scopes, and print the new secret once.
    #[command(after_help = "Example:
  leadapi token rotate 019e… --overlap 7d --expires 90d --store sqlite:leads.db --business sol \\
    --as owner@sol.example")]
    Rotate {
        #[command(flatten)]
        by: AdminArgs,
        /// The id of the token; "token list" shows it.
        id: TokenId,
        /// How long the old token stays valid, such as 7d or 12h.
        #[arg(long, value_name = "TIME", default_value = "7d")]
        overlap: humantime::Duration,
        /// The expiry of the new token: a time, or a duration from now such as 90d. By default, it never expires.
        #[arg(long, value_name = "WHEN")]
        expires: Option<Expiry>,
    },
    /// Revoke a token; a running server rejects it within 2 seconds.
    Revoke {
        #[command(flatten)]
        by: AdminArgs,
        /// The id of the token; "token list" shows it.
        id: TokenId,
    },
    /// Delete a revoked or expired token.
    Delete {
        #[command(flatten)]
        by: AdminArgs,
        /// The id of the token; "token list" shows it.
        id: TokenId,
    },
}

impl TokenCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Create { by, name, scopes, expires } => {
                let mut new = NewToken::new(name, Scopes::try_from(scopes)?);
                let (tokens, admin, clock) = by.open().await?;
                new.expires_at = expires.map(|expiry| expiry.from(clock.now()));
                let name = new.name.trim().to_owned();
                let (record, secret) = tokens.create(&admin, new).await.map_err(|error| match error {
                    TokenError::Refused(TokenRefusal::NameTaken(id)) => CommandError::TokenName { name, id },
                    error => error.into(),
                })?;
                let TokenRecord { id, name, scopes, .. } = &record;
                print_secret(
                    &by,
                    &record,
                    &secret,
                    clock.now(),
                    &format!("token {name:?} ({scopes}) was created with the id {id}"),
                )
            }
            Self::List { by } => {
                let (tokens, admin, clock) = by.open().await?;
                let records = tokens.list(&admin).await.map_err(SqlStoreError::from)?;
                let views: Vec<TokenView> = records.iter().map(|record| TokenView::new(record, clock.now())).collect();
                by.format().list(
                    &views,
                    ["id", "name", "scopes", "prefix", "created", "created by", "last used", "expires", "state"],
                    TokenView::row,
                )
            }
            Self::Rotate { by, id, overlap, expires } => {
                let mut rotation = Rotation::new(overlap.into());
                let (tokens, admin, clock) = by.open().await?;
                rotation.expires_at = expires.map(|expiry| expiry.from(clock.now()));
                let (record, secret) = tokens.rotate(&admin, &id, rotation).await.map_err(|error| of(&id, error))?;
                let done =
                    format!("token {id} was replaced by {}, and expires after {overlap} at the latest", record.id);
                print_secret(&by, &record, &secret, clock.now(), &done)
            }
            Self::Revoke { by, id } => {
                let (tokens, admin, _) = by.open().await?;
                let before = match tokens.revoke(&admin, &id).await {
                    Ok(_) => None,
                    Err(TokenError::Refused(TokenRefusal::AlreadyRevoked(at))) => Some(at),
                    Err(error) => return Err(of(&id, error)),
                };
                by.format().print(&json!({"revoked": id}), || match before {
                    Some(at) => format!("token {id} was already revoked at {at}"),
                    None => format!("token {id} was revoked"),
                })
            }
            Self::Delete { by, id } => {
                let (tokens, admin, _) = by.open().await?;
                tokens.delete(&admin, &id).await.map_err(|error| of(&id, error))?;
                by.format().print(&json!({"deleted": id}), || format!("token {id} was deleted"))
            }
        }
    }
}

/// Prints a new token with its secret, which is shown only here (contract 5.3).
fn print_secret(
    by: &AdminArgs,
    record: &TokenRecord,
    secret: &BearerToken,
    now: Timestamp,
    done: &str,
) -> Result<(), CommandError> {
    let view = TokenView { token: Some(secret.expose()), ..TokenView::new(record, now) };
    let printed = by.format().print(&view, || {
        let secret = secret.expose();
        format!("{done}:\n\n{secret}\n\nThis is the only time that the secret is shown: save it now.")
    });
    printed.map_err(|_| CommandError::SecretLost(record.id.clone()))
}

/// Converts an error of an operation on a token. If the token does not exist, the error contains its id.
fn of(id: &TokenId, error: TokenError) -> CommandError {
    match error {
        TokenError::Refused(TokenRefusal::NotFound) => CommandError::NoSuchToken(id.clone()),
        error => error.into(),
    }
}

/// A token in the format that the commands print.
#[derive(Serialize)]
struct TokenView<'t> {
    id: &'t TokenId,
    name: &'t str,
    scopes: Scopes,
    prefix: &'t str,
    created_at: Timestamp,
    created_by: Option<&'t str>,
    last_used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'t str>,
}

impl<'t> TokenView<'t> {
    fn new(record: &'t TokenRecord, now: Timestamp) -> Self {
        Self {
            id: &record.id,
            name: &record.name,
            scopes: record.scopes,
            prefix: &record.hint,
            created_at: record.created_at,
            created_by: record.created_by.as_deref(),
            last_used_at: record.last_used_at,
            expires_at: record.expires_at,
            revoked_at: record.revoked_at,
            state: record.state(now).to_string(),
            token: None,
        }
    }
}

impl TokenView<'_> {
    fn row(&self) -> [String; 9] {
        let text = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        [
            self.id.to_string(),
            self.name.to_owned(),
            self.scopes.to_string(),
            self.prefix.to_owned(),
            self.created_at.to_string(),
            self.created_by.unwrap_or_default().to_owned(),
            text(self.last_used_at),
            text(self.expires_at),
            self.revoked_at.map_or_else(|| self.state.clone(), |at| format!("{} {at}", self.state)),
        ]
    }
}

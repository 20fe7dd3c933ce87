//! `token`: the tokens of a business, managed by its owners and admins (contract D8).

use clap::Subcommand;
use leadapi_core::{
    auth::{BearerToken, Scope, Scopes},
    id::TokenId,
    model::Timestamp,
    port::{Clock, TokenRecord, TokenRefusal, TokenState},
    tokens::{NewToken, Rotation, TokenError},
};
use leadapi_sql::SqlStoreError;
use serde::Serialize;
use serde_json::json;

use super::{
    CommandError,
    admin::{AdminArgs, OpenTokens},
    expiry::Expiry,
    lookup::{Kind, Named, find, find_among},
    name_arg::NameArg,
};

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Create a token and print its secret once. The name must be unique among the valid tokens of the business.
    #[command(after_help = "Examples:
  leadapi token create website --scope read,write --expires 90d
  leadapi token create website --scope read --business sol --as owner@sol.example")]
    Create {
        #[command(flatten)]
        by: AdminArgs,
        #[command(flatten)]
        name: NameArg,
        /// The scopes: read, write or both; write does not include read.
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',')]
        scopes: Vec<Scope>,
        /// The expiry: a date such as 2027-01-31, whose last moment in UTC is meant, a time such as
        /// 2027-01-31T12:00:00Z, or a duration from now such as 90d or 12h. By default, the token never expires.
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
  leadapi token rotate website --overlap 7d --expires 90d")]
    Rotate {
        #[command(flatten)]
        by: AdminArgs,
        /// The token: its id, or its name if no other valid token has it.
        token: String,
        /// How long the old token stays valid, such as 7d or 12h.
        #[arg(long, value_name = "TIME", default_value = "7d")]
        overlap: humantime::Duration,
        /// The expiry of the new token: a date, a time, or a duration from now such as 90d. By default, it never
        /// expires.
        #[arg(long, value_name = "WHEN")]
        expires: Option<Expiry>,
    },
    /// Revoke a token; a running server rejects it within 2 seconds.
    #[command(after_help = "Example:
  leadapi token revoke website")]
    Revoke {
        #[command(flatten)]
        by: AdminArgs,
        /// The token: its id, or its name if no other valid token has it.
        token: String,
    },
    /// Delete a revoked or expired token.
    Delete {
        #[command(flatten)]
        by: AdminArgs,
        /// The token: its id, or its name if no other revoked or expired token has it.
        token: String,
    },
}

impl TokenCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Create { by, name, scopes, expires } => {
                let mut new = NewToken::new(String::from(name), Scopes::try_from(scopes)?);
                let OpenTokens { tokens, admin, clock, .. } = by.open().await?;
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
                let OpenTokens { tokens, admin, clock, .. } = by.open().await?;
                let records = tokens.list(&admin).await.map_err(SqlStoreError::from)?;
                let views: Vec<TokenView> = records.iter().map(|record| TokenView::new(record, clock.now())).collect();
                by.format().list(
                    &views,
                    ["id", "name", "scopes", "prefix", "created", "created by", "last used", "expires", "state"],
                    TokenView::row,
                )
            }
            Self::Rotate { by, token, overlap, expires } => {
                let mut rotation = Rotation::new(overlap.into());
                let open = by.open().await?;
                let TokenRecord { id, name, .. } = find_token(&open, &token, |state| state == TokenState::Good).await?;
                let OpenTokens { tokens, admin, clock, business } = &open;
                rotation.expires_at = expires.map(|expiry| expiry.from(clock.now()));
                let (record, secret) = tokens.rotate(admin, &id, rotation).await?;
                let done = format!(
                    "token {name:?} ({id}) of {business} was replaced by {}, and expires after {overlap} at the latest",
                    record.id
                );
                print_secret(&by, &record, &secret, clock.now(), &done)
            }
            Self::Revoke { by, token } => {
                let open = by.open().await?;
                let TokenRecord { id, name, .. } = find_token(&open, &token, |state| state == TokenState::Good).await?;
                let OpenTokens { tokens, admin, business, .. } = &open;
                let before = match tokens.revoke(admin, &id).await {
                    Ok(_) => None,
                    Err(TokenError::Refused(TokenRefusal::AlreadyRevoked(at))) => Some(at),
                    Err(error) => return Err(error.into()),
                };
                by.format().print(&json!({"revoked": id, "business": business.id()}), || match before {
                    Some(at) => format!("token {name:?} ({id}) of {business} was already revoked at {at}"),
                    None => format!("token {name:?} ({id}) of {business} was revoked"),
                })
            }
            Self::Delete { by, token } => {
                let open = by.open().await?;
                let TokenRecord { id, name, .. } = find_token(&open, &token, |state| state != TokenState::Good).await?;
                let OpenTokens { tokens, admin, business, .. } = &open;
                tokens.delete(admin, &id).await?;
                by.format().print(&json!({"deleted": id, "business": business.id()}), || {
                    format!("token {name:?} ({id}) of {business} was deleted")
                })
            }
        }
    }
}

impl Named for TokenRecord {
    const KIND: &'static Kind = &Kind::of_a_business("token", "tokens");

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{} created {}", self.id, self.created_at)
    }
}

/// Returns the token with this id. If there is none, returns the only token with this name.
///
/// A rotated token has the same name as its replacement, and a name can be used again after a revocation. Therefore,
/// tokens in a state that the command can change come first.
async fn find_token(
    OpenTokens { tokens, admin, clock, .. }: &OpenTokens,
    given: &str,
    is_possible: impl Fn(TokenState) -> bool + Copy,
) -> Result<TokenRecord, CommandError> {
    let records = tokens.list(admin).await.map_err(SqlStoreError::from)?;
    let now = clock.now();
    let is_named = |record: &&TokenRecord| record.name == given.trim() && is_possible(record.state(now));
    let has_id = records.iter().any(|record| record.id.as_str() == given);
    if !has_id && records.iter().any(|record| is_named(&record)) {
        return Ok(find_among(records.iter().filter(|record| is_named(record)), given)?.clone());
    }
    Ok(find(&records, given)?.clone())
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

//! `login-link`: one-time sign-in links for the API settings.

use clap::Args;
use leadapi_core::tokens::{Sessions, SignInError};
use leadapi_pages::{SiteUrl, sign_in_link};
use serde_json::json;

use super::{CommandError, admin::AdminArgs};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi login-link --store sqlite:leads.db --business sol --as owner@sol.example")]
pub(super) struct LoginLink {
    #[command(flatten)]
    by: AdminArgs,
    /// The URL of the API settings, as the person's browser reaches them.
    #[arg(long, env = "LEADAPI_ADMIN_URL", value_name = "URL", default_value = "http://127.0.0.1:8081")]
    admin_url: SiteUrl,
}

impl LoginLink {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let by = &self.by;
        let store = by.business.at.open().await?;
        let sessions = Sessions::new(store.clone(), store.clock());
        let secret = match sessions.create_link(&by.business.business, &by.person).await {
            Ok(secret) => secret,
            Err(SignInError::NotAMember) => return Err(by.not_a_member(&store).await),
            Err(error) => return Err(error.into()),
        };
        let link = sign_in_link(&self.admin_url, &secret);
        by.format().print(&json!({"link": link}), || {
            format!("{link}\n\nThe link works once, within 10 minutes. Anyone who opens it acts as {}.", by.person)
        })
    }
}

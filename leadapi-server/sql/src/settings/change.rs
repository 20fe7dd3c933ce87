//! Changes to the tokens of a business.

use async_trait::async_trait;
use leadapi_core::{
    admin::AdminRefusal,
    id::BusinessId,
    port::{TokenChange, TokenChanged, TokenFacts, TokenWrite},
};

use super::{audit, authority, statement};
use crate::{
    error::SqlError,
    row::Row,
    session::{Session, Work, query},
    statement as shared, tokens,
};

pub(crate) struct ChangeTokens {
    pub(crate) business: BusinessId,
    pub(crate) change: TokenChange,
}

#[async_trait]
impl Work for ChangeTokens {
    type Output = TokenChanged;

    async fn run(&self, session: &mut dyn Session) -> Result<TokenChanged, SqlError> {
        let Self { business, change } = self;
        if !session.finds(query!(shared::BUSINESS, business)).await? {
            return Err(AdminRefusal::NoSuchBusiness(business.clone()).into());
        }
        let plan = match change.plan(&look_up(session, business, change).await?) {
            Ok(plan) => plan,
            Err(refusal) => return Ok(TokenChanged::Refused(refusal)),
        };
        for write in &plan.writes {
            let write = match write {
                TokenWrite::Insert(token) => tokens::insert(business, token),
                TokenWrite::Update(token) => {
                    query!(statement::UPDATE_TOKEN, token.expires_at, token.revoked_at, business, &token.id)
                }
                TokenWrite::Delete(id) => query!(statement::DELETE_TOKEN, business, id),
            };
            session.execute(write).await?;
        }
        for entry in &plan.audit {
            session.execute(audit::insert(business, entry)).await?;
        }
        Ok(TokenChanged::Done(plan.token))
    }
}

/// Looks up what the change depends on. The caller's transaction excludes other changes in the business.
async fn look_up(
    session: &mut dyn Session,
    business: &BusinessId,
    change: &TokenChange,
) -> Result<TokenFacts, SqlError> {
    let mut facts = TokenFacts::new(authority::is_confirmed(session, business, &change.by, change.at).await?);
    if let Some(id) = change.token_id() {
        facts.token = session.row(query!(statement::TOKEN, business, id), tokens::read).await?;
    }
    if let Some(name) = change.new_name(facts.token.as_ref()) {
        let count = |mut row: Row<'_>| row.take::<u32>();
        facts.namesake = session.row(query!(statement::NAMESAKE, business, name, change.at), tokens::read).await?;
        let valid = query!(statement::COUNT_VALID, business, change.at, TokenChange::MAX_VALID_WITH_OVERLAPS);
        facts.valid = session.row(valid, count).await?.unwrap_or_default();
        // The subtraction fails only for the earliest timestamps, which the clock never returns.
        let from = change.at.checked_sub(TokenChange::NEW_INTERVAL).unwrap_or(change.at);
        let recent = query!(statement::COUNT_NEW, business, from, change.at, TokenChange::MAX_NEW);
        facts.recent = session.row(recent, count).await?.unwrap_or_default();
    }
    Ok(facts)
}

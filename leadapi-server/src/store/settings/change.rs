//! Changes to the tokens of a business.

use async_trait::async_trait;
use leadapi_core::{
    id::BusinessId,
    port::{TokenChange, TokenChanged, TokenWrite},
};

use super::{audit, statement};
use crate::store::{
    error::SqlError,
    session::{Session, Work, query},
    statement as shared, tokens,
};

pub(in crate::store) struct ChangeTokens {
    pub(in crate::store) business: BusinessId,
    pub(in crate::store) change: TokenChange,
}

#[async_trait]
impl Work for ChangeTokens {
    type Output = TokenChanged;

    async fn run(&self, session: &mut dyn Session) -> Result<TokenChanged, SqlError> {
        let Self { business, change } = self;
        if !session.finds(query!(shared::BUSINESS, business)).await? {
            return Err(SqlError::refused(format!("no such business: {business}")));
        }
        let plan = match change.plan(&session.rows(query!(shared::TOKENS, business), tokens::read).await?) {
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
                other => return Err(SqlError::other(format!("unknown token write: {other:?}"))),
            };
            session.execute(write).await?;
        }
        for entry in &plan.audit {
            session.execute(audit::insert(business, entry)).await?;
        }
        Ok(TokenChanged::Done(plan.token))
    }
}

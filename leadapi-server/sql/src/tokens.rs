//! The [`TokenStore`] implementation for both databases (contract D8).

use std::sync::Arc;

use async_trait::async_trait;
use leadapi_core::{
    admin::AdminRefusal,
    auth::{Scope, Scopes, TokenHash},
    id::BusinessId,
    port::{FoundToken, StoreError, TokenRecord, TokenStore, TokenUse},
};

use super::{
    SqlStore,
    error::SqlError,
    row::{Cell, FromCell, Row, parsed},
    session::{Query, Session, Value, Work, query},
    statement,
};

/// The maximum number of uses recorded in one transaction, so that each transaction stays short.
const MAX_USES: usize = 1_000;

#[async_trait]
impl TokenStore for SqlStore {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        Ok(self.database.work(Some(business), InsertToken(business.clone(), token)).await?)
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        Ok(self.database.rows(Some(business), query!(statement::TOKENS, business), read).await?)
    }

    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
        for uses in uses.chunks(MAX_USES) {
            self.database.brief_work(RecordUses(uses.to_vec())).await?;
        }
        Ok(())
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        let read = |mut row: Row<'_>| Ok(Arc::new(FoundToken::new(row.take()?, read(row)?)));
        Ok(self.database.row(None, query!(statement::FIND_TOKEN, hash), read).await?)
    }
}

/// A unit of work that inserts a token. It checks that the business exists, because the table has no foreign key on
/// PostgreSQL.
#[derive(Debug)]
struct InsertToken(BusinessId, TokenRecord);

#[async_trait]
impl Work for InsertToken {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        let Self(business, token) = self;
        if !session.finds(query!(statement::BUSINESS, business)).await? {
            return Err(AdminRefusal::NoSuchBusiness(business.clone()).into());
        }
        session.execute(insert(business, token)).await
    }
}

struct RecordUses(Vec<TokenUse>);

#[async_trait]
impl Work for RecordUses {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        for TokenUse { business, token, at, .. } in &self.0 {
            // The subtraction fails only for the earliest timestamps, which the clock never returns.
            let latest = at.checked_sub(TokenUse::INTERVAL).unwrap_or(*at);
            session.execute(query!(statement::USE_TOKEN, *at, business, token, latest)).await?;
        }
        Ok(())
    }
}

pub(super) fn insert(business: &BusinessId, token: &TokenRecord) -> Query {
    query!(
        statement::INSERT_TOKEN,
        business,
        &token.id,
        &token.name,
        token.scopes,
        &token.hint,
        &token.hash,
        token.created_at,
        token.expires_at,
        token.revoked_at,
        token.created_by.clone(),
        token.last_used_at,
    )
}

pub(super) fn read(mut row: Row<'_>) -> Result<TokenRecord, SqlError> {
    let (id, name, scopes): (_, String, _) = (row.take()?, row.take()?, row.take()?);
    let (hint, hash, created_at): (String, _, _) = (row.take()?, row.take()?, row.take()?);
    let mut record = TokenRecord::stored(id, name, scopes, hint, hash, created_at);
    (record.expires_at, record.revoked_at) = (row.take()?, row.take()?);
    (record.created_by, record.last_used_at) = (row.take()?, row.take()?);
    Ok(record)
}

impl From<Scopes> for Value {
    fn from(scopes: Scopes) -> Self {
        let names: Vec<String> = Vec::from(scopes).iter().map(Scope::to_string).collect();
        names.join(" ").into()
    }
}

impl FromCell for Scopes {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        parsed(cell, |text| {
            let scopes: Result<Vec<Scope>, _> = text.split(' ').map(str::parse).collect();
            scopes.and_then(Self::try_from)
        })
    }
}

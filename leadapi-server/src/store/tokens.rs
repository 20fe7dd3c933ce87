//! The [`TokenStore`] implementation for both databases (contract D8).

use std::sync::Arc;

use async_trait::async_trait;
use leadapi_core::{
    auth::{Scope, Scopes, TokenHash},
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::{FoundToken, StoreError, TokenRecord, TokenStore},
};

use super::{
    SqlStore,
    error::SqlError,
    row::{Cell, FromCell, Row, parsed},
    session::{Query, Session, Value, Work, query},
    statement,
};

#[async_trait]
impl TokenStore for SqlStore {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        Ok(self.database.work(Some(business), InsertToken(business.clone(), token)).await?)
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        Ok(self.database.rows(query!(statement::TOKENS, business), read).await?)
    }

    async fn revoke(&self, business: &BusinessId, id: &TokenId, at: Timestamp) -> Result<bool, StoreError> {
        self.one(business, query!(statement::REVOKE_TOKEN, at, business, id)).await
    }

    async fn delete(&self, business: &BusinessId, id: &TokenId) -> Result<bool, StoreError> {
        self.one(business, query!(statement::DELETE_TOKEN, business, id)).await
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        let read = |mut row: Row<'_>| Ok(Arc::new(FoundToken::new(row.take()?, read(row)?)));
        Ok(self.database.row(query!(statement::FIND_TOKEN, hash), read).await?)
    }
}

impl SqlStore {
    /// Runs one write statement, and returns whether it returned a row.
    async fn one(&self, business: &BusinessId, query: Query) -> Result<bool, StoreError> {
        Ok(self.database.work(Some(business), WriteOne(query)).await?)
    }
}

/// Inserts a token. Checks the business itself, because the table has no foreign key on PostgreSQL.
#[derive(Debug)]
struct InsertToken(BusinessId, TokenRecord);

#[async_trait]
impl Work for InsertToken {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        let Self(business, token) = self;
        if !session.finds(query!(statement::BUSINESS, business)).await? {
            return Err(SqlError::refused(format!("no such business: {business}")));
        }
        session.execute(insert(business, token)).await
    }
}

#[derive(Debug)]
struct WriteOne(Query);

#[async_trait]
impl Work for WriteOne {
    type Output = bool;

    async fn run(&self, session: &mut dyn Session) -> Result<bool, SqlError> {
        session.finds(self.0.clone()).await
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
    )
}

pub(super) fn read(mut row: Row<'_>) -> Result<TokenRecord, SqlError> {
    let (id, name, scopes): (_, String, _) = (row.take()?, row.take()?, row.take()?);
    let (hint, hash, created_at): (String, _, _) = (row.take()?, row.take()?, row.take()?);
    let mut record = TokenRecord::stored(id, name, scopes, hint, hash, created_at);
    (record.expires_at, record.revoked_at) = (row.take()?, row.take()?);
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

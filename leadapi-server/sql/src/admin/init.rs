//! The first business of a store, with everything that a first request needs.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminError, AdminRefusal, Business, NewBusiness},
    auth::Actor,
    id::BusinessId,
    model::{ClientAccount, Pipeline},
    port::{Clock, TokenAction, TokenChange, TokenChanged, TokenRecord},
};

use super::{Task, business, client, pipeline, shared};
use crate::{
    SqlStore,
    error::SqlError,
    session::{Session, Work, query},
    settings::ChangeTokens,
};

/// The records of the first business. The caller must check the names of the client account, the pipeline, its stages
/// and the token.
#[derive(Debug)]
pub struct FirstRecords {
    /// The id of the business.
    pub business: BusinessId,
    /// The name of the business.
    pub name: String,
    /// The email address of the first owner.
    pub owner: String,
    /// The client account.
    pub client: ClientAccount,
    /// The pipeline with its stages.
    pub pipeline: Pipeline,
    /// The token.
    pub token: TokenRecord,
}

impl SqlStore {
    /// Adds the first business, its owner, a client account, a pipeline and a token to an empty store, in one
    /// transaction. If two calls run at the same time on PostgreSQL, both may succeed, each with its own business.
    ///
    /// # Errors
    ///
    /// Returns an error if the store has a business, the name or the address is invalid, or the database fails.
    pub async fn init(&self, first: &FirstRecords) -> Result<Business, AdminError> {
        let FirstRecords { business: id, name, owner, client, pipeline, token } = first;
        let business = NewBusiness::new(id.clone(), name, owner, self.clock().now())?;
        let action = TokenAction::Create(token.clone());
        let token = TokenChange::new(action, token.created_at, Actor::new(owner.trim(), None));
        let (client, pipeline) = (client::Add(client.clone()), pipeline::Add(pipeline.clone()));
        Ok(self.database.work(None, Init { business: business::Add(business), client, pipeline, token }).await?)
    }
}

struct Init {
    business: business::Add,
    client: client::Add,
    pipeline: pipeline::Add,
    token: TokenChange,
}

#[async_trait]
impl Work for Init {
    type Output = Business;

    async fn run(&self, session: &mut dyn Session) -> Result<Business, SqlError> {
        if session.finds(query!(shared::BUSINESSES)).await? {
            return Err(AdminRefusal::NotEmpty.into());
        }
        self.business.run(session).await?;
        let added = self.business.0.business().clone();
        self.client.run(session, &added.id).await?;
        self.pipeline.run(session, &added.id).await?;
        match (ChangeTokens { business: added.id.clone(), change: self.token.clone() }).run(session).await? {
            TokenChanged::Done(_) => Ok(added),
            other => Err(SqlError::other(format!("the first token was refused: {other:?}"))),
        }
    }
}

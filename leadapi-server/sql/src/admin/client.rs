//! The client accounts of a business.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminRefusal, LeadOwner, rules},
    id::{BusinessId, ClientId},
    model::ClientAccount,
};

use super::{Task, shared, statement};
use crate::{
    error::SqlError,
    export, idempotency, lead_statement, read,
    row::Row,
    session::{Session, query},
};

fn not_found(id: &ClientId) -> SqlError {
    AdminRefusal::NoSuchClient(id.clone()).into()
}

pub(super) struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<ClientAccount>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<ClientAccount>, SqlError> {
        export::clients(session, business).await
    }
}

pub(super) struct Add(pub(super) ClientAccount);

#[async_trait]
impl Task for Add {
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let ClientAccount { id, name, created_at, .. } = &self.0;
        if session.finds(query!(shared::CLIENT_EXISTS, business, id)).await? {
            return Err(AdminRefusal::ClientExists(id.clone()).into());
        }
        session.execute(query!(shared::INSERT_CLIENT, business, id, name, *created_at)).await
    }
}

pub(super) struct Rename {
    pub(super) id: ClientId,
    pub(super) name: String,
}

#[async_trait]
impl Task for Rename {
    type Output = ClientAccount;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<ClientAccount, SqlError> {
        let read = |mut row: Row<'_>| Ok(ClientAccount::new(self.id.clone(), &self.name, row.take()?));
        let renamed = session.row(query!(statement::RENAME_CLIENT, &self.name, business, &self.id), read).await?;
        renamed.ok_or_else(|| not_found(&self.id))
    }
}

pub(super) struct Delete {
    pub(super) id: ClientId,
    pub(super) with_leads: bool,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let id = &self.id;
        if !session.finds(query!(shared::CLIENT_EXISTS, business, id)).await? {
            return Err(not_found(id));
        }
        rules::check_client_unused(&export::forms(session, business).await?, id)?;
        let leads = read::count(session, query!(shared::TOTAL, business, id, "")).await?;
        if leads > 0 && !self.with_leads {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Client, leads }.into());
        }
        idempotency::preserve_all(session, business, &lead_statement::WITH_KEY_OF_CLIENT, id.as_ref()).await?;
        session.execute(query!(statement::SUBTRACT_CLIENT_COUNTS, business, id)).await?;
        session.execute(query!(statement::DELETE_CLIENT_COUNTS, business, id)).await?;
        session.execute(query!(statement::DELETE_EMPTY_STAGE_COUNTS, business)).await?;
        session.execute(query!(statement::DELETE_LEADS_OF_CLIENT, business, id)).await?;
        session.execute(query!(statement::DELETE_CLIENT, business, id)).await?;
        Ok(leads)
    }
}

//! The client accounts of a business.

use async_trait::async_trait;
use leadapi_core::{
    id::{BusinessId, ClientId},
    model::ClientAccount,
};

use super::{Task, checked_name, form, lead_count, shared, statement};
use crate::{
    AdminError, SqlStore,
    error::SqlError,
    export, idempotency, lead_statement, read,
    row::Row,
    session::{Session, query},
};

impl SqlStore {
    /// Returns the client accounts of a business, ordered by name, then by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the business does not exist or the database fails.
    pub async fn all_clients(&self, business: &BusinessId) -> Result<Vec<ClientAccount>, AdminError> {
        self.admin_read(business, List).await
    }

    /// Adds a client account.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the id is taken, the business does not exist, or the database fails.
    pub async fn add_client(
        &self,
        business: &BusinessId,
        mut client: ClientAccount,
    ) -> Result<ClientAccount, AdminError> {
        client.name = checked_name(&client.name)?;
        self.admin_write(business, Add(client)).await
    }

    /// Renames a client account.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the client account does not exist, or the database fails.
    pub async fn rename_client(
        &self,
        business: &BusinessId,
        id: &ClientId,
        name: &str,
    ) -> Result<ClientAccount, AdminError> {
        self.admin_write(business, Rename { id: id.clone(), name: checked_name(name)? }).await
    }

    /// Removes a client account and, if `with_leads` is true, its leads. Returns the number of removed leads.
    ///
    /// # Errors
    ///
    /// Returns an error if the client account does not exist, it has leads and `with_leads` is false, a form refers to
    /// it, or the database fails.
    pub async fn delete_client(
        &self,
        business: &BusinessId,
        id: &ClientId,
        with_leads: bool,
    ) -> Result<u64, AdminError> {
        self.admin_write(business, Delete { id: id.clone(), with_leads }).await
    }
}

fn not_found(id: &ClientId) -> SqlError {
    SqlError::refused(format!("no such client account in this business: {id}"))
}

struct List;

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
    type Output = ClientAccount;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<ClientAccount, SqlError> {
        let ClientAccount { id, name, created_at, .. } = &self.0;
        if session.finds(query!(shared::CLIENT_EXISTS, business, id)).await? {
            return Err(SqlError::refused(format!("a client account with the id {id} already exists")));
        }
        session.execute(query!(shared::INSERT_CLIENT, business, id, name, *created_at)).await?;
        Ok(self.0.clone())
    }
}

struct Rename {
    id: ClientId,
    name: String,
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

struct Delete {
    id: ClientId,
    with_leads: bool,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let id = &self.id;
        if !session.finds(query!(shared::CLIENT_EXISTS, business, id)).await? {
            return Err(not_found(id));
        }
        form::refuse_if_referenced(session, business, |form| &form.client_id, id.as_str()).await?;
        let leads = read::count(session, query!(shared::TOTAL, business, id, "")).await?;
        if leads > 0 && !self.with_leads {
            let (leads, them) = lead_count(leads);
            return Err(SqlError::refused(format!(
                "the client account has {leads}: use --with-leads to remove {them} too"
            )));
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

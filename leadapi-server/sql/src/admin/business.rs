//! Adds, lists, renames and removes businesses.

use async_trait::async_trait;
use leadapi_core::{auth::Role, dataset::MemberSeed, id::BusinessId, model::Timestamp, port::Clock};
use serde::Serialize;

use super::{Task, checked_name, lead_count, member, shared, statement};
use crate::{
    AdminError, Database, SqlStore,
    error::SqlError,
    lead_counts, read,
    row::Row,
    session::{Session, Work, query},
};

/// A business, without the records that belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Business {
    /// The id of the business.
    pub id: BusinessId,
    /// The display name.
    pub name: String,
    /// The creation time.
    pub created_at: Timestamp,
}

impl SqlStore {
    /// Returns all businesses, ordered by creation time, then by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails.
    pub async fn businesses(&self) -> Result<Vec<Business>, AdminError> {
        let business = |mut row: Row<'_>| Ok(Business { id: row.take()?, name: row.take()?, created_at: row.take()? });
        Ok(self.database.rows(None, query!(shared::BUSINESSES), business).await?)
    }

    /// Adds a business with its first owner. The creation time is the current time.
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the address is invalid, the id is taken, or the database fails.
    pub async fn add_business(&self, id: BusinessId, name: &str, owner: &str) -> Result<Business, AdminError> {
        let add = Add::new(id, name, owner, self.clock().now())?;
        Ok(self.database.work(None, add).await?)
    }

    /// Renames a business.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, the business does not exist, or the database fails.
    pub async fn rename_business(&self, id: &BusinessId, name: &str) -> Result<Business, AdminError> {
        self.admin_write(id, Rename(checked_name(name)?)).await
    }

    /// Removes a business with all its records, including its tokens and its audit log, and, if `with_leads` is true,
    /// its leads. Returns the number of removed leads.
    ///
    /// # Errors
    ///
    /// Returns an error if the business does not exist, it has leads and `with_leads` is false, or the database fails.
    pub async fn delete_business(&self, id: &BusinessId, with_leads: bool) -> Result<u64, AdminError> {
        let of_this_database = match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => Some(crate::postgres::DELETE_COMMIT_IDS),
        };
        self.admin_write(id, Delete { with_leads, of_this_database }).await
    }
}

/// A unit of work that adds a business and its first owner.
#[derive(Debug)]
pub(super) struct Add {
    business: Business,
    owner: MemberSeed,
}

impl Add {
    pub(super) fn new(id: BusinessId, name: &str, owner: &str, created_at: Timestamp) -> Result<Self, AdminError> {
        let business = Business { id, name: checked_name(name)?, created_at };
        Ok(Self { business, owner: MemberSeed::new(member::checked_email(owner)?, Role::Owner) })
    }
}

#[async_trait]
impl Work for Add {
    type Output = Business;

    async fn run(&self, session: &mut dyn Session) -> Result<Business, SqlError> {
        let Self { business: Business { id, name, created_at }, owner } = self;
        if session.finds(query!(shared::BUSINESS, id)).await? {
            return Err(SqlError::refused(format!("the business {id} already exists")));
        }
        session.execute(query!(shared::INSERT_BUSINESS, id, name, *created_at)).await?;
        session.execute(member::insert_member(id, owner)).await?;
        session.execute(lead_counts::first_bucket(id)).await?;
        Ok(self.business.clone())
    }
}

struct Rename(String);

#[async_trait]
impl Task for Rename {
    type Output = Business;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Business, SqlError> {
        let read =
            |mut row: Row<'_>| Ok(Business { id: business.clone(), name: self.0.clone(), created_at: row.take()? });
        let renamed = session.row(query!(statement::RENAME_BUSINESS, &self.0, business), read).await?;
        renamed.ok_or_else(|| SqlError::other("the business is missing after a check that it exists"))
    }
}

struct Delete {
    with_leads: bool,
    /// A statement that deletes the records of a table that only this database has.
    of_this_database: Option<&'static str>,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let leads = read::count(session, query!(shared::TOTAL, business, "", "")).await?;
        if leads > 0 && !self.with_leads {
            let (leads, them) = lead_count(leads);
            return Err(SqlError::refused(format!("the business has {leads}: use --with-leads to remove {them} too")));
        }
        for delete in statement::DELETE_RECORDS.into_iter().chain(self.of_this_database) {
            session.execute(query!(delete, business)).await?;
        }
        // Deleted last, because the other records refer to it.
        session.execute(query!(statement::DELETE_BUSINESS, business)).await?;
        Ok(leads)
    }
}

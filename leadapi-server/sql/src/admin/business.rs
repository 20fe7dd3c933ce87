//! Adds, lists, renames and removes businesses.

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminRefusal, Business, LeadOwner, NewBusiness},
    id::BusinessId,
};

use super::{Task, member, shared, statement};
use crate::{
    error::SqlError,
    lead_counts, read as counts,
    row::Row,
    session::{Query, Session, Work, query},
};

/// Returns the query for all businesses, whose rows [`read`] reads.
pub(crate) fn list() -> Query {
    query!(shared::BUSINESSES)
}

pub(crate) fn read(mut row: Row<'_>) -> Result<Business, SqlError> {
    Ok(Business::new(row.take()?, row.take::<String>()?, row.take()?))
}

/// A unit of work that adds a business and its first owner.
#[derive(Debug)]
pub(super) struct Add(pub(super) NewBusiness);

#[async_trait]
impl Work for Add {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        let Business { id, name, created_at, .. } = self.0.business();
        if session.finds(query!(shared::BUSINESS, id)).await? {
            return Err(AdminRefusal::BusinessExists(id.clone()).into());
        }
        session.execute(query!(shared::INSERT_BUSINESS, id, name, *created_at)).await?;
        session.execute(member::insert_member(id, self.0.owner())).await?;
        session.execute(lead_counts::first_bucket(id)).await
    }
}

pub(super) struct Rename(pub(super) String);

#[async_trait]
impl Task for Rename {
    type Output = Business;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Business, SqlError> {
        let read = |mut row: Row<'_>| Ok(Business::new(business.clone(), &*self.0, row.take()?));
        let renamed = session.row(query!(statement::RENAME_BUSINESS, &self.0, business), read).await?;
        renamed.ok_or_else(|| SqlError::other("the business is missing after a check that it exists"))
    }
}

pub(super) struct Delete {
    pub(super) with_leads: bool,
    /// A statement that deletes the records of a table that exists only in this kind of database.
    pub(super) of_this_database: Option<&'static str>,
}

#[async_trait]
impl Task for Delete {
    type Output = u64;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<u64, SqlError> {
        let leads = counts::count(session, query!(shared::TOTAL, business, "", "")).await?;
        if leads > 0 && !self.with_leads {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Business, leads }.into());
        }
        for delete in statement::DELETE_RECORDS.into_iter().chain(self.of_this_database) {
            session.execute(query!(delete, business)).await?;
        }
        // Deleted last, because the other records refer to it.
        session.execute(query!(statement::DELETE_BUSINESS, business)).await?;
        Ok(leads)
    }
}

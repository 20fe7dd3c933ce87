//! The members of a business.

use std::collections::HashSet;

use async_trait::async_trait;
use leadapi_core::{
    auth::{Member, Role},
    dataset::MemberSeed,
    id::BusinessId,
    validate::{check_email, email_key},
};

use super::{Task, shared, statement};
use crate::store::{
    AdminError, SqlStore,
    error::SqlError,
    export,
    session::{Session, query},
    settings,
};

impl SqlStore {
    /// Looks up a member of a business by email address, ignoring case. Returns `None` if there is no such business or
    /// member.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails.
    pub async fn member(&self, business: &BusinessId, email: &str) -> Result<Option<Member>, AdminError> {
        let members = self.database.rows(Some(business), query!(shared::MEMBERS, business), export::member).await?;
        Ok(find(&members, email).map(|member| Member::new(business.clone(), &*member.email, member.role)))
    }

    /// Returns the members of a business, ordered by email address.
    ///
    /// # Errors
    ///
    /// Returns an error if the business does not exist or the database fails.
    pub async fn members(&self, business: &BusinessId) -> Result<Vec<MemberSeed>, AdminError> {
        self.admin_read(business, List).await
    }

    /// Adds a member.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid or already belongs to a member (ignoring case), or if the first
    /// member is not an owner. Also returns an error if the business does not exist or the database fails.
    pub async fn add_member(&self, business: &BusinessId, email: &str, role: Role) -> Result<MemberSeed, AdminError> {
        self.admin_write(business, Add(MemberSeed::new(checked_email(email)?, role))).await
    }

    /// Changes a member's email address, role, or both.
    ///
    /// # Errors
    ///
    /// Returns an error if the member does not exist, or if the new address is invalid or belongs to another member.
    /// Also returns an error if the business would be left without an owner or the database fails.
    pub async fn change_member(
        &self,
        business: &BusinessId,
        email: &str,
        new_email: Option<&str>,
        role: Option<Role>,
    ) -> Result<MemberSeed, AdminError> {
        let new_email = new_email.map(checked_email).transpose()?;
        self.admin_write(business, Change { email: email.to_owned(), new_email, role }).await
    }

    /// Removes a member.
    ///
    /// # Errors
    ///
    /// Returns an error if the member does not exist, the business would be left without an owner, or the database
    /// fails.
    pub async fn delete_member(&self, business: &BusinessId, email: &str) -> Result<MemberSeed, AdminError> {
        self.admin_write(business, Delete(email.to_owned())).await
    }
}

pub(super) fn checked_email(text: &str) -> Result<String, AdminError> {
    let email = text.trim();
    match check_email(email) {
        Ok(()) => Ok(email.to_owned()),
        Err(rule) => Err(AdminError::Refused(format!("email {rule}"))),
    }
}

fn find<'m>(members: &'m [MemberSeed], email: &str) -> Option<&'m MemberSeed> {
    members.iter().find(|member| email_key(&member.email) == email_key(email.trim()))
}

fn found(members: &[MemberSeed], email: &str) -> Result<MemberSeed, SqlError> {
    let none = || SqlError::refused(format!("no such member of this business: {email}"));
    find(members, email).cloned().ok_or_else(none)
}

/// Checks the rules that span all members: addresses are unique, and the last owner cannot be removed or demoted.
fn check(before: &[MemberSeed], after: &[MemberSeed]) -> Result<(), SqlError> {
    let mut addresses = HashSet::new();
    if let Some(twice) = after.iter().find(|member| !addresses.insert(email_key(&member.email))) {
        return Err(SqlError::refused(format!("{} is already a member of this business", twice.email)));
    }
    let has_owner = |members: &[MemberSeed]| members.iter().any(|member| member.role == Role::Owner);
    if has_owner(before) && !has_owner(after) {
        let rule = "the last owner of a business cannot be removed or demoted: make another member an owner first";
        return Err(SqlError::refused(rule));
    }
    Ok(())
}

async fn members(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<MemberSeed>, SqlError> {
    session.rows(query!(shared::MEMBERS, business), export::member).await
}

struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<MemberSeed>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<MemberSeed>, SqlError> {
        members(session, business).await
    }
}

struct Add(MemberSeed);

#[async_trait]
impl Task for Add {
    type Output = MemberSeed;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<MemberSeed, SqlError> {
        let before = members(session, business).await?;
        let after = [&before[..], std::slice::from_ref(&self.0)].concat();
        check(&before, &after)?;
        if before.is_empty() && self.0.role != Role::Owner {
            let rule = "the first member of a business must be an owner";
            return Err(SqlError::refused(rule));
        }
        session.execute(query!(shared::INSERT_MEMBER, business, &self.0.email, self.0.role)).await?;
        Ok(self.0.clone())
    }
}

struct Change {
    email: String,
    new_email: Option<String>,
    role: Option<Role>,
}

#[async_trait]
impl Task for Change {
    type Output = MemberSeed;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<MemberSeed, SqlError> {
        let before = members(session, business).await?;
        let old = found(&before, &self.email)?;
        let new = MemberSeed::new(self.new_email.as_ref().unwrap_or(&old.email), self.role.unwrap_or(old.role));
        let change = |member: &MemberSeed| if *member == old { new.clone() } else { member.clone() };
        check(&before, &before.iter().map(change).collect::<Vec<_>>())?;
        session.execute(query!(statement::CHANGE_MEMBER, &new.email, new.role, business, &old.email)).await?;
        if new.email != old.email {
            settings::end_sessions(session, business, &old.email).await?;
        }
        Ok(new)
    }
}

struct Delete(String);

#[async_trait]
impl Task for Delete {
    type Output = MemberSeed;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<MemberSeed, SqlError> {
        let before = members(session, business).await?;
        let old = found(&before, &self.0)?;
        check(&before, &before.iter().filter(|member| **member != old).cloned().collect::<Vec<_>>())?;
        session.execute(query!(statement::DELETE_MEMBER, business, &old.email)).await?;
        settings::end_sessions(session, business, &old.email).await?;
        Ok(old)
    }
}

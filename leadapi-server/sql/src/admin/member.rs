//! The members of a business.

use std::collections::HashSet;

use async_trait::async_trait;
use leadapi_core::{
    auth::{Actor, Member, Role},
    dataset::MemberSeed,
    id::BusinessId,
    model::Timestamp,
    port::{AuditAction, AuditEntry, TokenRecord},
    validate::{check_email, email_key},
};

use super::{Task, shared, statement};
use crate::{
    AdminError, SqlStore,
    error::SqlError,
    export,
    session::{Query, Session, query},
    settings, tokens,
};

/// The result of removing a member.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemovedMember {
    /// The former member.
    pub member: MemberSeed,
    /// The tokens that the member had created and that were valid.
    pub tokens: Vec<TokenRecord>,
    /// Whether these tokens were revoked. Otherwise they are still valid.
    pub are_revoked: bool,
}

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

    /// Adds a member, and an entry to the audit log.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid or already belongs to a member (ignoring case), or if the first
    /// member is not an owner. Also returns an error if the business does not exist or the database fails.
    pub async fn add_member(
        &self,
        business: &BusinessId,
        email: &str,
        role: Role,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError> {
        self.admin_write(business, Add { member: MemberSeed::new(checked_email(email)?, role), at }).await
    }

    /// Changes a member's email address, role, or both, and adds an entry to the audit log for each. The tokens that the
    /// member created get the new address.
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
        at: Timestamp,
    ) -> Result<MemberSeed, AdminError> {
        let new_email = new_email.map(checked_email).transpose()?;
        self.admin_write(business, Change { email: email.to_owned(), new_email, role, at }).await
    }

    /// Removes a member, and adds an entry to the audit log. Also revokes the member's valid tokens if `revoke_tokens` is
    /// true, with an entry for each.
    ///
    /// # Errors
    ///
    /// Returns an error if the member does not exist, the business would be left without an owner, or the database
    /// fails.
    pub async fn delete_member(
        &self,
        business: &BusinessId,
        email: &str,
        revoke_tokens: bool,
        at: Timestamp,
    ) -> Result<RemovedMember, AdminError> {
        self.admin_write(business, Delete { email: email.to_owned(), revoke_tokens, at }).await
    }
}

/// Returns the statement that inserts a member.
pub(crate) fn insert_member(business: &BusinessId, member: &MemberSeed) -> Query {
    query!(shared::INSERT_MEMBER, business, &member.email, member.role, email_key(&member.email))
}

/// Returns the statement that adds an audit entry for a change by the operator. The entry names the member concerned.
fn log(business: &BusinessId, at: Timestamp, action: AuditAction, email: &str, detail: Option<String>) -> Query {
    let mut entry = AuditEntry::new(at, action, Actor::new(email, None));
    entry.detail = detail;
    settings::insert_audit_entry(business, &entry)
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

struct Add {
    member: MemberSeed,
    at: Timestamp,
}

#[async_trait]
impl Task for Add {
    type Output = MemberSeed;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<MemberSeed, SqlError> {
        let Self { member, at } = self;
        let before = members(session, business).await?;
        let after = [&before[..], std::slice::from_ref(member)].concat();
        check(&before, &after)?;
        if before.is_empty() && member.role != Role::Owner {
            let rule = "the first member of a business must be an owner";
            return Err(SqlError::refused(rule));
        }
        session.execute(insert_member(business, member)).await?;
        let role = Some(member.role.to_string());
        session.execute(log(business, *at, AuditAction::MemberAdded, &member.email, role)).await?;
        Ok(member.clone())
    }
}

struct Change {
    email: String,
    new_email: Option<String>,
    role: Option<Role>,
    at: Timestamp,
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
        let key = email_key(&new.email);
        session.execute(query!(statement::CHANGE_MEMBER, &new.email, key, new.role, business, &old.email)).await?;
        if new.role != old.role {
            let roles = Some(format!("from {} to {}", old.role, new.role));
            session.execute(log(business, self.at, AuditAction::MemberRoleChanged, &old.email, roles)).await?;
        }
        if new.email != old.email {
            settings::end_sessions(session, business, &old.email).await?;
            session.execute(query!(statement::CHANGE_CREATOR, &new.email, business, &old.email)).await?;
            let address = Some(new.email.clone());
            session.execute(log(business, self.at, AuditAction::MemberRenamed, &old.email, address)).await?;
        }
        Ok(new)
    }
}

struct Delete {
    email: String,
    revoke_tokens: bool,
    at: Timestamp,
}

#[async_trait]
impl Task for Delete {
    type Output = RemovedMember;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<RemovedMember, SqlError> {
        let before = members(session, business).await?;
        let old = found(&before, &self.email)?;
        check(&before, &before.iter().filter(|member| **member != old).cloned().collect::<Vec<_>>())?;
        session.execute(query!(statement::DELETE_MEMBER, business, &old.email)).await?;
        settings::end_sessions(session, business, &old.email).await?;
        session.execute(log(business, self.at, AuditAction::MemberRemoved, &old.email, None)).await?;
        let valid = query!(statement::VALID_TOKENS_OF_PEOPLE, business, self.at);
        let mut tokens = session.rows(valid, tokens::read).await?;
        let key = email_key(&old.email);
        tokens.retain(|token| token.created_by.as_deref().is_some_and(|email| email_key(email) == key));
        for token in tokens.iter_mut().filter(|_| self.revoke_tokens) {
            token.revoked_at = Some(self.at);
            session.execute(query!(statement::REVOKE_TOKEN, self.at, business, &token.id)).await?;
            let by = Actor::new(&*old.email, None);
            let entry = AuditEntry::new(self.at, AuditAction::TokenRevokedOnRemoval, by);
            let entry = entry.token(token.id.clone(), &*token.name);
            session.execute(settings::insert_audit_entry(business, &entry)).await?;
        }
        Ok(RemovedMember { member: old, tokens, are_revoked: self.revoke_tokens })
    }
}

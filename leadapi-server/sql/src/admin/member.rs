//! The members of a business.

use async_trait::async_trait;
use leadapi_core::{
    admin::{MemberChange, RemovedMember, rules, rules::MemberPlan},
    dataset::MemberSeed,
    id::BusinessId,
    model::Timestamp,
    validate::email_key,
};

use super::{Task, shared, statement};
use crate::{
    error::SqlError,
    export,
    session::{Query, Session, query},
    settings, tokens,
};

/// Returns the statement that inserts a member.
pub(crate) fn insert_member(business: &BusinessId, member: &MemberSeed) -> Query {
    query!(shared::INSERT_MEMBER, business, &member.email, member.role, email_key(&member.email))
}

async fn members(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<MemberSeed>, SqlError> {
    session.rows(query!(shared::MEMBERS, business), export::member).await
}

pub(super) struct List;

#[async_trait]
impl Task for List {
    type Output = Vec<MemberSeed>;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Vec<MemberSeed>, SqlError> {
        members(session, business).await
    }
}

pub(super) struct Add {
    pub(super) member: MemberSeed,
    pub(super) at: Timestamp,
}

#[async_trait]
impl Task for Add {
    type Output = ();

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        let audit = rules::add_member(&members(session, business).await?, &self.member, self.at)?;
        session.execute(insert_member(business, &self.member)).await?;
        session.execute(settings::insert_audit_entry(business, &audit)).await
    }
}

pub(super) struct Change {
    pub(super) email: String,
    pub(super) to: MemberChange,
    pub(super) at: Timestamp,
}

#[async_trait]
impl Task for Change {
    type Output = MemberSeed;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<MemberSeed, SqlError> {
        let before = members(session, business).await?;
        let MemberPlan { old, new, audit, .. } = rules::change_member(&before, &self.email, &self.to, self.at)?;
        let key = email_key(&new.email);
        session.execute(query!(statement::CHANGE_MEMBER, &new.email, key, new.role, business, &old.email)).await?;
        if new.email != old.email {
            settings::end_sessions(session, business, &old.email).await?;
            session.execute(query!(statement::CHANGE_CREATOR, &new.email, business, &old.email)).await?;
        }
        for entry in &audit {
            session.execute(settings::insert_audit_entry(business, entry)).await?;
        }
        Ok(new)
    }
}

pub(super) struct Delete {
    pub(super) email: String,
    pub(super) revoke_tokens: bool,
    pub(super) at: Timestamp,
}

#[async_trait]
impl Task for Delete {
    type Output = RemovedMember;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<RemovedMember, SqlError> {
        let (old, audit) = rules::remove_member(&members(session, business).await?, &self.email, self.at)?;
        session.execute(query!(statement::DELETE_MEMBER, business, &old.email)).await?;
        settings::end_sessions(session, business, &old.email).await?;
        session.execute(settings::insert_audit_entry(business, &audit)).await?;
        let valid = query!(statement::VALID_TOKENS_OF_PEOPLE, business, self.at);
        let mut tokens = session.rows(valid, tokens::read).await?;
        let key = email_key(&old.email);
        tokens.retain(|token| token.created_by.as_deref().is_some_and(|email| email_key(email) == key));
        for token in tokens.iter_mut().filter(|_| self.revoke_tokens) {
            token.revoked_at = Some(self.at);
            session.execute(query!(statement::REVOKE_TOKEN, self.at, business, &token.id)).await?;
            let entry = rules::token_revoked(&old, token, self.at);
            session.execute(settings::insert_audit_entry(business, &entry)).await?;
        }
        Ok(RemovedMember::new(old, tokens, self.revoke_tokens))
    }
}

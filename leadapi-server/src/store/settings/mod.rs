//! The [`SettingsStore`] implementation for both databases (contract D8).

mod audit;
mod change;
mod session;
mod statement;

use async_trait::async_trait;
use leadapi_core::{
    auth::TokenHash,
    id::{BusinessId, SessionId},
    model::{Page, Timestamp, Window},
    port::{
        AuditEntry, FoundSession, LoginLink, Membership, Session, SettingsStore, SignIn, StoreError, TokenChange,
        TokenChanged,
    },
    validate::email_key,
};

use self::session::{AddLink, EndSession, StartSession, UseLink};
pub(super) use self::{
    audit::{ReadAudit, insert as insert_audit_entry},
    change::ChangeTokens,
    session::{delete_expired, end_sessions},
};
use super::{
    SqlStore,
    error::SqlError,
    row::Row,
    session::{Session as Transaction, query},
};

#[async_trait]
impl SettingsStore for SqlStore {
    async fn change(&self, business: &BusinessId, change: &TokenChange) -> Result<TokenChanged, StoreError> {
        let work = ChangeTokens { business: business.clone(), change: change.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn audit(&self, business: &BusinessId, window: Window) -> Result<Page<AuditEntry>, StoreError> {
        Ok(self.database.read(business, ReadAudit { business: business.clone(), window }).await?)
    }

    async fn membership(&self, business: &BusinessId, email: &str) -> Result<Option<Membership>, StoreError> {
        let members = self.database.rows(Some(business), query!(statement::MEMBERS, business), membership).await?;
        Ok(find_member(members, email))
    }

    async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        let key = email_key(email);
        let mut members = self.database.rows(None, query!(statement::ALL_MEMBERS), membership).await?;
        members.retain(|member| email_key(&member.email) == key);
        Ok(members)
    }

    async fn add_login_link(
        &self,
        business: &BusinessId,
        link: &LoginLink,
        audit: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let work = AddLink { business: business.clone(), link: link.clone(), audit: audit.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn use_login_link(&self, link: &TokenHash, sign_in: &SignIn) -> Result<Option<FoundSession>, StoreError> {
        Ok(self.database.work(None, UseLink { link: *link, sign_in: sign_in.clone() }).await?)
    }

    async fn start_session(
        &self,
        business: &BusinessId,
        email: &str,
        sign_in: &SignIn,
    ) -> Result<Option<FoundSession>, StoreError> {
        let work = StartSession { business: business.clone(), email: email.to_owned(), sign_in: sign_in.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn find_session(&self, hash: &TokenHash, now: Timestamp) -> Result<Option<FoundSession>, StoreError> {
        let query = query!(statement::FIND_SESSION, hash, ended_before(now));
        let read = |mut row: Row<'_>| Ok(FoundSession::new(session::read(&mut row)?, membership(row)?));
        Ok(self.database.row(None, query, read).await?)
    }

    async fn use_session(&self, business: &BusinessId, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        let work = session::UseSession { business: business.clone(), id: id.clone(), at };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn sessions(&self, business: &BusinessId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        let query = query!(statement::SESSIONS, business, ended_before(now));
        Ok(self.database.rows(Some(business), query, |mut row| session::read(&mut row)).await?)
    }

    async fn end_session(&self, business: &BusinessId, id: &SessionId, audit: &AuditEntry) -> Result<bool, StoreError> {
        let work = EndSession { business: business.clone(), id: id.clone(), audit: audit.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }
}

/// Returns the cutoff for idle sessions: sessions last used at or before this time have ended.
fn ended_before(now: Timestamp) -> i64 {
    now.unix_millis().saturating_sub(i64::try_from(Session::IDLE_TIMEOUT.as_millis()).unwrap_or(i64::MAX))
}

async fn members(transaction: &mut dyn Transaction, business: &BusinessId) -> Result<Vec<Membership>, SqlError> {
    transaction.rows(query!(statement::MEMBERS, business), membership).await
}

fn membership(mut row: Row<'_>) -> Result<Membership, SqlError> {
    Ok(Membership::new(row.take()?, row.take::<String>()?, row.take::<String>()?, row.take()?))
}

fn find_member(members: Vec<Membership>, email: &str) -> Option<Membership> {
    let key = email_key(email);
    members.into_iter().find(|member| email_key(&member.email) == key)
}

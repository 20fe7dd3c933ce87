//! The [`SettingsStore`] implementation for both databases (contract D8).

mod audit;
mod authority;
mod change;
#[cfg(test)]
mod cost;
mod session;
mod statement;

use std::time::Duration;

use async_trait::async_trait;
use leadapi_core::{
    auth::{Actor, TokenHash},
    id::{BusinessId, SessionId, TokenId},
    model::{Page, Timestamp, Window},
    port::{
        AuditEntry, FoundSession, LoginLink, Membership, Session, SessionEnded, SessionStarted, SettingsStore, SignIn,
        StoreError, TokenChange, TokenChanged, TokenRecord,
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
    session::{Query, Session as Transaction, Work, query},
    tokens,
};

/// The statements that find a person by email address.
#[cfg(test)]
pub(super) const FIND_PERSON: [&str; 2] = [statement::MEMBER, statement::MEMBERSHIPS];

#[async_trait]
impl SettingsStore for SqlStore {
    async fn change(&self, business: &BusinessId, change: &TokenChange) -> Result<TokenChanged, StoreError> {
        let work = ChangeTokens { business: business.clone(), change: change.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn tokens(&self, business: &BusinessId, window: Window) -> Result<Page<TokenRecord>, StoreError> {
        Ok(self.database.read(business, ReadTokens { business: business.clone(), window }).await?)
    }

    async fn token(&self, business: &BusinessId, id: &TokenId) -> Result<Option<TokenRecord>, StoreError> {
        Ok(self.database.row(Some(business), query!(statement::TOKEN, business, id), tokens::read).await?)
    }

    async fn audit(&self, business: &BusinessId, window: Window) -> Result<Page<AuditEntry>, StoreError> {
        Ok(self.database.read(business, ReadAudit { business: business.clone(), window }).await?)
    }

    async fn membership(&self, business: &BusinessId, email: &str) -> Result<Option<Membership>, StoreError> {
        Ok(self.database.row(Some(business), find_member(business, email), membership).await?)
    }

    async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        Ok(self.database.rows(None, query!(statement::MEMBERSHIPS, email_key(email)), membership).await?)
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

    async fn use_login_link(&self, link: &TokenHash, sign_in: &SignIn) -> Result<SessionStarted, StoreError> {
        // The business must be known before the transaction begins, because the transaction excludes changes to its
        // members. This read also prevents an unknown link from starting a transaction.
        let business = query!(statement::BUSINESS_OF_LINK, link);
        let business: Option<BusinessId> = self.database.row(None, business, |mut row| row.take()).await?;
        let Some(business) = business else { return Ok(SessionStarted::NotAllowed) };
        let work = UseLink { business: business.clone(), link: *link, sign_in: sign_in.clone() };
        Ok(self.database.work(Some(&business), work).await?)
    }

    async fn start_session(
        &self,
        business: &BusinessId,
        email: &str,
        sign_in: &SignIn,
    ) -> Result<SessionStarted, StoreError> {
        let work = StartSession { business: business.clone(), email: email.to_owned(), sign_in: sign_in.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn find_session(&self, hash: &TokenHash, now: Timestamp) -> Result<Option<FoundSession>, StoreError> {
        let (used_after, created_after) = open_since(now);
        if self.database.is_distributed() {
            // Only the second statement knows the business, and therefore the node.
            let query = query!(statement::SESSION, hash, used_after, created_after);
            let read = |mut row: Row<'_>| Ok((session::read(&mut row)?, row.take()?));
            let found: Option<(Session, BusinessId)> = self.database.row(None, query, read).await?;
            let Some((session, business)) = found else { return Ok(None) };
            let member = self.membership(&business, &session.email).await?;
            return Ok(member
                .filter(|member| member.email == session.email)
                .map(|member| FoundSession::new(session, member)));
        }
        let query = query!(statement::FIND_SESSION, hash, used_after, created_after);
        let read = |mut row: Row<'_>| Ok(FoundSession::new(session::read(&mut row)?, membership(row)?));
        Ok(self.database.row(None, query, read).await?)
    }

    async fn use_session(&self, business: &BusinessId, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        let work = session::UseSession { business: business.clone(), id: id.clone(), at };
        Ok(self.database.work(Some(business), work).await?)
    }

    async fn sessions(&self, business: &BusinessId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        let (used_after, created_after) = open_since(now);
        let query = query!(statement::SESSIONS, business, used_after, created_after);
        Ok(self.database.rows(Some(business), query, |mut row| session::read(&mut row)).await?)
    }

    async fn end_session(
        &self,
        business: &BusinessId,
        id: &SessionId,
        at: Timestamp,
        by: &Actor,
    ) -> Result<SessionEnded, StoreError> {
        let work = EndSession { business: business.clone(), id: id.clone(), at, by: by.clone() };
        Ok(self.database.work(Some(business), work).await?)
    }
}

struct ReadTokens {
    business: BusinessId,
    window: Window,
}

#[async_trait]
impl Work for ReadTokens {
    type Output = Page<TokenRecord>;

    async fn run(&self, session: &mut dyn Transaction) -> Result<Page<TokenRecord>, SqlError> {
        let Self { business, window } = self;
        let total = session.row(query!(statement::COUNT_TOKENS, business), |mut row| row.take::<u64>()).await?;
        // The maximum offset fits into an i64.
        let offset = i64::try_from(window.offset()).unwrap_or(i64::MAX);
        let page = query!(statement::TOKEN_PAGE, business, i64::from(window.limit()), offset);
        Ok(Page::new(session.rows(page, tokens::read).await?, total.unwrap_or_default(), *window))
    }
}

/// Returns the times after which a session that is open now was last used and created.
fn open_since(now: Timestamp) -> (i64, i64) {
    let before = |time: Duration| now.unix_millis().saturating_sub(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    (before(Session::IDLE_TIMEOUT), before(Session::LIFETIME))
}

fn find_member(business: &BusinessId, email: &str) -> Query {
    query!(statement::MEMBER, business, email_key(email))
}

fn membership(mut row: Row<'_>) -> Result<Membership, SqlError> {
    Ok(Membership::new(row.take()?, row.take::<String>()?, row.take::<String>()?, row.take()?))
}

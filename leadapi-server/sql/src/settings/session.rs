//! Sign-in links and sessions.

use async_trait::async_trait;
use leadapi_core::{
    auth::{Actor, Authority, TokenHash},
    id::{BusinessId, SessionId},
    model::Timestamp,
    port::{AuditAction, AuditEntry, FoundSession, LoginLink, Session, SessionEnded, SessionStarted, SignIn},
};

use super::{
    audit,
    authority::{find_admin, is_confirmed},
    open_since, statement,
};
use crate::{
    error::SqlError,
    row::Row,
    session::{Session as Transaction, Work, query},
};

/// Reads the columns of a session. The remaining columns of the row stay unread.
pub(super) fn read(row: &mut Row<'_>) -> Result<Session, SqlError> {
    Ok(Session::stored(row.take()?, row.take()?, row.take()?, row.take()?, row.take()?))
}

pub(super) struct AddLink {
    pub(super) business: BusinessId,
    pub(super) link: LoginLink,
    pub(super) audit: AuditEntry,
}

#[async_trait]
impl Work for AddLink {
    type Output = bool;

    async fn run(&self, transaction: &mut dyn Transaction) -> Result<bool, SqlError> {
        let Self { business, link, audit } = self;
        let Some(member) = find_admin(transaction, business, &link.email).await? else { return Ok(false) };
        let insert = query!(statement::INSERT_LINK, business, &link.hash, member.email, link.expires_at);
        transaction.execute(insert).await?;
        transaction.execute(audit::insert(business, audit)).await?;
        Ok(true)
    }
}

pub(super) struct UseLink {
    /// The business of the link.
    pub(super) business: BusinessId,
    pub(super) link: TokenHash,
    pub(super) sign_in: SignIn,
}

#[async_trait]
impl Work for UseLink {
    type Output = SessionStarted;

    async fn run(&self, transaction: &mut dyn Transaction) -> Result<SessionStarted, SqlError> {
        let Self { business, link, sign_in } = self;
        if is_too_fast(transaction, business, sign_in.at).await? {
            return Ok(SessionStarted::TooFast);
        }
        let read = |mut row: Row<'_>| Ok::<(String, Timestamp), _>((row.take()?, row.take()?));
        match transaction.row(query!(statement::USE_LOGIN_LINK, business, link), read).await? {
            Some((email, expires_at)) if expires_at > sign_in.at => start(transaction, business, &email, sign_in).await,
            _ => Ok(SessionStarted::NotAllowed),
        }
    }
}

pub(super) struct StartSession {
    pub(super) business: BusinessId,
    pub(super) email: String,
    pub(super) sign_in: SignIn,
}

#[async_trait]
impl Work for StartSession {
    type Output = SessionStarted;

    async fn run(&self, transaction: &mut dyn Transaction) -> Result<SessionStarted, SqlError> {
        let Self { business, email, sign_in } = self;
        if is_too_fast(transaction, business, sign_in.at).await? {
            return Ok(SessionStarted::TooFast);
        }
        start(transaction, business, email, sign_in).await
    }
}

/// Returns whether the business got too many new sessions in the interval before this time. The caller's transaction
/// excludes other sign-ins to the business.
async fn is_too_fast(
    transaction: &mut dyn Transaction,
    business: &BusinessId,
    at: Timestamp,
) -> Result<bool, SqlError> {
    // The subtraction fails only for the earliest timestamps, which the clock never returns.
    let from = at.checked_sub(Session::NEW_INTERVAL).unwrap_or(at);
    let count = query!(statement::COUNT_SIGN_INS, business, from, at, Session::MAX_NEW);
    let sign_ins = transaction.row(count, |mut row: Row<'_>| row.take::<u32>()).await?.unwrap_or_default();
    Ok(sign_ins >= Session::MAX_NEW)
}

async fn start(
    transaction: &mut dyn Transaction,
    business: &BusinessId,
    email: &str,
    sign_in: &SignIn,
) -> Result<SessionStarted, SqlError> {
    let member = find_admin(transaction, business, email).await?;
    let Some(member) = member else { return Ok(SessionStarted::NotAllowed) };
    let session = sign_in.session(&*member.email);
    let others = u32::try_from(Session::MAX_PER_PERSON - 1).unwrap_or(u32::MAX);
    transaction.execute(query!(statement::END_UNUSED_SESSIONS, business, &session.email, others)).await?;
    let insert = query!(
        statement::INSERT_SESSION,
        business,
        &session.id,
        &sign_in.hash,
        &session.email,
        session.created_at,
        session.last_used_at,
        session.address,
    );
    transaction.execute(insert).await?;
    transaction.execute(audit::insert(business, &sign_in.audit(&*member.email))).await?;
    Ok(SessionStarted::Done(FoundSession::new(session, member)))
}

pub(super) struct UseSession {
    pub(super) business: BusinessId,
    pub(super) id: SessionId,
    pub(super) at: Timestamp,
}

#[async_trait]
impl Work for UseSession {
    type Output = ();

    async fn run(&self, transaction: &mut dyn Transaction) -> Result<(), SqlError> {
        transaction.execute(query!(statement::USE_SESSION, self.at, &self.business, &self.id)).await
    }
}

pub(super) struct EndSession {
    pub(super) business: BusinessId,
    pub(super) id: SessionId,
    pub(super) at: Timestamp,
    pub(super) by: Actor,
}

#[async_trait]
impl Work for EndSession {
    type Output = SessionEnded;

    async fn run(&self, transaction: &mut dyn Transaction) -> Result<SessionEnded, SqlError> {
        let Self { business, id, at, by } = self;
        let (delete, action) = if by.authority == Authority::Session(id.clone()) {
            (query!(statement::DELETE_OWN_SESSION, business, id, &by.email), AuditAction::SignedOut)
        } else if is_confirmed(transaction, business, by, *at).await? {
            (query!(statement::DELETE_SESSION, business, id), AuditAction::SessionEnded)
        } else {
            return Ok(SessionEnded::NotAllowed);
        };
        if !transaction.finds(delete).await? {
            return Ok(SessionEnded::NotFound);
        }
        transaction.execute(audit::insert(business, &AuditEntry::new(*at, action, by.clone()))).await?;
        Ok(SessionEnded::Done)
    }
}

/// Ends the sessions of a person who is no longer a member with this address, and deletes their sign-in links.
pub(crate) async fn end_sessions(
    transaction: &mut dyn Transaction,
    business: &BusinessId,
    email: &str,
) -> Result<(), SqlError> {
    transaction.execute(query!(statement::DELETE_LINKS_OF, business, email)).await?;
    transaction.execute(query!(statement::DELETE_SESSIONS_OF, business, email)).await
}

/// Deletes expired sign-in links and sessions.
pub(crate) async fn delete_expired(transaction: &mut dyn Transaction, now: Timestamp) -> Result<(), SqlError> {
    transaction.execute(query!(statement::DELETE_EXPIRED_LINKS, now)).await?;
    let (used_after, created_after) = open_since(now);
    transaction.execute(query!(statement::DELETE_EXPIRED_SESSIONS, used_after, created_after)).await
}

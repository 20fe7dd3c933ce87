//! The port for the API settings of a business: its tokens, its sessions and its audit log.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    AuditEntry, FoundSession, LoginLink, Membership, Session, SessionEnded, SessionStarted, SignIn, StoreError,
    TokenChange, TokenChanged, TokenRecord, TokenStore,
};
use crate::{
    auth::{Actor, TokenHash},
    id::{BusinessId, SessionId, TokenId},
    model::{Page, Timestamp, Window},
};

/// A store for the API settings of many businesses.
///
/// [`Tokens`](crate::tokens::Tokens) and [`Sessions`](crate::tokens::Sessions) use this store, and check permissions
/// and input before they call it. Every method is atomic: it takes effect completely or not at all. If the storage
/// fails, the method must return an error. Email addresses are compared by their [keys](crate::validate::email_key),
/// which ignore case.
#[async_trait]
pub trait SettingsStore: TokenStore {
    /// Changes the tokens of a business.
    ///
    /// In one transaction, the store looks up the [`TokenFacts`](super::TokenFacts), calls [`TokenChange::plan`], and
    /// applies the planned writes and audit entries. No other change to these tokens, to the members or to the sessions
    /// of the business may take effect in between. The cost must not grow with the number of tokens.
    async fn change(&self, business: &BusinessId, change: &TokenChange) -> Result<TokenChanged, StoreError>;

    /// Lists the business's tokens, newest first, then by id in descending order.
    async fn tokens(&self, business: &BusinessId, window: Window) -> Result<Page<TokenRecord>, StoreError>;

    /// Returns the token with this id, or `None` if the business has no such token.
    async fn token(&self, business: &BusinessId, id: &TokenId) -> Result<Option<TokenRecord>, StoreError>;

    /// Lists the audit log of a business, newest first, then by id in descending order.
    async fn audit(&self, business: &BusinessId, window: Window) -> Result<Page<AuditEntry>, StoreError>;

    /// Returns the person's membership in a business, or `None` if the business has no such member.
    async fn membership(&self, business: &BusinessId, email: &str) -> Result<Option<Membership>, StoreError>;

    /// Lists the person's memberships in all businesses, sorted by the business's name, then by its id.
    ///
    /// This method has no business argument, because its purpose is to find the person's businesses. The caller must
    /// have verified the person's identity.
    async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError>;

    /// Adds a sign-in link for an owner or an admin of the business, and an audit entry. Does nothing and returns
    /// `false` if the business has no such owner or admin.
    async fn add_login_link(
        &self,
        business: &BusinessId,
        link: &LoginLink,
        audit: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Starts a session with a sign-in link, and adds its audit entry. Returns [`SessionStarted::NotAllowed`] if no
    /// link has this hash, if the link has expired at the time of the sign-in, or if the person is no longer an owner
    /// or an admin. Unless the result is [`SessionStarted::TooFast`], the link cannot be used again. Ends the person's
    /// sessions above [`Session::MAX_PER_PERSON`], as [`start_session`](Self::start_session) does.
    async fn use_login_link(&self, link: &TokenHash, sign_in: &SignIn) -> Result<SessionStarted, StoreError>;

    /// Starts a session for an owner or an admin, and adds its audit entry. Returns [`SessionStarted::NotAllowed`] if
    /// the business has no such owner or admin. Returns [`SessionStarted::TooFast`] and changes nothing if the audit
    /// log of the business contains [`Session::MAX_NEW`] sign-ins in the [`Session::NEW_INTERVAL`] that ends at the
    /// time of this sign-in. The interval includes its end but not its start. The cost of this check must not grow with
    /// the length of the log. If the person then has more than [`Session::MAX_PER_PERSON`] sessions, the session with
    /// the earliest last use ends.
    async fn start_session(
        &self,
        business: &BusinessId,
        email: &str,
        sign_in: &SignIn,
    ) -> Result<SessionStarted, StoreError>;

    /// Returns the session with this hash and the person's current membership. Returns `None` if there is no such
    /// session, if it has ended, or if the person is no longer a member.
    ///
    /// This method has no business argument, because its result determines the business.
    async fn find_session(&self, hash: &TokenHash, now: Timestamp) -> Result<Option<FoundSession>, StoreError>;

    /// Sets the time of a session's last use, unless the store already has a later time. Ignores a session that the
    /// business does not have.
    async fn use_session(&self, business: &BusinessId, id: &SessionId, at: Timestamp) -> Result<(), StoreError>;

    /// Lists the sessions of a business that have not ended, newest first, then by id in descending order.
    async fn sessions(&self, business: &BusinessId, now: Timestamp) -> Result<Vec<Session>, StoreError>;

    /// Ends a session, and adds an audit entry: [`SignedOut`](super::AuditAction::SignedOut) if the person acts in this
    /// session, otherwise [`SessionEnded`](super::AuditAction::SessionEnded). A person may always end the session in
    /// which the person acts. To end any other session, the person's [`Authority`](crate::auth::Authority) must be
    /// confirmed in the same transaction.
    async fn end_session(
        &self,
        business: &BusinessId,
        id: &SessionId,
        at: Timestamp,
        by: &Actor,
    ) -> Result<SessionEnded, StoreError>;
}

#[async_trait]
impl<T: SettingsStore + ?Sized> SettingsStore for Arc<T> {
    async fn change(&self, business: &BusinessId, change: &TokenChange) -> Result<TokenChanged, StoreError> {
        (**self).change(business, change).await
    }

    async fn tokens(&self, business: &BusinessId, window: Window) -> Result<Page<TokenRecord>, StoreError> {
        (**self).tokens(business, window).await
    }

    async fn token(&self, business: &BusinessId, id: &TokenId) -> Result<Option<TokenRecord>, StoreError> {
        (**self).token(business, id).await
    }

    async fn audit(&self, business: &BusinessId, window: Window) -> Result<Page<AuditEntry>, StoreError> {
        (**self).audit(business, window).await
    }

    async fn membership(&self, business: &BusinessId, email: &str) -> Result<Option<Membership>, StoreError> {
        (**self).membership(business, email).await
    }

    async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        (**self).memberships(email).await
    }

    async fn add_login_link(
        &self,
        business: &BusinessId,
        link: &LoginLink,
        audit: &AuditEntry,
    ) -> Result<bool, StoreError> {
        (**self).add_login_link(business, link, audit).await
    }

    async fn use_login_link(&self, link: &TokenHash, sign_in: &SignIn) -> Result<SessionStarted, StoreError> {
        (**self).use_login_link(link, sign_in).await
    }

    async fn start_session(
        &self,
        business: &BusinessId,
        email: &str,
        sign_in: &SignIn,
    ) -> Result<SessionStarted, StoreError> {
        (**self).start_session(business, email, sign_in).await
    }

    async fn find_session(&self, hash: &TokenHash, now: Timestamp) -> Result<Option<FoundSession>, StoreError> {
        (**self).find_session(hash, now).await
    }

    async fn use_session(&self, business: &BusinessId, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        (**self).use_session(business, id, at).await
    }

    async fn sessions(&self, business: &BusinessId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        (**self).sessions(business, now).await
    }

    async fn end_session(
        &self,
        business: &BusinessId,
        id: &SessionId,
        at: Timestamp,
        by: &Actor,
    ) -> Result<SessionEnded, StoreError> {
        (**self).end_session(business, id, at, by).await
    }
}

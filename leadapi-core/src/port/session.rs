//! Sign-in links and sessions for the API settings.

use std::{net::IpAddr, time::Duration};

use uuid::Uuid;

use super::{AuditAction, AuditEntry};
use crate::{
    auth::{Actor, Authority, Member, NotAllowed, Role, TokenAdmin, TokenHash},
    id::{BusinessId, SessionId},
    model::Timestamp,
};

/// A person's membership in a business.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The id of the business.
    pub business: BusinessId,
    /// The name of the business.
    pub business_name: String,
    /// The person's email address, exactly as the business stores it.
    pub email: String,
    /// The person's role.
    pub role: Role,
}

impl Membership {
    /// Creates a membership.
    pub fn new(business: BusinessId, business_name: impl Into<String>, email: impl Into<String>, role: Role) -> Self {
        Self { business, business_name: business_name.into(), email: email.into(), role }
    }

    /// Returns the member whom this membership describes.
    pub fn member(&self) -> Member {
        Member::new(self.business.clone(), self.email.clone(), self.role)
    }

    /// Returns proof that the member may manage the API settings of the business. A store checks the membership again
    /// in the transaction of each change.
    ///
    /// # Errors
    ///
    /// [`NotAllowed`] when the member is neither an owner nor an admin.
    pub fn token_admin(&self) -> Result<TokenAdmin, NotAllowed> {
        Ok(self.member().token_admin()?.authority(Authority::Membership))
    }
}

/// A sign-in link. It can start one session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginLink {
    /// The hash of the secret in the link.
    pub hash: TokenHash,
    /// The email address of the member who may use the link.
    pub email: String,
    /// The time at which the link expires.
    pub expires_at: Timestamp,
}

impl LoginLink {
    /// The lifetime of a link.
    pub const LIFETIME: Duration = Duration::from_secs(10 * 60);

    /// Creates a link.
    pub fn new(hash: TokenHash, email: impl Into<String>, expires_at: Timestamp) -> Self {
        Self { hash, email: email.into(), expires_at }
    }
}

/// A person's session in the API settings of one business.
///
/// It ends 12 hours after its last recorded use, and no later than 7 days after the sign-in. It also ends when the
/// person signs out, when an owner or admin ends it, or when the person stops being a member of the business. If a
/// sign-in gives the person more than [`MAX_PER_PERSON`](Self::MAX_PER_PERSON) sessions, the least recently used
/// session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The id of the session.
    pub id: SessionId,
    /// The person's email address.
    pub email: String,
    /// The time at which the person signed in.
    pub created_at: Timestamp,
    /// The time of the last recorded use. It is updated at most once every 5 minutes.
    pub last_used_at: Timestamp,
    /// The IP address that the person signed in from. `None` if it is unknown.
    pub address: Option<IpAddr>,
}

impl Session {
    /// The time after which an unused session ends.
    pub const IDLE_TIMEOUT: Duration = Duration::from_secs(12 * 60 * 60);

    /// The time after the sign-in at which a session ends, even if it is used.
    pub const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

    /// The maximum number of sessions of a person in a business. A further sign-in ends the person's least recently
    /// used session.
    pub const MAX_PER_PERSON: usize = 10;

    /// The maximum number of new sessions of a business in any [`NEW_INTERVAL`](Self::NEW_INTERVAL), so that a person
    /// whose browser does not keep the cookie cannot fill the audit log.
    pub const MAX_NEW: u32 = 60;

    /// The interval to which [`MAX_NEW`](Self::MAX_NEW) applies.
    pub const NEW_INTERVAL: Duration = Duration::from_secs(60);

    /// The minimum time between two updates of the last use.
    pub const USE_INTERVAL: Duration = Duration::from_secs(5 * 60);

    /// Creates a session from the columns of a database row.
    pub const fn stored(
        id: SessionId,
        email: String,
        created_at: Timestamp,
        last_used_at: Timestamp,
        address: Option<IpAddr>,
    ) -> Self {
        Self { id, email, created_at, last_used_at, address }
    }

    /// Returns whether the session has ended because it was idle for too long, or because its lifetime is over.
    ///
    /// ```
    /// use leadapi_core::port::Session;
    ///
    /// let at = "2026-05-04T12:00:00Z".parse()?;
    /// let session = Session::stored("s1".parse()?, "ann@sol.example".to_owned(), at, at, None);
    /// assert!(!session.has_expired("2026-05-04T23:59:59Z".parse()?));
    /// assert!(session.has_expired("2026-05-05T00:00:00Z".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_expired(&self, now: Timestamp) -> bool {
        now.saturating_duration_since(self.last_used_at) >= Self::IDLE_TIMEOUT
            || now.saturating_duration_since(self.created_at) >= Self::LIFETIME
    }
}

/// The result of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionStarted {
    /// The session has started.
    Done(FoundSession),
    /// The sign-in link is not valid, or the business has no such owner or admin.
    NotAllowed,
    /// The business already got [`Session::MAX_NEW`] new sessions in the last [`Session::NEW_INTERVAL`]. Nothing was
    /// changed.
    TooFast,
}

/// The result of ending a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEnded {
    /// The session has ended now.
    Done,
    /// The business has no such session.
    NotFound,
    /// The person may not end another person's session. Nothing was changed.
    NotAllowed,
}

/// A session, with the person's current membership.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSession {
    /// The session.
    pub session: Session,
    /// The person's membership.
    pub membership: Membership,
}

impl FoundSession {
    /// Combines a session with a membership.
    pub const fn new(session: Session, membership: Membership) -> Self {
        Self { session, membership }
    }
}

/// The input for a new session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignIn {
    /// The id of the new session.
    pub id: SessionId,
    /// The hash of the session's secret.
    pub hash: TokenHash,
    /// The time of the sign-in.
    pub at: Timestamp,
    /// The IP address that the person signs in from. `None` if it is unknown.
    pub address: Option<IpAddr>,
    /// The action for the audit log: [`AuditAction::SignedIn`] or [`AuditAction::SignedInByProxy`].
    pub action: AuditAction,
}

impl SignIn {
    /// Creates the input for a new session, and generates the session's id.
    pub fn new(hash: TokenHash, at: Timestamp, address: Option<IpAddr>, action: AuditAction) -> Self {
        Self { id: SessionId::from(Uuid::now_v7()), hash, at, address, action }
    }

    /// Returns the new session of the member with this email address.
    pub fn session(&self, email: impl Into<String>) -> Session {
        Session::stored(self.id.clone(), email.into(), self.at, self.at, self.address)
    }

    /// Returns the audit entry for the sign-in of the member with this email address.
    pub fn audit(&self, email: impl Into<String>) -> AuditEntry {
        AuditEntry::new(self.at, self.action, Actor::new(email, self.address))
    }
}

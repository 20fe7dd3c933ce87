//! Sign-in to the API settings, with links and sessions.

use std::{fmt, net::IpAddr, sync::Arc};

use crate::{
    auth::{Actor, Authority, LoginToken, NoRandomness, NotAllowed, SessionToken, TokenAdmin},
    id::{BusinessId, SessionId},
    port::{
        AuditAction, AuditEntry, Clock, FoundSession, LoginLink, Membership, Session, SessionEnded, SessionStarted,
        SettingsStore, SignIn, StoreError,
    },
};

/// The reason why a person could not sign in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// The business has no such member.
    #[error("not a member of this business")]
    NotAMember,
    /// The person is neither an owner nor an admin.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// The link is unknown, used or expired, or the person may no longer manage tokens.
    #[error("the sign-in link is not valid: it works once, for 10 minutes")]
    InvalidLink,
    /// The business got too many new sessions in the last minute. A sign-in link stays valid and can be used later.
    #[error("the business got {limit} new sessions within a minute: try again in a minute", limit = Session::MAX_NEW)]
    TooFast,
    /// The store failed.
    #[error("the sign-in could not be stored")]
    Store(#[from] StoreError),
    /// The system's random number generator failed.
    #[error("the secret could not be generated")]
    NoRandomness(#[from] NoRandomness),
}

/// A signed-in person, with the session and the right to manage the API settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// The person's membership in the business.
    pub membership: Membership,
    /// The person's right to manage the API settings, without an [`address`](TokenAdmin::address). Each change confirms
    /// the right and the session again.
    pub admin: TokenAdmin,
}

impl TryFrom<FoundSession> for SignedIn {
    type Error = NotAllowed;

    fn try_from(found: FoundSession) -> Result<Self, NotAllowed> {
        let FoundSession { session, membership } = found;
        let admin = membership.token_admin()?.authority(Authority::Session(session.id.clone()));
        Ok(Self { session, membership, admin })
    }
}

/// Signs owners and admins in to the API settings.
///
/// A person signs in with a link, or through a host that has verified the person's identity. Members without the right
/// to manage tokens cannot sign in.
///
/// ```
/// use leadapi_core::{dataset::Dataset, memory::*, tokens::Sessions};
///
/// # futures_executor::block_on(async {
/// let dataset = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "Sol", "created_at": "2026-01-12T09:00:00Z",
///     "members": [{"email": "ann@sol.example", "role": "owner"}]}]}"#)?;
/// let sessions = Sessions::new(MemorySettings::new(&dataset), SystemClock);
///
/// let link = sessions.create_link(&"b1".parse()?, "ann@sol.example").await?;
/// let (secret, _) = sessions.sign_in(&link, None).await?;
/// let person = sessions.find(&secret).await?.ok_or("the session has ended")?;
/// assert_eq!(person.session.email, "ann@sol.example");
/// assert!(sessions.sign_in(&link, None).await.is_err());
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
pub struct Sessions {
    store: Arc<dyn SettingsStore>,
    clock: Arc<dyn Clock>,
}

impl Sessions {
    /// Creates a manager for the sessions in `store`. It reads the current time from `clock`.
    pub fn new(store: impl SettingsStore + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Arc::new(store), clock: Arc::new(clock) }
    }

    /// Creates the secret of a sign-in link for an owner or an admin. The link works once, within 10 minutes.
    ///
    /// The caller must be allowed to act for this person, for example because it has access to the database.
    ///
    /// # Errors
    ///
    /// Returns a [`SignInError`] if the business has no such member, the member may not manage tokens, or the store or
    /// the system's random number generator fails.
    pub async fn create_link(&self, business: &BusinessId, email: &str) -> Result<LoginToken, SignInError> {
        let membership = self.store.membership(business, email).await?.ok_or(SignInError::NotAMember)?;
        membership.token_admin()?;
        let (secret, now) = (LoginToken::generate()?, self.clock.now());
        let link =
            LoginLink::new(secret.hash(), &*membership.email, now.checked_add(LoginLink::LIFETIME).unwrap_or(now));
        let audit = AuditEntry::new(now, AuditAction::LoginLinkCreated, Actor::new(membership.email, None));
        if !self.store.add_login_link(business, &link, &audit).await? {
            return Err(SignInError::NotAMember);
        }
        Ok(secret)
    }

    /// Signs in the person for whom the link was created.
    ///
    /// # Errors
    ///
    /// Returns a [`SignInError`] if the link is not valid, the person may no longer manage tokens, the business got too
    /// many new sessions, or the store or the system's random number generator fails.
    pub async fn sign_in(
        &self,
        link: &LoginToken,
        address: Option<IpAddr>,
    ) -> Result<(SessionToken, SignedIn), SignInError> {
        let (secret, sign_in) = self.prepare(address, AuditAction::SignedIn)?;
        let started = self.store.use_login_link(&link.hash(), &sign_in).await?;
        Ok((secret, signed_in(started, SignInError::InvalidLink)?))
    }

    /// Signs in a person whose identity the host has verified.
    ///
    /// # Errors
    ///
    /// Returns a [`SignInError`] if the business has no such member, the member may not manage tokens, the business got
    /// too many new sessions, or the store or the system's random number generator fails.
    pub async fn sign_in_verified(
        &self,
        business: &BusinessId,
        email: &str,
        address: Option<IpAddr>,
    ) -> Result<(SessionToken, SignedIn), SignInError> {
        let membership = self.store.membership(business, email).await?.ok_or(SignInError::NotAMember)?;
        membership.token_admin()?;
        let (secret, sign_in) = self.prepare(address, AuditAction::SignedInByProxy)?;
        let started = self.store.start_session(business, &membership.email, &sign_in).await?;
        Ok((secret, signed_in(started, SignInError::NotAMember)?))
    }

    /// Lists the businesses of a person whose identity the host has verified, and the person's role in each.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        self.store.memberships(email).await
    }

    /// Returns the person with this session. Returns `None` if the session is unknown or has ended, or if the person
    /// may no longer manage tokens. Records the use of the session, at most once every 5 minutes.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn find(&self, secret: &SessionToken) -> Result<Option<SignedIn>, StoreError> {
        let now = self.clock.now();
        let Some(found) = self.store.find_session(&secret.hash(), now).await? else { return Ok(None) };
        if now.saturating_duration_since(found.session.last_used_at) >= Session::USE_INTERVAL {
            self.store.use_session(&found.membership.business, &found.session.id, now).await?;
        }
        Ok(found.try_into().ok())
    }

    /// Lists the sessions of the business, newest first.
    ///
    /// # Errors
    ///
    /// Returns the store's error.
    pub async fn list(&self, admin: &TokenAdmin) -> Result<Vec<Session>, StoreError> {
        self.store.sessions(admin.business(), self.clock.now()).await
    }

    /// Ends a session of the business.
    ///
    /// # Errors
    ///
    /// Returns the store's error. The session may still be open.
    pub async fn end(&self, admin: &TokenAdmin, id: &SessionId) -> Result<SessionEnded, StoreError> {
        self.store.end_session(admin.business(), id, self.clock.now(), admin.actor()).await
    }

    /// Ends the session of a signed-in person.
    ///
    /// # Errors
    ///
    /// Returns the store's error. The session may still be open.
    pub async fn sign_out(&self, person: &SignedIn, address: Option<IpAddr>) -> Result<SessionEnded, StoreError> {
        self.end(&person.admin.clone().address(address), &person.session.id).await
    }

    fn prepare(&self, address: Option<IpAddr>, action: AuditAction) -> Result<(SessionToken, SignIn), NoRandomness> {
        let secret = SessionToken::generate()?;
        let sign_in = SignIn::new(secret.hash(), self.clock.now(), address, action);
        Ok((secret, sign_in))
    }
}

fn signed_in(started: SessionStarted, not_allowed: SignInError) -> Result<SignedIn, SignInError> {
    match started {
        SessionStarted::Done(found) => Ok(found.try_into()?),
        SessionStarted::NotAllowed => Err(not_allowed),
        SessionStarted::TooFast => Err(SignInError::TooFast),
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

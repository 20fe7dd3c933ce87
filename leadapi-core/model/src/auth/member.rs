//! The members of a business, and their right to manage its tokens (contract 5 and D8).

use std::{fmt, net::IpAddr, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::id::{BusinessId, SessionId};

/// A person's role in a business.
///
/// ```
/// use leadapi_model::auth::Role;
///
/// assert_eq!("admin".parse(), Ok(Role::Admin));
/// assert_eq!(Role::Owner.to_string(), "owner");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// Owns the business and can manage its tokens.
    Owner,
    /// Can manage the tokens of the business.
    Admin,
    /// Can neither see nor manage tokens.
    Member,
}

impl Role {
    /// Returns whether a member with this role may see and manage the tokens of the business.
    ///
    /// ```
    /// # use leadapi_model::auth::Role;
    /// assert!(Role::Admin.manages_tokens() && !Role::Member.manages_tokens());
    /// ```
    pub const fn manages_tokens(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }
}

/// The error for text that is not a role: `owner`, `admin` or `member`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a role must be owner, admin or member")]
pub struct InvalidRole;

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
        })
    }
}

impl FromStr for Role {
    type Err = InvalidRole;

    fn from_str(text: &str) -> Result<Self, InvalidRole> {
        match text {
            "owner" => Ok(Self::Owner),
            "admin" => Ok(Self::Admin),
            "member" => Ok(Self::Member),
            _ => Err(InvalidRole),
        }
    }
}

/// A member of a business. The host has verified the member's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The business that the person belongs to.
    pub business: BusinessId,
    /// The person's email address, which identifies the person in the audit log.
    pub email: String,
    /// The person's role in the business.
    pub role: Role,
}

/// The error for a member who may not manage tokens. Only an owner or an admin may see, create, revoke or delete tokens
/// (contract D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an owner or an admin of the business may manage its tokens")]
pub struct NotAllowed;

/// Proof that a person may manage the API settings of one business. Only [`Member::token_admin`] creates it, and only
/// for owners and admins.
///
/// ```
/// use leadapi_model::{auth::{Member, NotAllowed, Role}, id::BusinessId};
///
/// let business = BusinessId::parse("b1")?;
/// let member = |role| Member::new(business.clone(), "ann@sol.example", role);
/// assert_eq!(member(Role::Admin).token_admin()?.business(), &business);
/// assert_eq!(member(Role::Member).token_admin(), Err(NotAllowed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenAdmin {
    business: BusinessId,
    actor: Actor,
}

/// The person who performs an action, as recorded in the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// The person's email address.
    pub email: String,
    /// The IP address of the person's request. `None` if it is unknown, for example for a change on the command line.
    pub address: Option<IpAddr>,
    /// What a store must confirm before it makes a change for the person.
    pub authority: Authority,
}

/// What a store must confirm about the person who makes a change, in the transaction of the change. The person may have
/// lost the right to make the change after the request was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authority {
    /// Nothing, because the host itself verifies the person's rights.
    Host,
    /// The person is an owner or an admin of the business.
    Membership,
    /// The person is an owner or an admin of the business, and this session of the person has not ended.
    Session(SessionId),
}

impl Actor {
    /// Creates an actor whose identity and rights the host has verified. A store confirms nothing.
    ///
    /// ```
    /// # use leadapi_model::auth::Actor;
    /// assert_eq!(Actor::new("ann@sol.example", None).email, "ann@sol.example");
    /// ```
    pub fn new(email: impl Into<String>, address: Option<IpAddr>) -> Self {
        Self { email: email.into(), address, authority: Authority::Host }
    }

    /// Sets what a store must confirm before it makes a change for the person.
    ///
    /// ```
    /// # use leadapi_model::auth::{Actor, Authority};
    /// let ann = Actor::new("ann@sol.example", None).authority(Authority::Membership);
    /// assert_eq!(ann.authority, Authority::Membership);
    /// ```
    #[must_use]
    pub fn authority(mut self, authority: Authority) -> Self {
        self.authority = authority;
        self
    }
}

impl Member {
    /// Creates a member. The host must have verified the person's identity and role.
    ///
    /// ```
    /// # use leadapi_model::auth::{Member, Role};
    /// let owner = Member::new("b1".parse()?, "ann@sol.example", Role::Owner);
    /// assert!(owner.token_admin().is_ok());
    /// # Ok::<(), leadapi_model::id::InvalidId>(())
    /// ```
    pub fn new(business: BusinessId, email: impl Into<String>, role: Role) -> Self {
        Self { business, email: email.into(), role }
    }

    /// Returns proof that the member may manage the API settings of the business. The host is responsible for the role:
    /// a store does not check it again. `leadapi_core::port::Membership::token_admin` returns a
    /// proof that the store checks again in the transaction of each change.
    ///
    /// # Errors
    ///
    /// [`NotAllowed`] when the member is neither an owner nor an admin.
    pub fn token_admin(&self) -> Result<TokenAdmin, NotAllowed> {
        if !self.role.manages_tokens() {
            return Err(NotAllowed);
        }
        Ok(TokenAdmin { business: self.business.clone(), actor: Actor::new(self.email.clone(), None) })
    }
}

impl TokenAdmin {
    /// Sets the IP address of the person's request, for the audit log.
    #[must_use]
    pub const fn address(mut self, address: Option<IpAddr>) -> Self {
        self.actor.address = address;
        self
    }

    /// Sets what a store must confirm before it makes a change for the person.
    #[must_use]
    pub fn authority(mut self, authority: Authority) -> Self {
        self.actor = self.actor.authority(authority);
        self
    }

    /// Returns the business whose settings the person may manage.
    pub const fn business(&self) -> &BusinessId {
        &self.business
    }

    /// Returns the person, for the audit log.
    pub const fn actor(&self) -> &Actor {
        &self.actor
    }
}

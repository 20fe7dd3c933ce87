//! The audit log of a business, which records sign-ins and changes to the API settings and the members.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    auth::Actor,
    id::{AuditEntryId, TokenId},
    model::Timestamp,
};

/// An entry in the audit log of a business. Entries never change, and they are deleted only together with the business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
// In a data set, an unknown key is probably a typo.
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AuditEntry {
    /// The id of the entry. Later entries usually have greater ids.
    pub id: AuditEntryId,
    /// The time of the action.
    pub at: Timestamp,
    /// The action.
    pub action: AuditAction,
    /// The email address of the person who acted, or of the person concerned if the operator acted on the command line.
    pub email: String,
    /// The IP address of the person's request. `None` if it is unknown, for example for an action on the command line.
    pub address: Option<IpAddr>,
    /// The id of the token, if the action concerns one.
    pub token_id: Option<TokenId>,
    /// The name of the token, if the action concerns one. It is stored here because a deleted token has no record.
    pub token_name: Option<String>,
    /// What changed, if the action alone does not say it, such as the role of a new member.
    pub detail: Option<String>,
}

impl AuditEntry {
    /// Creates an entry with a new id. Use [`token`](Self::token) if the action concerns a token.
    ///
    /// ```
    /// use leadapi_core::{auth::Actor, port::{AuditAction, AuditEntry}};
    ///
    /// let actor = Actor::new("ann@sol.example", None);
    /// let entry = AuditEntry::new("2026-05-04T12:00:00Z".parse()?, AuditAction::SignedOut, actor);
    /// assert_eq!(entry.token_id, None);
    /// # Ok::<(), leadapi_core::model::InvalidTimestamp>(())
    /// ```
    pub fn new(at: Timestamp, action: AuditAction, by: Actor) -> Self {
        Self::stored(AuditEntryId::from(Uuid::now_v7()), at, action, by.email, by.address)
    }

    /// Creates an entry from the columns of a database row. Use [`token`](Self::token) if the action concerns a token.
    pub const fn stored(
        id: AuditEntryId,
        at: Timestamp,
        action: AuditAction,
        email: String,
        address: Option<IpAddr>,
    ) -> Self {
        Self { id, at, action, email, address, token_id: None, token_name: None, detail: None }
    }

    /// Sets the token that the action concerns.
    #[must_use]
    pub fn token(mut self, id: TokenId, name: impl Into<String>) -> Self {
        (self.token_id, self.token_name) = (Some(id), Some(name.into()));
        self
    }

    /// Sets what changed.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $text:literal)*) => {
        /// An action in the audit log. Databases and JSON contain its `Display` output.
        ///
        /// ```
        /// use leadapi_core::port::AuditAction;
        ///
        /// assert_eq!(AuditAction::TokenCreated.to_string(), "token_created");
        /// assert_eq!("token_created".parse(), Ok(AuditAction::TokenCreated));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum AuditAction {
            $($(#[$doc])* $name,)*
        }

        impl AuditAction {
            /// Every action.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        impl fmt::Display for AuditAction {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$name => $text,)*
                })
            }
        }

        impl std::str::FromStr for AuditAction {
            type Err = InvalidAuditAction;

            fn from_str(text: &str) -> Result<Self, InvalidAuditAction> {
                match text {
                    $($text => Ok(Self::$name),)*
                    _ => Err(InvalidAuditAction),
                }
            }
        }
    };
}

/// The error for text that is not the name of an [`AuditAction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an audit action such as token_created")]
pub struct InvalidAuditAction;

actions! {
    /// A token was created. A rotation also creates a token.
    TokenCreated = "token_created"
    /// A token was replaced by a new one, and expires no later than the end of the overlap.
    TokenRotated = "token_rotated"
    /// A token was revoked.
    TokenRevoked = "token_revoked"
    /// A revoked or expired token was deleted.
    TokenDeleted = "token_deleted"
    /// The operator revoked a token when its creator was removed from the business.
    TokenRevokedOnRemoval = "token_revoked_on_removal"
    /// The operator added the person to the business. The detail is the role.
    MemberAdded = "member_added"
    /// The operator changed the person's role. The detail is the old and the new role.
    MemberRoleChanged = "member_role_changed"
    /// The operator changed the person's email address. The detail is the new address.
    MemberRenamed = "member_renamed"
    /// The operator removed the person from the business.
    MemberRemoved = "member_removed"
    /// A sign-in link was created for the person.
    LoginLinkCreated = "login_link_created"
    /// The person signed in with a link.
    SignedIn = "signed_in"
    /// The person signed in through a proxy that had verified the person's identity.
    SignedInByProxy = "signed_in_by_proxy"
    /// The person signed out.
    SignedOut = "signed_out"
    /// The person ended a member's session.
    SessionEnded = "session_ended"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_name_of_an_action_is_its_text() {
        for action in AuditAction::ALL {
            assert_eq!(serde_json::to_string(action).unwrap(), format!("\"{action}\""));
            assert_eq!(serde_json::from_str::<AuditAction>(&format!("\"{action}\"")).unwrap(), *action);
            assert_eq!(action.to_string().parse(), Ok(*action));
        }
    }
}

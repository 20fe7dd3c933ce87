//! Changes to the tokens of a business. Every store applies the same rules inside its transaction.

use super::{AuditAction, AuditEntry, TokenRecord, TokenState};
use crate::{
    auth::{Actor, TokenHash},
    id::TokenId,
    model::Timestamp,
};

/// A change to the tokens of a business, and the person who makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenChange {
    /// The action to perform.
    pub action: TokenAction,
    /// The time of the change.
    pub at: Timestamp,
    /// The person who makes the change.
    pub by: Actor,
}

/// An action on the tokens of a business.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenAction {
    /// Inserts a token. No valid token may have the same name, because people could not tell the two apart.
    Create(TokenRecord),
    /// Inserts a token with the same name and scopes, and lets the old one expire at the end of the overlap or at its
    /// own expiry, whichever comes first.
    Rotate {
        /// The old token, which must be valid.
        id: TokenId,
        /// The new token.
        replacement: Replacement,
        /// The end of the period in which both tokens are valid.
        overlap_end: Timestamp,
    },
    /// Revokes a token.
    Revoke(TokenId),
    /// Deletes a token, which must be revoked or expired.
    Delete(TokenId),
}

/// The parts of a new token that differ from the token that it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replacement {
    /// The id of the new token.
    pub id: TokenId,
    /// The first characters of its secret.
    pub hint: String,
    /// The hash of its secret.
    pub hash: TokenHash,
    /// The time at which it expires, if any.
    pub expires_at: Option<Timestamp>,
}

/// The result of a [`TokenChange`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenChanged {
    /// The change was made. Contains the new or changed token, or the token that was deleted.
    Done(TokenRecord),
    /// The change is not allowed, and nothing was changed.
    Refused(TokenRefusal),
}

/// The reason why a change to the tokens of a business is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenRefusal {
    /// The business has no token with this id.
    #[error("no such token in this business")]
    NotFound,
    /// A valid token has the same name.
    #[error("name is taken by the valid token {0}: revoke it first, or choose another name")]
    NameTaken(TokenId),
    /// The token is still valid, so it cannot be deleted.
    #[error("the token is valid: revoke it first")]
    StillValid,
    /// The token was already revoked at this time.
    #[error("the token was already revoked at {0}")]
    AlreadyRevoked(Timestamp),
    /// A rotation has already replaced the token with this valid one.
    #[error("the token was already replaced by {0}")]
    Replaced(TokenId),
    /// The token is revoked or expired, so it cannot be rotated.
    #[error("the token is {0}: create a new one")]
    NotValid(TokenState),
}

/// A write to one token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenWrite {
    /// Inserts a token.
    Insert(TokenRecord),
    /// Sets the expiry and the revocation time of an existing token.
    Update(TokenRecord),
    /// Deletes a token.
    Delete(TokenId),
}

/// The writes and the audit entries of a change. A store applies all of them in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenPlan {
    /// The new or changed token, or the token that is deleted.
    pub token: TokenRecord,
    /// The writes, in order.
    pub writes: Vec<TokenWrite>,
    /// The audit entries, in order.
    pub audit: Vec<AuditEntry>,
}

impl TokenChange {
    /// Creates a change.
    pub const fn new(action: TokenAction, at: Timestamp, by: Actor) -> Self {
        Self { action, at, by }
    }

    /// Plans the writes of this change, or refuses it. `tokens` must contain all tokens of the business.
    ///
    /// ```
    /// use leadapi_core::{auth::*, port::*};
    ///
    /// let (at, ann) = ("2026-05-04T12:00:00Z".parse()?, Actor::new("ann@sol.example", None));
    /// let token = TokenRecord::new(&BearerToken::generate()?, "website", Scopes::Write, at);
    /// let delete = TokenChange::new(TokenAction::Delete(token.id.clone()), at, ann);
    /// assert_eq!(delete.plan(&[]), Err(TokenRefusal::NotFound));
    /// assert_eq!(delete.plan(&[token]), Err(TokenRefusal::StillValid));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`TokenRefusal`] if the change is not allowed.
    pub fn plan(&self, tokens: &[TokenRecord]) -> Result<TokenPlan, TokenRefusal> {
        let find = |id: &TokenId| tokens.iter().find(|token| token.id == *id).ok_or(TokenRefusal::NotFound);
        match &self.action {
            TokenAction::Create(token) => {
                let mut valid = tokens.iter().filter(|other| other.state(self.at) == TokenState::Good);
                match valid.find(|other| other.name == token.name) {
                    Some(other) => Err(TokenRefusal::NameTaken(other.id.clone())),
                    None => Ok(self.one(token, TokenWrite::Insert(token.clone()), AuditAction::TokenCreated)),
                }
            }
            TokenAction::Rotate { id, replacement, overlap_end } => {
                let old = find(id)?;
                let is_newer = |other: &&TokenRecord| (other.created_at, &other.id) > (old.created_at, &old.id);
                let mut replacements = tokens.iter().filter(|other| other.name == old.name).filter(is_newer);
                match (old.state(self.at), replacements.find(|other| other.state(self.at) == TokenState::Good)) {
                    (TokenState::Good, None) => Ok(self.rotate(old, replacement, *overlap_end)),
                    (TokenState::Good, Some(other)) => Err(TokenRefusal::Replaced(other.id.clone())),
                    (state, _) => Err(TokenRefusal::NotValid(state)),
                }
            }
            TokenAction::Revoke(id) => {
                let old = find(id)?;
                if let Some(at) = old.revoked_at {
                    return Err(TokenRefusal::AlreadyRevoked(at));
                }
                let revoked = TokenRecord { revoked_at: Some(self.at), ..old.clone() };
                Ok(self.one(&revoked, TokenWrite::Update(revoked.clone()), AuditAction::TokenRevoked))
            }
            TokenAction::Delete(id) => match find(id)? {
                token if token.state(self.at) == TokenState::Good => Err(TokenRefusal::StillValid),
                token => Ok(self.one(token, TokenWrite::Delete(id.clone()), AuditAction::TokenDeleted)),
            },
        }
    }

    fn one(&self, token: &TokenRecord, write: TokenWrite, action: AuditAction) -> TokenPlan {
        TokenPlan { token: token.clone(), writes: vec![write], audit: vec![self.entry(action, token)] }
    }

    fn rotate(&self, old: &TokenRecord, replacement: &Replacement, overlap_end: Timestamp) -> TokenPlan {
        let Replacement { id, hint, hash, expires_at } = replacement.clone();
        let mut new = TokenRecord::stored(id, &*old.name, old.scopes, hint, hash, self.at);
        (new.expires_at, new.created_by) = (expires_at, Some(self.by.email.clone()));
        let end = old.expires_at.map_or(overlap_end, |at| at.min(overlap_end));
        let old = TokenRecord { expires_at: Some(end), ..old.clone() };
        TokenPlan {
            audit: vec![self.entry(AuditAction::TokenRotated, &old), self.entry(AuditAction::TokenCreated, &new)],
            writes: vec![TokenWrite::Update(old), TokenWrite::Insert(new.clone())],
            token: new,
        }
    }

    fn entry(&self, action: AuditAction, token: &TokenRecord) -> AuditEntry {
        AuditEntry::new(self.at, action, self.by.clone()).token(token.id.clone(), &*token.name)
    }
}

impl Replacement {
    /// Creates a replacement.
    pub fn new(id: TokenId, hint: impl Into<String>, hash: TokenHash, expires_at: Option<Timestamp>) -> Self {
        Self { id, hint: hint.into(), hash, expires_at }
    }
}

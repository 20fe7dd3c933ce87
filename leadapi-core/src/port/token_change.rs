//! Changes to the tokens of a business. Every store applies the same rules inside its transaction.

use std::time::Duration;

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
    /// Inserts a token with the same name and scopes, and lets the old token expire at the end of the overlap or at its
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
    /// The first characters of the new token's secret.
    pub hint: String,
    /// The hash of the new token's secret.
    pub hash: TokenHash,
    /// The time at which the new token expires, if any.
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
    /// The person is no longer an owner or an admin of the business, or the person's session has ended.
    #[error("only a signed-in owner or admin of the business may manage its tokens")]
    NotAllowed,
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
    /// A rotation has already replaced the token with this token, which is valid.
    #[error("the token was already replaced by {0}")]
    Replaced(TokenId),
    /// The token is revoked or expired, so it cannot be rotated.
    #[error("the token is {0}: create a new one")]
    NotValid(TokenState),
    /// The business has already reached the maximum number of valid tokens.
    #[error("the business has {limit} or more valid tokens: revoke one first", limit = TokenChange::MAX_VALID)]
    TooMany,
    /// A rotation would leave the business with too many valid tokens until the end of the overlap.
    #[error(
        "the business has {limit} or more valid tokens: revoke one first, or rotate without an overlap",
        limit = TokenChange::MAX_VALID_WITH_OVERLAPS
    )]
    TooManyOverlaps,
    /// The business got too many new tokens in the last minute.
    #[error("the business got {limit} new tokens within a minute: try again in a minute", limit = TokenChange::MAX_NEW)]
    TooFast,
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

/// The facts that a store looks up for a [`TokenChange`]. Looking up only these facts keeps the cost of a change
/// independent of the number of tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenFacts {
    /// Whether the [`Authority`](crate::auth::Authority) of the person is confirmed.
    pub is_allowed: bool,
    /// The token of the business with the id [`TokenChange::token_id`].
    pub token: Option<TokenRecord>,
    /// The newest valid token of the business with the name [`TokenChange::new_name`].
    pub namesake: Option<TokenRecord>,
    /// If the change inserts a token, the number of valid tokens of the business. A store may stop counting at
    /// [`TokenChange::MAX_VALID_WITH_OVERLAPS`].
    pub valid: u32,
    /// If the change inserts a token, the number of audit entries of the business for new tokens in the
    /// [`TokenChange::NEW_INTERVAL`] that ends at the time of the change. The interval includes its end but not its
    /// start. A store may stop counting at [`TokenChange::MAX_NEW`].
    pub recent: u32,
}

impl TokenFacts {
    /// Creates the facts of a business without tokens.
    pub fn new(is_allowed: bool) -> Self {
        Self { is_allowed, ..Self::default() }
    }
}

impl TokenChange {
    /// The maximum number of valid tokens of a business. A business that already has more tokens keeps them, but cannot
    /// get new ones.
    pub const MAX_VALID: u32 = 100;

    /// The maximum number of valid tokens of a business while rotated tokens overlap with their replacements.
    pub const MAX_VALID_WITH_OVERLAPS: u32 = 200;

    /// The maximum number of new tokens of a business in any [`NEW_INTERVAL`](Self::NEW_INTERVAL). It also bounds the
    /// revocations and deletions, because each new token can be revoked and deleted once.
    pub const MAX_NEW: u32 = 60;

    /// The interval to which [`MAX_NEW`](Self::MAX_NEW) applies.
    pub const NEW_INTERVAL: Duration = Duration::from_secs(60);

    /// Creates a change.
    pub const fn new(action: TokenAction, at: Timestamp, by: Actor) -> Self {
        Self { action, at, by }
    }

    /// Returns the id of the existing token that this change concerns. A store looks up this token first.
    pub const fn token_id(&self) -> Option<&TokenId> {
        match &self.action {
            TokenAction::Create(_) => None,
            TokenAction::Rotate { id, .. } | TokenAction::Revoke(id) | TokenAction::Delete(id) => Some(id),
        }
    }

    /// Returns the name of the token that this change inserts, if any. `token` is the result of looking up
    /// [`token_id`](Self::token_id).
    pub fn new_name<'a>(&'a self, token: Option<&'a TokenRecord>) -> Option<&'a str> {
        match &self.action {
            TokenAction::Create(token) => Some(&token.name),
            TokenAction::Rotate { .. } => token.map(|token| token.name.as_str()),
            TokenAction::Revoke(_) | TokenAction::Delete(_) => None,
        }
    }

    /// Plans the writes of this change, or rejects the change.
    ///
    /// ```
    /// use leadapi_core::{auth::*, port::*};
    ///
    /// let (at, ann) = ("2026-05-04T12:00:00Z".parse()?, Actor::new("ann@sol.example", None));
    /// let token = TokenRecord::new(&BearerToken::generate()?, "website", Scopes::Write, at);
    /// let delete = TokenChange::new(TokenAction::Delete(token.id.clone()), at, ann);
    /// assert_eq!(delete.plan(&TokenFacts::new(false)), Err(TokenRefusal::NotAllowed));
    /// let mut facts = TokenFacts::new(true);
    /// assert_eq!(delete.plan(&facts), Err(TokenRefusal::NotFound));
    /// facts.token = Some(token);
    /// assert_eq!(delete.plan(&facts), Err(TokenRefusal::StillValid));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`TokenRefusal`] if the change is not allowed.
    pub fn plan(&self, facts: &TokenFacts) -> Result<TokenPlan, TokenRefusal> {
        if !facts.is_allowed {
            return Err(TokenRefusal::NotAllowed);
        }
        let old = || facts.token.as_ref().ok_or(TokenRefusal::NotFound);
        match &self.action {
            TokenAction::Create(token) => {
                if let Some(namesake) = &facts.namesake {
                    return Err(TokenRefusal::NameTaken(namesake.id.clone()));
                }
                check_growth(facts, Self::MAX_VALID, TokenRefusal::TooMany)?;
                Ok(self.one(token, TokenWrite::Insert(token.clone()), AuditAction::TokenCreated))
            }
            TokenAction::Rotate { replacement, overlap_end, .. } => {
                let old = old()?;
                let is_newer = |other: &&TokenRecord| (other.created_at, &other.id) > (old.created_at, &old.id);
                match (old.state(self.at), facts.namesake.as_ref().filter(is_newer)) {
                    (TokenState::Good, None) => {
                        let limit = if *overlap_end > self.at { Self::MAX_VALID_WITH_OVERLAPS } else { u32::MAX };
                        check_growth(facts, limit, TokenRefusal::TooManyOverlaps)?;
                        Ok(self.rotate(old, replacement, *overlap_end))
                    }
                    (TokenState::Good, Some(newer)) => Err(TokenRefusal::Replaced(newer.id.clone())),
                    (state, _) => Err(TokenRefusal::NotValid(state)),
                }
            }
            TokenAction::Revoke(_) => {
                let old = old()?;
                if let Some(at) = old.revoked_at {
                    return Err(TokenRefusal::AlreadyRevoked(at));
                }
                let revoked = TokenRecord { revoked_at: Some(self.at), ..old.clone() };
                Ok(self.one(&revoked, TokenWrite::Update(revoked.clone()), AuditAction::TokenRevoked))
            }
            TokenAction::Delete(id) => match old()? {
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

/// Checks the limits of new tokens, given the limit of valid tokens.
fn check_growth(facts: &TokenFacts, limit: u32, too_many: TokenRefusal) -> Result<(), TokenRefusal> {
    if facts.valid >= limit {
        return Err(too_many);
    }
    if facts.recent >= TokenChange::MAX_NEW { Err(TokenRefusal::TooFast) } else { Ok(()) }
}

impl Replacement {
    /// Creates a replacement.
    pub fn new(id: TokenId, hint: impl Into<String>, hash: TokenHash, expires_at: Option<Timestamp>) -> Self {
        Self { id, hint: hint.into(), hash, expires_at }
    }
}

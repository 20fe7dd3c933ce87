//! The caller behind a valid token.

use super::Scopes;
use crate::id::{BusinessId, TokenId};

/// The holder of a valid token.
///
/// The only source of the business that a request reaches (contract 5): the service passes it to the store with every
/// call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The token's record; the rate limiter counts requests by this id.
    pub token: TokenId,
    /// The scopes of the token.
    pub scopes: Scopes,
}

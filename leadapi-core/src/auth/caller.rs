//! The caller behind a valid token.

use super::Scopes;
use crate::id::{BusinessId, TokenId};

/// The holder of a valid token.
///
/// The only source of the business that a request reaches (contract 5): the service passes it to the store with every
/// call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The token's record; the rate limiter counts requests by this id.
    pub token: TokenId,
    /// The scopes of the token.
    pub scopes: Scopes,
}

impl Caller {
    /// Creates a caller, for a host that verifies tokens of its own.
    ///
    /// ```
    /// use leadapi_core::auth::{Caller, Scopes};
    ///
    /// let caller = Caller::new("b1".parse()?, "t1".parse()?, Scopes::Write);
    /// assert_eq!(caller.business.as_str(), "b1");
    /// # Ok::<(), leadapi_core::id::InvalidId>(())
    /// ```
    pub const fn new(business: BusinessId, token: TokenId, scopes: Scopes) -> Self {
        Self { business, token, scopes }
    }
}

//! The caller that a valid token identifies.

use super::Scopes;
use crate::id::{BusinessId, TokenId};

/// The caller that a valid token identifies.
///
/// The caller alone determines which business a request can access (contract 5). The service passes that business to
/// the store with every call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The id of the token's record. The rate limiter counts requests separately for each id.
    pub token: TokenId,
    /// The scopes of the token.
    pub scopes: Scopes,
}

impl Caller {
    /// Creates a caller. Hosts that verify tokens themselves need this constructor.
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

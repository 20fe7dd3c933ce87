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
    /// The author of the caller's writes. The service passes the author to the store with every write.
    pub author: Author,
}

impl Caller {
    /// Creates a caller whose [`author`](Self::author) is [`Author::Host`]. Hosts that verify tokens themselves need
    /// this constructor.
    ///
    /// ```
    /// use leadapi_model::auth::{Author, Caller, Scopes};
    ///
    /// let caller = Caller::new("b1".parse()?, "t1".parse()?, Scopes::Write);
    /// assert_eq!(caller.business.as_str(), "b1");
    /// assert_eq!(caller.author, Author::Host);
    /// # Ok::<(), leadapi_model::id::InvalidId>(())
    /// ```
    pub const fn new(business: BusinessId, token: TokenId, scopes: Scopes) -> Self {
        Self { business, token, scopes, author: Author::Host }
    }
}

/// The author of a write. The store may have to check the author's permission when it commits the write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Author {
    /// The host has permitted the write, for example with its own token verifier. The store checks nothing.
    Host,
    /// A token that is stored in the same store as the leads. The store rejects the write if the token is no longer
    /// valid when the write takes effect.
    Token(TokenId),
}

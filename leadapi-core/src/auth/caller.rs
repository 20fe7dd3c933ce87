//! Who sent a request: what a good token stands for.

use super::Scopes;
use crate::id::{BusinessId, TokenId};

/// The holder of a good token.
///
/// It is the only source of the business that a request reaches (contract 5): the service hands it to the store with
/// every call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The business that owns the token.
    pub business: BusinessId,
    /// The token's record, by which its requests are counted.
    pub token: TokenId,
    /// What the token allows.
    pub scopes: Scopes,
}

//! Decides, in the transaction of a write, whether the author of the write may still write.
//!
//! The caller must hold the lock on the business. Every change to a token of the business takes the same lock, so the
//! result is final until the transaction ends.

use leadapi_core::{
    auth::Author,
    id::{BusinessId, TokenId},
    port::{Clock, InvalidToken},
};

use super::{
    clock::StoreClock,
    error::SqlError,
    row::Row,
    session::{Query, query},
    statement,
};

/// `Ok` if the token is valid.
pub(crate) type Validity = Result<(), InvalidToken>;

/// Returns the token to check, or `None` if there is nothing to check.
pub(super) const fn token(author: &Author) -> Option<&TokenId> {
    match author {
        Author::Token(id) => Some(id),
        _ => None,
    }
}

/// Returns the query for a token by the system clock. It returns no row if the business has no such token.
pub(super) fn query(business: &BusinessId, token: &TokenId) -> Query {
    query!(statement::AUTHOR, StoreClock::SYSTEM.now(), business, token)
}

/// Reads the result of [`query`].
pub(crate) fn read(mut row: Row<'_>) -> Result<Validity, SqlError> {
    Ok(match row.take::<Option<String>>()?.as_deref() {
        None => Ok(()),
        Some("revoked") => Err(InvalidToken::Revoked),
        Some(_) => Err(InvalidToken::Expired),
    })
}

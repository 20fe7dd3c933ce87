//! Decides, in the transaction of a write, whether the author of the write may still write.
//!
//! The caller must hold the lock on the business. Every change to a token of the business takes the same lock, so the
//! result is final until the transaction ends.

use leadapi_core::{
    auth::Author,
    id::{BusinessId, TokenId},
    model::Timestamp,
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
pub(super) type Validity = Result<(), InvalidToken>;

/// Returns the token to check, or `None` if there is nothing to check.
pub(super) const fn token(author: &Author) -> Option<&TokenId> {
    match author {
        Author::Token(id) => Some(id),
        _ => None,
    }
}

/// Returns the query for a token. It returns no row if the business has no such token.
pub(super) fn query(business: &BusinessId, token: &TokenId, clock: &StoreClock) -> Query {
    let sql = if clock.is_of_database() { statement::AUTHOR_WITH_TIME } else { statement::AUTHOR };
    query!(sql, business, token)
}

/// Reads the result of [`query`].
pub(super) fn read(mut row: Row<'_>, clock: &StoreClock) -> Result<Validity, SqlError> {
    let (revoked_at, expires_at): (Option<Timestamp>, Option<Timestamp>) = (row.take()?, row.take()?);
    let now = row.take::<Option<Timestamp>>()?.unwrap_or_else(|| clock.now());
    Ok(if revoked_at.is_some() {
        Err(InvalidToken::Revoked)
    } else if expires_at.is_some_and(|at| at <= now) {
        Err(InvalidToken::Expired)
    } else {
        Ok(())
    })
}

//! Confirms, within a transaction, that a person may make a change.

use leadapi_core::{
    auth::{Actor, Authority},
    id::BusinessId,
    model::Timestamp,
    port::Membership,
};

use super::{find_member, open_since, statement};
use crate::{
    error::SqlError,
    session::{Session as Transaction, query},
};

/// Returns whether the person's authority is confirmed. The transaction must exclude changes to the members and the
/// sessions of the business.
pub(super) async fn is_confirmed(
    transaction: &mut dyn Transaction,
    business: &BusinessId,
    by: &Actor,
    at: Timestamp,
) -> Result<bool, SqlError> {
    match &by.authority {
        Authority::Host => return Ok(true),
        Authority::Membership => {}
        Authority::Session(id) => {
            let (used_after, created_after) = open_since(at);
            let open = query!(statement::OPEN_SESSION, business, id, &by.email, used_after, created_after);
            if !transaction.finds(open).await? {
                return Ok(false);
            }
        }
    }
    Ok(find_admin(transaction, business, &by.email).await?.is_some())
}

/// Returns the person's membership, if the person is an owner or an admin of the business.
pub(super) async fn find_admin(
    transaction: &mut dyn Transaction,
    business: &BusinessId,
    email: &str,
) -> Result<Option<Membership>, SqlError> {
    let member = transaction.row(find_member(business, email), super::membership).await?;
    Ok(member.filter(|member| member.role.manages_tokens()))
}
